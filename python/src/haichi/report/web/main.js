// The page of a report: its header and its comparison.

function showHeader(comparison) {
  const { overall, jobs = [] } = comparison.summary, request = comparison.request ?? {};
  const machine = valueText(request.machine);
  const names = jobs.length === 1 ? jobName(jobs[0]) : count(jobs.length, "job");
  document.title = `${names}, ${machine} ${DASH} placements compared`;
  replace(document.getElementById("title"), `${names}: placements on ${machine}`);
  const done = comparison.cells.filter((cell) => cell.status === "done").length;
  const lines = [element("p", { class: "advice", id: "advice" }, overall?.advice ?? jobs[0]?.advice ?? "")];
  if (jobs.length > 1 && overall?.verdict) lines.push(element("p", {}, `All jobs: ${overall.verdict}.`));
  if (comparison.interrupted) lines.push(element("p", { class: "warning" }, `The comparison was interrupted. It finished ${digits(done)} of ${count(comparison.cells.length, "cell")}.`));
  const failed = comparison.cells.filter((cell) => cell.status === "failed").length;
  if (failed) lines.push(element("p", { class: "warning" }, `${count(failed, "cell")} failed. The end of the page lists them.`));
  replace(document.getElementById("verdict"), lines);
}

async function main() {
  const comparison = JSON.parse(document.getElementById("comparison").textContent), tip = new Tip();
  const app = new App(comparison, document.getElementById("content"), tip);
  showHeader(comparison);
  setUpTheme(() => app.repaint());
  if (app.jobs.length) await app.chooseJob(app.jobs[0]);
  replace(document.getElementById("made"), section("how", "How this report was made", null, troubleTable(comparison), element("details", { open: true }, element("summary", {}, "The request"), requestList(comparison)), objectiveList(comparison)));
  onResize(() => app.resize());
  tip.hideOnMoves();
  document.documentElement.dataset.ready = "yes";
  globalThis.haichiReport = app;
}

main().catch((error) => {
  replace(document.getElementById("content"), element("p", { class: "warning" }, `Cannot draw this page: ${error.message}`));
  throw error;
});
