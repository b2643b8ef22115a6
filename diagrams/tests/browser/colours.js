// Texts whose contrast with what they stand on is below the given ratio (WCAG), as sentences.
(least) => {
  const light = (colour) => {
    const parts = colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const shapes = [...document.querySelectorAll("svg rect, svg path, svg polygon, svg ellipse")].filter((one) => {
    const fill = getComputedStyle(one).fill;
    return fill.startsWith("rgb") && !fill.endsWith(", 0)");
  });
  const rooms = new Map(shapes.map((shape) => [shape, shape.getBoundingClientRect()]));
  const found = [];
  for (const text of document.querySelectorAll("svg text, svg tspan")) {
    const at = text.getBoundingClientRect();
    const [x, y] = [(at.left + at.right) / 2, (at.top + at.bottom) / 2];
    const page = getComputedStyle(document.querySelector("svg")).backgroundColor;
    let ground = page.endsWith(", 0)") ? "rgb(255, 255, 255)" : page;
    for (const shape of shapes) {
      if (text.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING) break;
      const room = rooms.get(shape);
      const inside = x > room.left && x < room.right && y > room.top && y < room.bottom;
      if (inside && !shape.closest("g.edge")) ground = getComputedStyle(shape).fill;
    }
    const [one, other] = [light(getComputedStyle(text).fill), light(ground)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < least) found.push(`contrast ${ratio.toFixed(1)}: ${text.textContent}`);
  }
  return found;
}
