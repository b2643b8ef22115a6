// What is wrong with the picture in the page, as sentences: text outside its box, texts on each other, a line through a label.
// In parts of a pixel less than SLACK nobody sees it.
(slack) => {
  const known = new Map();
  const box = (element) => {
    if (!known.has(element)) known.set(element, element.getBoundingClientRect());
    return known.get(element);
  };
  const cut = (one, other, by = slack) =>
    one.left + by < other.right && other.left + by < one.right && one.top + by < other.bottom && other.top + by < one.bottom;
  const inside = (one, other) =>
    one.left + slack >= other.left && one.right <= other.right + slack && one.top + slack >= other.top && one.bottom <= other.bottom + slack;
  const svg = document.querySelector("svg");
  const found = [];
  const texts = [...svg.querySelectorAll("text")];
  for (const text of texts) if (!inside(box(text), box(svg))) found.push(`outside the picture: ${text.textContent}`);
  for (const node of svg.querySelectorAll("g.node")) {
    const shape = node.querySelector("path, polygon, ellipse");
    for (const text of node.querySelectorAll("text"))
      if (!inside(box(text), box(shape))) found.push(`outside its box: ${text.textContent}`);
  }
  for (let i = 0; i < texts.length; i++)
    for (let j = i + 1; j < texts.length; j++)
      if (texts[i].parentNode !== texts[j].parentNode && cut(box(texts[i]), box(texts[j])))
        found.push(`on each other: ${texts[i].textContent} and ${texts[j].textContent}`);
  const nodes = [...svg.querySelectorAll("g.node")];
  const labels = [...svg.querySelectorAll("g.label text")];
  for (const label of labels)
    for (const node of nodes) if (cut(box(label), box(node))) found.push(`on a box: ${label.textContent}`);
  for (const path of svg.querySelectorAll("g.edge path")) {
    const turn = path.getScreenCTM();
    const points = [];
    for (let at = 0; at <= path.getTotalLength(); at += 4) points.push(path.getPointAtLength(at).matrixTransform(turn));
    for (const text of texts) {
      const room = box(text);
      const by = 2;
      if (points.some((p) => p.x > room.left + by && p.x < room.right - by && p.y > room.top + by && p.y < room.bottom - by))
        found.push(`a line through: ${text.textContent}`);
    }
  }
  return found;
}
