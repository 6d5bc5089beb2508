/**
 * The report's page: pickers for session, window and policy, the chart of the chosen session and the table beside it. All text from the data goes in as text nodes.
 */

/** @typedef {import("../chart-data.ts").ChartIndex} ChartIndex */
/** @typedef {import("../session-block.ts").SessionBlock} SessionBlock */
/** @typedef {import("../session-block.ts").ChartCell} ChartCell */
/** @typedef {import("../session-block.ts").ChartLine} ChartLine */

(async () => {
  const { byId, make, shortTokens, shortPercent } = chartTheme;
  /** @type {Map<string, Promise<any>>} */
  const known = new Map();

  /** @param {string} base64 */
  const unpack = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  };

  /**
   * The block's content; each is unpacked once. `any`: the page's writer made each block's content.
   * @param {string} id
   * @returns {Promise<any>}
   */
  const read = (id) => {
    const content = known.get(id) ?? unpack(document.getElementById(id)?.textContent ?? "");
    known.set(id, content);
    return content;
  };

  /**
   * Numbers that were written down as differences.
   * @param {readonly number[]} steps
   */
  const sums = (steps) => {
    let total = 0;
    return steps.map((step) => {
      total += step;
      return total;
    });
  };

  /** @type {ChartIndex} */
  const index = await read("chart-index");
  if (index.sessions.length === 0) return;

  /** @param {string} id */
  const picker = (id) => /** @type {HTMLSelectElement} */ (byId(id));
  /** @param {string} id */
  const box = (id) => /** @type {HTMLInputElement} */ (byId(id));
  /** @param {string} id */
  const button = (id) => /** @type {HTMLButtonElement} */ (byId(id));
  const [sessionPicker, windowPicker, policyPicker] = [
    picker("session-picker"),
    picker("window-picker"),
    picker("policy-picker"),
  ];
  const element = byId("chart");
  /** @type {uPlot | null} */
  let plot = null;
  /** Policies that are drawn, until another window is chosen. @type {Set<string>} */
  let shown = new Set();

  const chosen = () => ({
    session: Number(sessionPicker.value),
    window: Number(windowPicker.value),
    policy: Number(policyPicker.value),
  });

  /** @param {number} policy */
  const nameOf = (policy) => index.policies[policy]?.name ?? "";

  /** @param {ChartLine} line */
  const readLine = (line) => ({
    name: nameOf(line.policy),
    colour: index.policies[line.policy]?.colour ?? 0,
    round: index.policies[line.policy]?.round ?? 0,
    isShown: shown.has(nameOf(line.policy)),
    isPicked: line.policy === chosen().policy,
    calls: sums(line.callSteps),
    tokens: sums(line.tokenSteps),
    compacted: new Set(line.compacted),
    overflowed: new Set(line.overflowRuns.flatMap(([from, length]) => Array.from({ length }, (_, at) => from + at))),
    broken: line.broken,
    expired: line.expired,
    triggerTokens: line.triggerTokens,
  });

  const FORMATS = {
    count: (/** @type {number} */ value) => value.toLocaleString("en-US"),
    tokens: shortTokens,
    percent: shortPercent,
    usd: (/** @type {number} */ value) => (value >= 1 || value === 0 ? value.toFixed(2) : value.toFixed(4)),
  };

  /** @param {number | null} value @param {number} figure */
  const figureCell = (value, figure) => {
    const format = FORMATS[index.figures[figure]?.format ?? "count"];
    const cell = make("td", value === null ? "–" : format(value));
    if (value !== null) cell.dataset.v = String(value);
    return cell;
  };

  /** @param {ChartCell} cell */
  const showTable = (cell) => {
    const rows = cell.lines.map((line) => {
      const row = document.createElement("tr");
      const { colour, round, isPicked } = readLine(line);
      if (isPicked) row.className = "picked";
      const name = make("th", "", "name");
      name.setAttribute("scope", "row");
      const swatch = make("span", "", round === 0 ? "swatch" : "swatch dashed");
      swatch.style.color = `var(--colour-${colour})`;
      name.append(swatch, nameOf(line.policy));
      row.append(name);
      if (line.figures.length > 0) row.append(...line.figures.map(figureCell));
      else {
        const why = /** @type {HTMLTableCellElement} */ (make("td", line.why ?? "not applicable", "text soft"));
        why.colSpan = index.figures.length;
        row.append(why);
      }
      return row;
    });
    byId("session-rows").replaceChildren(...rows);
    for (const head of document.querySelectorAll('table[data-name="session"] th')) head.removeAttribute("aria-sort");
  };

  /**
   * @param {Chart} chart
   * @param {ChartCell} cell
   */
  const caption = (chart, cell) => {
    const beyond = chart.lines.flatMap(({ name, isShown, calls, tokens }) => {
      const at = isShown ? tokens.findIndex((size) => size > contextChart.topTokens(chart)) : -1;
      return at < 0
        ? []
        : [
            `${name} leaves the chart at call ${calls[at]} and would reach ${shortTokens(Math.max(...tokens))}; the table counts it as recorded there`,
          ];
    });
    const overhead = `${shortTokens(cell.overheadTokens)} of each prompt is the system prompt and tools.`;
    return box("show-all").checked || beyond.length === 0 ? overhead : `${overhead} Cut off above: ${beyond.join("; ")}.`;
  };

  /** @param {ChartCell} cell */
  const drawChart = (cell) => {
    plot?.destroy();
    plot = null;
    const lines = cell.lines.map(readLine).filter(({ calls }) => calls.length > 0);
    const chart = { windowTokens: cell.windowTokens, budgetTokens: cell.budgetTokens, lines };
    byId("show-all-label").hidden = contextChart.highestTokens(chart) <= contextChart.topTokens(chart);
    byId("chart-note").textContent = caption(chart, cell);
    element.replaceChildren();
    if (lines.length === 0) {
      element.append(make("p", cell.lines[0]?.why ?? "No policy has figures here.", "soft"));
      return;
    }
    plot = contextChart.draw(element, chart, {
      width: element.clientWidth,
      height: chartTheme.heightOf(element),
      showAll: box("show-all").checked,
      onDrawn: (marks) => Object.assign(element.dataset, marks),
      onToggle: (name, isShown) => void (isShown ? shown.add(name) : shown.delete(name)),
    });
    element.setAttribute(
      "aria-label",
      `Prompt size over ${lines[0]?.calls.at(-1)} calls for ${[...shown].join(", ")}; the figures are in the table below`,
    );
  };

  const show = async () => {
    const { session, window } = chosen();
    /** @type {SessionBlock | Error} */
    const block = await read(`session-${session}`).catch((/** @type {Error} */ error) => error);
    // Another one may have been chosen while this one was unpacked.
    if (session !== chosen().session || window !== chosen().window) return;
    button("previous-session").disabled = session === 0;
    button("next-session").disabled = session === index.sessions.length - 1;
    const cell = block instanceof Error ? block : block.cells.find((candidate) => candidate.window === window);
    if (block instanceof Error || cell === undefined || cell instanceof Error) {
      plot?.destroy();
      plot = null;
      const why = block instanceof Error ? block.message : "This session was not replayed in this window.";
      element.replaceChildren(make("p", why, "soft"));
      byId("session-rows").replaceChildren();
      byId("chart-note").textContent = "";
      return;
    }
    showTable(cell);
    drawChart(cell);
  };

  const chooseLines = () => {
    const all = box("show-all-lines").checked;
    const some = index.shown[chosen().window] ?? [];
    shown = new Set(all ? index.policies.map(({ name }) => name) : some.map(nameOf));
    shown.add(nameOf(chosen().policy));
  };

  /** @param {number} session */
  const choose = (session) => {
    sessionPicker.value = String(session);
    return show();
  };

  windowPicker.addEventListener("change", () => {
    policyPicker.value = String(index.picked[chosen().window] ?? 0);
    chooseLines();
    void show();
  });
  policyPicker.addEventListener("change", () => {
    shown.add(nameOf(chosen().policy));
    void show();
  });
  box("show-all-lines").addEventListener("change", () => {
    chooseLines();
    void show();
  });
  for (const each of [sessionPicker, box("show-all")]) each.addEventListener("change", () => void show());
  button("previous-session").addEventListener("click", () => void choose(chosen().session - 1));
  button("next-session").addEventListener("click", () => void choose(chosen().session + 1));
  document.addEventListener("click", ({ target }) => {
    const session = target instanceof Element ? target.closest("button[data-session]")?.getAttribute("data-session") : null;
    if (session === null || session === undefined) return;
    void choose(Number(session));
    byId("charts").scrollIntoView();
  });
  chartTheme.follow(
    element,
    () => plot,
    () => void show(),
  );
  policyPicker.value = String(index.picked[chosen().window] ?? 0);
  chooseLines();
  await choose(index.busiestSession);
})();
