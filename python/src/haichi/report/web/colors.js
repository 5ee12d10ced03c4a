// Colours. The colour scale of loads is perceptually uniform, and also readable with colour blindness and in grey.

const INFERNO = [[0, 0, 4], [22, 11, 57], [66, 10, 104], [106, 23, 110], [147, 38, 103], [188, 55, 84], [221, 81, 58],
  [243, 120, 25], [252, 165, 10], [246, 215, 70], [252, 255, 164]];

function inferno(share) {
  const at = Math.min(Math.max(share, 0), 1) * (INFERNO.length - 1), low = Math.min(Math.floor(at), INFERNO.length - 2);
  return INFERNO[low].map((from, i) => Math.round(from + (INFERNO[low + 1][i] - from) * (at - low)));
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/// The colour of a load above 0, which is given as a fraction of the scale. Higher loads contrast more with the
/// background.
function loadColor(share) { return isDark() ? inferno(0.3 + 0.68 * share) : inferno(0.9 - 0.8 * share); }

function rgb(color) { return `rgb(${color.join(",")})`; }

/// The whole colour scale, as a CSS background.
function loadRamp() { return `linear-gradient(to right, ${Array.from({ length: 11 }, (_, i) => rgb(loadColor(i / 10))).join(",")})`; }

/// A colour of the page's style sheet, by name.
function themeColor(name) { return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim(); }
