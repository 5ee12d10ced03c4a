// Light and dark, and the size of the window: what pictures are drawn anew for.

/// The button changes between both, from what the system says.
function setUpTheme(repaint) {
  const button = document.getElementById("theme");
  const name = () => { button.textContent = isDark() ? "light" : "dark"; };
  button.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; name(); repaint(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { name(); repaint(); });
  name();
}

/// When it has settled.
function onResize(redraw) {
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 80); });
}
