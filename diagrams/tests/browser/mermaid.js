// Renders one Mermaid source into the page; gives what is wrong with it, if Mermaid refuses it.
async (source) => {
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
  let drawn;
  try {
    drawn = await mermaid.render("picture", source);
  } catch (error) {
    return [`no picture: ${String(error.message ?? error).slice(0, 300)}`];
  }
  document.body.innerHTML = drawn.svg;
  return [];
}
