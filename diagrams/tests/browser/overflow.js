// What is wrong with the rendered diagram in the page: text that its box or the picture cuts off, or no text at all.
(slack) => {
  const svg = document.querySelector("svg");
  const page = svg.getBoundingClientRect();
  const found = [];
  const inside = (one, other) =>
    one.left + slack >= other.left && one.right <= other.right + slack && one.top + slack >= other.top && one.bottom <= other.bottom + slack;
  const words = [...svg.querySelectorAll("foreignObject")];
  for (const label of words) {
    const text = label.firstElementChild;
    if (!text || !text.textContent.trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    if (!inside(range.getBoundingClientRect(), label.getBoundingClientRect())) found.push(`cut off: ${text.textContent.trim().slice(0, 80)}`);
  }
  for (const text of [...words, ...svg.querySelectorAll("text")])
    if (text.textContent.trim() && !inside(text.getBoundingClientRect(), page)) found.push(`outside the picture: ${text.textContent.trim().slice(0, 80)}`);
  if (!svg.querySelectorAll("text, foreignObject").length) found.push("no text");
  return found;
}
