// Sentences on the bottleneck: the link, the senders of its messages, and the change between the two placements.

/// How the second placement routes the messages that crossed the most loaded link of the first one.
function fateOf(before, after) {
  const { link, set } = before.worst, crossing = before.messagesOn(link, set);
  if (!crossing || !after?.routes) return null;
  const fate = { stay: [], within: [], moved: [], met: 1, crossing };
  for (const message of crossing) {
    const route = after.route(message);
    if (!route.length) fate.within.push(message);
    else if (route.includes(link)) fate.stay.push(message);
    else fate.moved.push(message);
    const worst = after.worstOnRoute(message);
    if (worst) fate.met = Math.max(fate.met, worst.messages);
  }
  const mean = (view) => crossing.reduce((sum, message) => sum + view.hops(message), 0) / crossing.length;
  return { ...fate, hopsBefore: mean(before), hopsAfter: mean(after) };
}

function worstText(view) {
  const { link, messages, bytes: size, seconds: time } = view.worst;
  return [element("b", { class: "link-name" }, view.network.linkName(link)), ": ", element("strong", {}, count(messages, "message")),
    `${messages > 1 ? " at once" : ""} in ${view.setName(view.worst.set)}, ${bytes(size)}, at least ${seconds(time)} at its bandwidth`];
}

function crossingText(view, messages) {
  const shown = messages.slice(0, 8).map((message) => view.messageText(message));
  const more = messages.length > shown.length ? [`${digits(messages.length - shown.length)} more`] : [];
  return listed([...shown, ...more]);
}

/// The title and the paragraphs about the bottleneck.
function bottleneckStory(before, after) {
  if (!before.worst) return { title: "No message crosses a link", paragraphs: ["All ranks that send to each other share a node."] };
  const { worst } = before, paragraphs = [], linkName = before.network.linkName(worst.link);
  const crossing = before.messagesOn(worst.link, worst.set);
  const ties = worst.ties ? ` ${digits(worst.ties)} other ${worst.ties === 1 ? "link has" : "links have"} the same load; this is the first of them.` : "";
  paragraphs.push([element("b", { class: "letter" }, "A"), ` Before (${before.strategy}), the most loaded link is `, worstText(before), `.${ties}`,
    crossing?.length ? ` Their ranks: ${crossingText(before, crossing)}.` : ""]);
  if (!after) return { title: `The bottleneck is ${linkName}: ${count(worst.messages, "message")}`, paragraphs };
  const now = after.loadOf(worst.link, worst.set), fate = fateOf(before, after);
  const become = [`After (${after.strategy}), that link carries `,
    element("strong", {}, now.messages ? `${count(now.messages, "message")} (${bytes(now.bytes)})` : "nothing"), ` in ${after.setName(worst.set)}.`];
  if (fate) become.push(fateText(fate));
  paragraphs.push(become);
  const ratio = after.worst ? worst.seconds / after.worst.seconds : Infinity;
  if (!after.worst) paragraphs.push(["No message crosses a link after the change."]);
  else {
    const tie = after.worst.ties ? `, as ${digits(after.worst.ties)} other ${after.worst.ties === 1 ? "link does" : "links do"}` : "";
    const verdict = ratio > 1.0000001 ? `${digits(100 * (1 - 1 / ratio))} % less time than before` : ratio < 0.9999999 ? `${digits(100 * (1 / ratio - 1))} % more time than before` : "as much time as before";
    const letter = after.worst.link === worst.link ? "A" : "B";
    paragraphs.push([element("b", { class: "letter" }, letter), " The most loaded link is now ", worstText(after), `${tie} ${DASH} `, element("strong", {}, verdict), "."]);
  }
  const title = !after.worst ? `The bottleneck is gone: no message crosses a link`
    : ratio > 1.0000001 ? `The maximum link load fell from ${loadPair(worst, after.worst)}`
      : ratio < 0.9999999 ? `The maximum link load rose from ${loadPair(worst, after.worst)}`
        : `The maximum link load stays at ${worst.bytes === after.worst.bytes ? `${bytes(worst.bytes)} at once` : `${seconds(worst.seconds)} at its bandwidth`}`;
  return { title, paragraphs, fate };
}

