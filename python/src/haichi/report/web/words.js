// Texts (numbers with units, ranks) and HTML elements. Texts are never parsed as HTML.

const DASH = "\u2013", ARROW = "\u2192", TIMES = "\u00d7", MINUS = "\u2212";

function isNumber(value) { return typeof value === "number" && Number.isFinite(value); }

function digits(value, significant = 3) {
  if (!isNumber(value)) return DASH;
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en-US");
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(significant - 1).replace("-", MINUS);
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(significant)));
}

function seconds(value, significant = 3) {
  if (!isNumber(value)) return DASH;
  if (value === 0) return "0 s";
  const [scale, unit] = timeUnit(Math.abs(value));
  return `${digits(value * scale, significant)} ${unit}`;
}

/// A time with its spread, such as "4.21 ± 0.03 ms". It has as many decimals as the first digit of the spread needs,
/// and at most four digits.
function secondsWithSpread(value, spread) {
  if (!isNumber(value) || !isNumber(spread) || !(spread > 0)) return seconds(value);
  const [scale, unit] = timeUnit(Math.abs(value)), power = (number) => Math.floor(Math.log10(Math.abs(number) * scale || 1));
  const decimals = Math.min(Math.max(-power(spread), 0), Math.max(3 - power(value), 0));
  const around = (spread * scale).toFixed(decimals);
  return Number(around) > 0 ? `${(value * scale).toFixed(decimals)} \u00b1 ${around} ${unit}` : seconds(value);
}

function timeUnit(size) { return size >= 1 ? [1, "s"] : size >= 1e-3 ? [1e3, "ms"] : size >= 1e-6 ? [1e6, "\u00b5s"] : [1e9, "ns"]; }

/// The change in per cent, such as "35.3 % less" or "35.3 % more", with one decimal as in the verdict.
function lessText(before, after) {
  const share = 1 - after / before, text = (100 * Math.abs(share)).toFixed(1);
  return text === "0.0" ? "the same" : `${text} % ${share > 0 ? "less" : "more"}`;
}

function bytes(value) {
  if (!isNumber(value)) return DASH;
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit + 1 < units.length) { value /= 1024; unit += 1; }
  return `${digits(value)} ${units[unit]}`;
}

function count(value, one, many = `${one}s`) { return `${digits(value)} ${value === 1 ? one : many}`; }

function percent(share) { return isNumber(share) ? `${digits(100 * share, 2)} %` : DASH; }

/// A large number as a power of ten, such as 1.49\u00b710\u00b9\u2075.
function powerText(value) {
  if (!isNumber(value) || Math.abs(value) < 1e7) return digits(value);
  const power = Math.floor(Math.log10(Math.abs(value)));
  return `${digits(value / 10 ** power)}\u00b710${superscript(power)}`;
}

function superscript(number) { return String(number).split("").map((digit) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[Number(digit)]).join(""); }

const SCALED = { seconds, bytes, "byte-hops": (value) => `${bytes(value)}-hops`, "weighted byte-hops": (value) => `${bytes(value)}-hops (weighted)` };

/// The value of an objective. It includes the unit if the unit is scaled; otherwise countedUnit() gives the unit to
/// append.
function amount(value, unit) { return isNumber(value) ? (SCALED[unit] ?? powerText)(value) : DASH; }

function countedUnit(unit) { return !unit || unit === "1" || unit in SCALED ? "" : unit; }

/// A list in words, such as "a, b and c".
function listed(items) {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}

/// Makes an element with attributes (on...: listeners) and children. Strings become text, and null is skipped.
function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function svgElement(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text);
    else node.setAttribute(key, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

/// A canvas context whose units are CSS pixels.
function canvasContext(canvas, height) {
  const ratio = window.devicePixelRatio || 1, width = Math.max(canvas.clientWidth, 40), context = canvas.getContext("2d");
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, ratio };
}

function option(value, text, isSelected) {
  const entry = element("option", { value }, text);
  entry.selected = Boolean(isSelected);
  return entry;
}

function selector(label, id, entries, selected, onchange) {
  const control = element("select", { id, onchange: (event) => onchange(event.target.value) },
    entries.map(([value, text]) => option(value, text, String(value) === String(selected))));
  return element("label", { class: "control", for: id }, element("span", {}, label), control);
}
