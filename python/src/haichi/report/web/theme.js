// The theme (light or dark) and the window size, whose changes redraw the pictures.

/// The button switches between both. The first theme is the setting of the system.
function setUpTheme(repaint) {
  const button = document.getElementById("theme");
  const name = () => { button.textContent = isDark() ? "light" : "dark"; };
  button.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; name(); repaint(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { name(); repaint(); });
  name();
}

/// Redraws when the size no longer changes.
function onResize(redraw) {
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 80); });
}
