/**
 * What fills the window of the chosen session, window and policy, and what each compaction did. All text from the data goes in as
 * text nodes.
 */

/** @typedef {import("../detail-data.ts").DetailCell} DetailCell */
/** @typedef {import("../../results.ts").CompactionDetail} CompactionDetail */

// biome-ignore lint/correctness/noUnusedVariables: read by report-page.js, a later script of the same page
const detailView = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const [WIDTH, HEIGHT] = [800, 260];
  const COLOURS = 9;
  /** Kinds beyond so many are drawn as one: more cannot be told apart. */
  const MOST_KINDS = 8;

  /** @param {string} id */
  const byId = (id) => {
    const element = document.getElementById(id);
    if (element === null) throw new Error(`the page has no #${id}`);
    return element;
  };

  /**
   * @param {string} tag
   * @param {string} text
   * @param {string} className
   */
  const make = (tag, text, className = "") => {
    const made = document.createElement(tag);
    made.textContent = text;
    made.className = className;
    return made;
  };

  /** @param {number | null} tokens */
  const size = (tokens) => (tokens === null ? "unknown" : contextChart.shortTokens(tokens));

  /**
   * The largest kinds, and the rest as one.
   * @param {DetailCell["composition"]} composition
   */
  const layersOf = ({ kinds, samples }) => {
    const totals = kinds.map((name, kind) => ({
      name,
      kind,
      total: samples.reduce((sum, { tokens }) => sum + (tokens[kind] ?? 0), 0),
    }));
    const ranked = totals.sort((a, b) => b.total - a.total);
    const rest = ranked.slice(MOST_KINDS).map(({ kind }) => kind);
    const layers = ranked.slice(0, MOST_KINDS).map(({ name, kind }) => ({ name, kinds: [kind] }));
    return rest.length === 0 ? layers : [...layers, { name: "all else", kinds: rest }];
  };

  /** @param {DetailCell["composition"]} composition */
  const drawComposition = (composition) => {
    const element = byId("composition");
    const { samples } = composition;
    if (samples.length < 2) {
      element.replaceChildren(
        make("p", "Too few calls, or too many rows on this page, to draw this; the JSON report has it.", "soft"),
      );
      byId("composition-key").replaceChildren();
      element.dataset.layers = "0";
      return;
    }
    const layers = layersOf(composition);
    const highest = Math.max(...samples.map(({ tokens }) => tokens.reduce((sum, value) => sum + value, 0)), 1);
    const last = samples[samples.length - 1]?.call || 1;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    const base = samples.map(() => 0);
    for (const [index, { name, kinds }] of layers.entries()) {
      const lower = [...base];
      for (const [at, { tokens }] of samples.entries())
        base[at] = (base[at] ?? 0) + kinds.reduce((sum, kind) => sum + (tokens[kind] ?? 0), 0);
      /** @param {readonly number[]} values */
      const edge = (values) =>
        samples.map(({ call }, at) => `${(call / last) * WIDTH} ${HEIGHT - ((values[at] ?? 0) / highest) * HEIGHT}`);
      const area = document.createElementNS(SVG, "path");
      area.setAttribute("d", `M${[...edge(base), ...edge(lower).reverse()].join("L")}Z`);
      area.setAttribute("class", `c${index % COLOURS}`);
      const title = document.createElementNS(SVG, "title");
      title.textContent = name;
      area.append(title);
      svg.append(area);
    }
    element.replaceChildren(svg);
    element.dataset.layers = String(layers.length);
    element.setAttribute(
      "aria-label",
      `What fills the context, up to ${size(highest)} tokens: ${layers.map(({ name }) => name).join(", ")}`,
    );
    const key = layers.map(({ name }, index) => {
      const item = make("span", "", "key");
      item.append(make("span", "●", `dot c${index % COLOURS}`), name);
      return item;
    });
    byId("composition-key").replaceChildren(make("span", `Up to ${size(highest)} tokens over ${last + 1} calls. `), ...key);
  };

  /** @param {CompactionDetail} detail */
  const compactionItem = (detail) => {
    const item = document.createElement("details");
    const head = make("summary", `Call ${detail.call + 1}: `);
    head.append(
      make(
        "span",
        `${detail.reason}, ${size(detail.tokensBefore)} → ${size(detail.tokensAfter)} tokens; needed later: ${detail.neededLater}`,
      ),
    );
    item.append(head);
    const kept = Math.max(0, detail.messagesBefore - detail.summarisedMessages - detail.droppedMessages);
    const facts = [
      `Kept: ${kept} of ${detail.messagesBefore} messages. Summarised: ${detail.summarisedMessages}. Dropped: ${detail.droppedMessages}. Shortened parts: ${detail.shortenedParts}.`,
      `Steps: ${detail.steps.join("; ")}.`,
    ];
    for (const fact of facts) item.append(make("p", fact));
    if (detail.summary !== null) item.append(make("p", "The summary begins:"), make("pre", detail.summary));
    const list = document.createElement("ul");
    for (const { call, text } of detail.examples) list.append(make("li", `${text}, used at call ${call + 1}`));
    item.append(
      make(
        "p",
        detail.neededLater === 0
          ? "Nothing of it was used later."
          : `Lost and needed later, ${detail.neededLater} uses, the first:`,
      ),
    );
    if (detail.examples.length > 0) item.append(list);
    return item;
  };

  /** @param {DetailCell | undefined} cell */
  const show = (cell) => {
    if (cell === undefined) {
      drawComposition({ kinds: [], samples: [] });
      byId("compactions").replaceChildren();
      byId("detail-note").textContent = "This policy was not replayed here.";
      return;
    }
    drawComposition(cell.composition);
    byId("compactions").replaceChildren(...cell.compactions.map(compactionItem));
    const total = cell.compactions.length + cell.left;
    const more = cell.left === 0 ? "" : ` The first ${cell.compactions.length} are listed; the JSON report has all.`;
    byId("detail-note").textContent = `${total} ${total === 1 ? "compaction" : "compactions"}.${more}`;
  };

  return { show };
})();
