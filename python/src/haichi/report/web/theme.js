// Redraws the pictures after changes of the theme (light or dark) or of the window size.

/// Sets up the button that switches between the light and the dark theme. The first theme is the setting of the system.
function setUpTheme(repaint) {
  const button = document.getElementById("theme");
  const name = () => { button.textContent = isDark() ? "light" : "dark"; };
  button.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; name(); repaint(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { name(); repaint(); });
  name();
}

/// Calls `redraw` once the size no longer changes.
function onResize(redraw) {
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 80); });
}