/// The loads before and after. The most loaded link is the one with the longest time. The text gives bytes, except
/// where different bandwidths make bytes and times contradict each other.
function loadPair(before, after) {
  return (before.bytes - after.bytes) * (before.seconds - after.seconds) > 0
    ? `${bytes(before.bytes)} to ${bytes(after.bytes)} at once` : `${seconds(before.seconds)} to ${seconds(after.seconds)} at its bandwidth`;
}

function fateText(fate) {
  const total = fate.crossing.length, parts = [];
  const say = (numbers, one, many) => { if (numbers.length) parts.push(`${numbers.length === total && total > 1 ? (total === 2 ? "both" : `all ${digits(total)}`) : digits(numbers.length)} ${numbers.length === 1 ? one : many}`); };
  say(fate.stay, "still crosses it", "still cross it");
  say(fate.moved, "takes other links", "take other links");
  say(fate.within, "no longer leaves its node", "no longer leave their nodes");
  const shared = fate.stay.length + fate.moved.length === 0 ? ""
    : fate.met > 1 ? `. They now share links with ${fate.met > 2 ? "up to " : ""}${count(fate.met - 1, "other message")}` : ". They now share no link with another message";
  return ` It carried ${count(total, "message")} before: ${listed(parts)}${shared}. Their routes are on average ${digits(fate.hopsBefore, 2)} links long before and ${
    digits(fate.hopsAfter, 2)} after.`;
}

/// Two pairs of bars, before and after: one for the link that was the bottleneck, and one for the most loaded link.
function bottleneckBars(before, after) {
  if (!before.worst || !after) return null;
  const now = after.loadOf(before.worst.link, before.worst.set);
  const same = before.worst.messages * (after.worst?.bytes ?? 0) === (after.worst?.messages ?? 0) * before.worst.bytes;
  const amount = (load) => (same ? load.messages : load.bytes), text = (value) => (same ? digits(value) : bytes(value));
  const none = { messages: 0, bytes: 0 };
  const rows = [[`link A, ${before.setName(before.worst.set)}`, before.worst, now], ["most loaded link", before.worst, after.worst ?? none]];
  const most = Math.max(...rows.flatMap(([, from, to]) => [amount(from), amount(to)]), 1);
  const bar = (role, load) => barRow(role, amount(load) / most, text(amount(load)));
  return element("div", { class: "bars", role: "img", "aria-label": rows.map(([name, from, to]) => `${name}: before ${text(amount(from))}, after ${text(amount(to))}`).join("; ") },
    element("p", { class: "bars-title" }, same ? "messages at once" : "bytes at once"),
    rows.map(([name, from, to]) => element("div", { class: "bar-group" }, element("p", {}, name), bar("before", from), bar("after", to))));
}

/// A table of the messages on link A, one per line, with their routes before and after.
function fateTable(before, after, fate, onclick) {
  if (!fate) return null;
  const { link } = before.worst, shown = fate.crossing.slice(0, MOST_LISTED), more = fate.crossing.length - shown.length;
  const state = (message) => (fate.within.includes(message) ? "stays in its node" : fate.stay.includes(message) ? "still on link A" : "other links");
  const load = (view, message) => {
    const worst = view.worstOnRoute(message);
    return worst ? `${count(worst.messages, "message")}${worst.link === link ? " (link A)" : ""}` : DASH;
  };
  const row = (message) => element("tr", {},
    element("td", {}, element("button", { type: "button", class: "as-link", onclick: () => onclick(message), title: "show its route on the maps" }, `rank ${before.messageText(message)}`)),
    element("td", { class: "number" }, bytes(before.messages.bytes[message])), element("td", {}, state(message)),
    element("td", { class: "number" }, `${digits(before.hops(message))} ${ARROW} ${digits(after.hops(message))}`),
    element("td", { class: "number" }, `${load(before, message)} ${ARROW} ${load(after, message)}`));
  const head = ["message", "size", "after", "links on its route", "most loaded link on its route"];
  return element("details", { open: shown.length <= 6 }, element("summary", {}, `The ${count(fate.crossing.length, "message")} of link A, before ${ARROW} after`),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, head.map((text, i) => element("th", { class: [1, 3, 4].includes(i) ? "number" : null }, text)))),
      element("tbody", {}, shown.map(row)))), more > 0 ? element("p", { class: "note" }, `and ${digits(more)} more`) : null);
}
