/**
 * The report's page: pickers for session and window, the chart, and the table of the chosen chart. All text from the data goes in as
 * text nodes.
 */

/** @typedef {import("../chart-data.ts").ChartData} ChartData */
/** @typedef {import("../chart-data.ts").ChartCell} ChartCell */
/** @typedef {import("../chart-data.ts").ChartLine} ChartLine */

(() => {
  /** @param {string} id */
  const byId = (id) => {
    const element = document.getElementById(id);
    if (element === null) throw new Error(`the page has no #${id}`);
    return element;
  };
  /** @type {ChartData} */
  const data = JSON.parse(byId("chart-data").textContent ?? "{}");
  if (data.cells.length === 0) return;

  const sessionPicker = /** @type {HTMLSelectElement} */ (byId("session-picker"));
  const windowPicker = /** @type {HTMLSelectElement} */ (byId("window-picker"));
  const policyPicker = /** @type {HTMLSelectElement} */ (byId("policy-picker"));
  const showAllBox = /** @type {HTMLInputElement} */ (byId("show-all"));
  const previousButton = /** @type {HTMLButtonElement} */ (byId("previous-session"));
  const nextButton = /** @type {HTMLButtonElement} */ (byId("next-session"));
  const element = byId("chart");
  /** @type {uPlot | null} */
  let plot = null;

  /** @param {readonly number[]} steps */
  const sums = (steps) => {
    let total = 0;
    return steps.map((step) => {
      total += step;
      return total;
    });
  };

  /** @param {ChartLine} line */
  const readLine = (line) => ({
    name: data.policies[line.policy]?.name ?? "",
    colour: data.policies[line.policy]?.colour ?? 0,
    round: data.policies[line.policy]?.round ?? 0,
    calls: sums(line.callSteps),
    tokens: sums(line.tokenSteps),
    compacted: new Set(line.compacted),
    overflowed: new Set(line.overflowRuns.flatMap(([from, length]) => Array.from({ length }, (_, index) => from + index))),
  });

  /**
   * @param {string} tag
   * @param {string} text
   * @param {string} className
   */
  const make = (tag, text, className) => {
    const made = document.createElement(tag);
    made.textContent = text;
    made.className = className;
    return made;
  };

  /** @param {ChartCell} cell */
  const showTable = (cell) => {
    const head = document.createElement("tr");
    head.append(make("th", "policy", "name"), ...data.figureNames.map((name) => make("th", name, "wrapped")));
    const rows = cell.lines.map((line) => {
      const row = document.createElement("tr");
      const name = make("td", "", "name");
      const { colour, round } = readLine(line);
      const swatch = make("span", "", round === 0 ? "swatch" : "swatch dashed");
      swatch.style.color = `var(--colour-${colour})`;
      name.append(swatch, data.policies[line.policy]?.name ?? "");
      row.append(name);
      if (line.figures.length > 0) row.append(...line.figures.map((figure) => make("td", figure, "")));
      else {
        const why = /** @type {HTMLTableCellElement} */ (make("td", line.why ?? "not applicable", "text soft"));
        why.colSpan = data.figureNames.length;
        row.append(why);
      }
      return row;
    });
    byId("cell-head").replaceChildren(head);
    byId("cell-rows").replaceChildren(...rows);
  };

  /**
   * @param {Chart} chart
   * @param {ChartCell} cell
   */
  const caption = (chart, cell) => {
    const beyond = chart.lines.flatMap(({ name, calls, tokens }) => {
      const index = tokens.findIndex((size) => size > contextChart.topTokens(chart));
      return index < 0
        ? []
        : [`${name} leaves the chart at call ${calls[index]} and would reach ${contextChart.shortTokens(Math.max(...tokens))}`];
    });
    const overhead = `${contextChart.shortTokens(cell.overheadTokens)} of each prompt is overhead (system text and tools).`;
    return showAllBox.checked || beyond.length === 0 ? overhead : `${overhead} Cut off above: ${beyond.join("; ")}.`;
  };

  const showDetails = () => {
    const [session, window, policy] = [sessionPicker, windowPicker, policyPicker].map(({ value }) => Number(value));
    detailView.show(data.details.find((cell) => cell.session === session && cell.window === window && cell.policy === policy));
  };

  const show = () => {
    showDetails();
    const session = Number(sessionPicker.value);
    const cell = data.cells.find(
      (candidate) => candidate.session === session && candidate.window === Number(windowPicker.value),
    );
    plot?.destroy();
    plot = null;
    previousButton.disabled = session === 0;
    nextButton.disabled = session === data.sessions.length - 1;
    if (cell === undefined) {
      element.replaceChildren(make("p", "This session was not replayed in this window.", "soft"));
      byId("cell-rows").replaceChildren();
      byId("chart-note").textContent = "";
      return;
    }
    const lines = cell.lines.map(readLine);
    const chart = {
      windowTokens: cell.windowTokens,
      budgetTokens: cell.budgetTokens,
      lines: lines.filter(({ calls }) => calls.length > 0),
    };
    const isClipped = contextChart.highestTokens(chart) > contextChart.topTokens(chart);
    byId("show-all-label").hidden = !isClipped;
    showTable(cell);
    byId("chart-note").textContent = caption(chart, cell);
    element.replaceChildren();
    if (chart.lines.length === 0) {
      element.append(make("p", cell.lines[0]?.why ?? "No policy has figures here.", "soft"));
      return;
    }
    plot = contextChart.draw(element, chart, {
      width: element.clientWidth,
      height: chartHeight(),
      showAll: showAllBox.checked,
      onDrawn: (marks) =>
        Object.assign(element.dataset, { lines: marks.lines, compactions: marks.compactions, overflows: marks.overflows }),
    });
    element.setAttribute(
      "aria-label",
      `Prompt size over ${chart.lines[0]?.calls.at(-1)} calls for ${chart.lines.map(({ name }) => name).join(", ")}; the figures are in the table below`,
    );
  };

  const chartHeight = () => (element.clientWidth < 640 ? 300 : 400);

  /** The session in which most was compacted: the one to look at first. */
  const busiestSession = () => {
    const compactions = data.sessions.map(() => 0);
    for (const { session, lines } of data.cells) {
      compactions[session] = lines.reduce((sum, line) => sum + line.compacted.length, compactions[session] ?? 0);
    }
    return compactions.indexOf(Math.max(...compactions));
  };

  /** @param {number} session */
  const choose = (session) => {
    sessionPicker.value = String(session);
    show();
  };

  policyPicker.append(
    ...data.policies.map(({ name }, index) => {
      const option = /** @type {HTMLOptionElement} */ (make("option", name, ""));
      option.value = String(index);
      return option;
    }),
  );
  // The last policy that acted is what a reader came for.
  policyPicker.value = String(
    Math.max(0, ...data.details.filter((cell) => cell.compactions.length > 0).map(({ policy }) => policy)),
  );

  policyPicker.addEventListener("change", showDetails);
  sessionPicker.addEventListener("change", show);
  windowPicker.addEventListener("change", show);
  showAllBox.addEventListener("change", show);
  previousButton.addEventListener("click", () => choose(Number(sessionPicker.value) - 1));
  nextButton.addEventListener("click", () => choose(Number(sessionPicker.value) + 1));
  for (const button of document.querySelectorAll("button[data-session]")) {
    button.addEventListener("click", () => {
      choose(Number(button.getAttribute("data-session")));
      byId("charts").scrollIntoView();
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  new ResizeObserver(() => {
    if (plot !== null && plot.width !== element.clientWidth)
      plot.setSize({ width: element.clientWidth, height: chartHeight() });
  }).observe(element);
  choose(busiestSession());
})();
