// The text box beside the pointer.

class Tip {
  constructor() {
    this.node = element("div", { id: "tip", role: "status", "aria-live": "polite", hidden: true });
    document.body.append(this.node);
  }

  show(content, x, y) {
    replace(this.node, content);
    this.node.hidden = false;
    const { width, height } = this.node.getBoundingClientRect(), room = 10;
    const left = x + 16 + width < innerWidth - room ? x + 16 : Math.max(x - width - 16, room);
    const top = Math.min(Math.max(y - height / 2, room), Math.max(innerHeight - height - room, room));
    this.node.style.left = `${Math.min(left, Math.max(innerWidth - width - room, room))}px`;
    this.node.style.top = `${top}px`;
  }

  hide() { this.node.hidden = true; }

  /// Attributes that make an element show these lines of text in the tip.
  attributes(lines) {
    const content = lines.flatMap((line, i) => [i ? element("br") : null, line]);
    return { onmousemove: (event) => this.show(content, event.clientX, event.clientY), onmouseleave: () => this.hide() };
  }

  /// Hides the tip on Escape and on scrolling, because it belongs to the element under the pointer.
  hideOnMoves() {
    addEventListener("keydown", (event) => { if (event.key === "Escape") this.hide(); });
    addEventListener("scroll", () => this.hide(), { passive: true });
  }
}
