/** Draws context size over calls. Runs in the report's page after uPlot and chart-theme.js, and before report-page.js, which calls it. */

/**
 * `isPicked`: the line that is looked at; its trigger and the misses of its prompt cache are drawn, too.
 * @typedef {{ name: string, colour: number, round: number, isShown: boolean, isPicked: boolean, calls: number[], tokens: number[],
 *   compacted: Set<number>, overflowed: Set<number>, broken: readonly (readonly [number, number])[],
 *   expired: readonly (readonly [number, number])[], triggerTokens: number | null }} Line
 */
/** @typedef {{ windowTokens: number, budgetTokens: number, lines: Line[] }} Chart */
/** @typedef {{ compactions: number, overflows: number, lines: number, misses: number }} DrawnMarks */

// biome-ignore lint/correctness/noUnusedVariables: read by report-page.js, a later script of the same page
const contextChart = (() => {
  /** How far above the window the chart reaches before lines are cut off (chosen: room for the two limits and their labels). */
  const HEADROOM_RATIO = 1.18;
  /** Crosses closer than this are drawn as one (chosen: they would run into each other). */
  const CROSS_SPACING_PIXELS = 9;

  /** Rings of a line with more of them are drawn smaller (chosen: they would hide it). */
  const MOST_RINGS = 40;

  /** Dashes of lines whose colour another line has too: none in the first round. */
  const DASHES = [[], [7, 3], [2, 3]];
  /** The ground behind a label lets lines shine through (chosen). */
  const LABEL_OPACITY = 0.85;

  const { token, shortTokens, axis, wholeNumbers } = chartTheme;

  /** @param {Chart} chart */
  function highestTokens(chart) {
    const shown = chart.lines.filter(({ isShown }) => isShown);
    return shown.reduce((highest, { tokens }) => tokens.reduce((most, value) => Math.max(most, value), highest), 0);
  }

  /**
   * The size above which lines are cut off unless all is shown.
   * @param {Chart} chart
   */
  function topTokens(chart) {
    return chart.windowTokens * HEADROOM_RATIO;
  }

  /**
   * @param {Chart} chart
   * @param {boolean} showAll
   * @returns {[number, number]}
   */
  function tokenRange(chart, showAll) {
    const highest = highestTokens(chart);
    const limit = topTokens(chart);
    // Where a session stays far below its window, the budget line is kept out, so that the lines can be read.
    if (highest < chart.budgetTokens * 0.3) return [0, highest * 1.1 || 1];
    return [0, showAll ? Math.max(limit, highest * 1.05) : limit];
  }

  /**
   * A line, and its label above it and above that of the line below it (`labelTop`). Returns its own label's top.
   * @param {uPlot} plot
   * @param {{ tokens: number, text: string, short?: string, colour: string, dash: number[] }} limit
   * @param {number} labelTop
   */
  function drawLimit(plot, { tokens, text: whole, short, colour, dash }, labelTop) {
    const { ctx, bbox } = plot;
    const y = Math.round(plot.valToPos(tokens, "y", true));
    if (y < bbox.top || y > bbox.top + bbox.height) return labelTop;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = colour;
    ctx.fillStyle = colour;
    ctx.lineWidth = 1.25 * ratio;
    ctx.setLineDash(dash.map((part) => part * ratio));
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    // Behind all that is drawn, labels of lines below it too.
    ctx.globalCompositeOperation = "destination-over";
    ctx.stroke();
    ctx.globalCompositeOperation = "source-over";
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "right";
    ctx.textBaseline = "bottom";
    const x = bbox.left + bbox.width - 6 * ratio;
    const bottom = Math.min(y - 2 * ratio, labelTop);
    const top = bottom - 15 * ratio;
    // Beyond the plot it would lie on the axis.
    const text = ctx.measureText(whole).width > bbox.width - 12 * ratio ? (short ?? whole) : whole;
    const width = ctx.measureText(text).width;
    const ink = ctx.fillStyle;
    ctx.fillStyle = token("--paper");
    ctx.globalAlpha = LABEL_OPACITY;
    ctx.fillRect(x - width - 2 * ratio, top, width + 4 * ratio, 15 * ratio);
    ctx.globalAlpha = 1;
    ctx.fillStyle = ink;
    ctx.fillText(text, x, bottom - ratio);
    ctx.restore();
    return top;
  }

  /**
   * Marks of one line: rings where a compaction happened, crosses where a request overflowed. Marks above the chart are drawn at its upper edge.
   * @param {uPlot} plot
   * @param {Line} line
   */
  function drawMarks(plot, line) {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    let crossEnd = Number.NEGATIVE_INFINITY;
    let overflows = 0;
    const radius = line.compacted.size > MOST_RINGS ? 2.5 : 4;
    ctx.save();
    ctx.lineWidth = 1.75 * ratio;
    // A dashed line drawn before leaves its dashes behind.
    ctx.setLineDash([]);
    for (const [index, call] of line.calls.entries()) {
      const x = plot.valToPos(call, "x", true);
      const y = Math.max(plot.valToPos(line.tokens[index] ?? 0, "y", true), bbox.top + 7 * ratio);
      if (line.overflowed.has(index) && x >= crossEnd) {
        const arm = 3.5 * ratio;
        ctx.strokeStyle = token("--overflow");
        ctx.beginPath();
        ctx.moveTo(x - arm, y - arm);
        ctx.lineTo(x + arm, y + arm);
        ctx.moveTo(x - arm, y + arm);
        ctx.lineTo(x + arm, y - arm);
        ctx.stroke();
        crossEnd = x + CROSS_SPACING_PIXELS * ratio;
        overflows += 1;
      }
      if (line.compacted.has(index)) {
        ctx.strokeStyle = token(`--colour-${line.colour}`);
        ctx.fillStyle = token("--paper");
        ctx.beginPath();
        ctx.arc(x, y, radius * ratio, 0, 2 * Math.PI);
        ctx.fill();
        ctx.stroke();
      }
    }
    ctx.restore();
    return { compactions: line.compacted.size, overflows };
  }

  /**
   * Triangles at the lower edge where the line's prompt cache was broken (filled) or had expired.
   * @param {uPlot} plot
   * @param {Line} line
   */
  function drawMisses(plot, { colour, broken, expired }) {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    const [base, half] = [bbox.top + bbox.height - 2 * ratio, 3.5 * ratio];
    ctx.save();
    ctx.setLineDash([]);
    ctx.strokeStyle = token(`--colour-${colour}`);
    ctx.fillStyle = token(`--colour-${colour}`);
    /** @param {number} call */
    const triangle = (call) => {
      const x = plot.valToPos(call, "x", true);
      ctx.beginPath();
      ctx.moveTo(x - half, base - 2 * half);
      ctx.lineTo(x + half, base - 2 * half);
      ctx.lineTo(x, base);
      ctx.closePath();
    };
    for (const [call] of broken) {
      triangle(call);
      ctx.fill();
    }
    for (const [call] of expired) {
      triangle(call);
      ctx.stroke();
    }
    ctx.restore();
    return broken.length + expired.length;
  }

  /**
   * Draws the chart into the element and returns the plot, so that it can be resized or destroyed. `onDrawn` receives the drawn marks.
   * @param {HTMLElement} element
   * @param {Chart} chart
   * @param {{ width: number, height: number, showAll: boolean, onDrawn: (marks: DrawnMarks) => void,
   *   onToggle: (name: string, isShown: boolean) => void }} options
   */
  function draw(element, chart, { width, height, showAll, onDrawn, onToggle }) {
    const data = uPlot.join(chart.lines.map((line) => [line.calls, line.tokens]));
    const [calls] = data;
    const drawn = chart.lines.filter((line) => line.calls.length > 0 && line.isShown);
    /** @param {uPlot} plot */
    const drawAll = (plot) => {
      const { windowTokens, budgetTokens } = chart;
      /** @type {Parameters<typeof drawLimit>[1][]} */
      const limits = [
        {
          tokens: budgetTokens,
          text: `window less the reply ${shortTokens(budgetTokens)}`,
          colour: token("--budget"),
          dash: [7, 4],
        },
        {
          tokens: windowTokens,
          text: `context window ${shortTokens(windowTokens)}`,
          colour: token("--soft-ink"),
          dash: [2, 4],
        },
      ];
      const picked = chart.lines.find(({ isPicked }) => isPicked);
      if (picked?.triggerTokens != null) {
        const text = `${picked.name} compacts at ${shortTokens(picked.triggerTokens)} at the latest`;
        const short = `compacts at ${shortTokens(picked.triggerTokens)}`;
        limits.push({ tokens: picked.triggerTokens, text, short, colour: token(`--colour-${picked.colour}`), dash: [2, 3] });
      }
      const misses = picked === undefined ? 0 : drawMisses(plot, picked);
      const marks = { compactions: 0, overflows: 0, lines: drawn.length, misses };
      for (const [index, line] of chart.lines.entries()) {
        if (plot.series[index + 1]?.show === false) continue;
        const { compactions, overflows } = drawMarks(plot, line);
        marks.compactions += compactions;
        marks.overflows += overflows;
      }
      // Their labels lie on the marks, not below them.
      limits.sort((a, b) => a.tokens - b.tokens).reduce((top, limit) => drawLimit(plot, limit, top), Number.POSITIVE_INFINITY);
      onDrawn(marks);
    };
    const plot = new uPlot(
      {
        width,
        height,
        scales: { x: { time: false }, y: { range: () => tokenRange(chart, showAll) } },
        cursor: { y: false, drag: { x: true, y: false }, hover: { skip: [] } },
        axes: [
          {
            ...axis(),
            label: "model call",
            size: 34,
            values: wholeNumbers,
          },
          { ...axis(), label: "prompt size (tokens)", size: 58, values: (_plot, ticks) => ticks.map(shortTokens) },
        ],
        series: [
          { label: "call", value: (_plot, call) => (call === null ? "–" : String(call)) },
          ...chart.lines.map((line) => ({
            label: line.name,
            stroke: token(`--colour-${line.colour}`),
            show: line.isShown,
            width: line.isPicked ? 2.5 : 1.5,
            dash: DASHES[line.round % DASHES.length] ?? [],
            spanGaps: true,
            points: { show: calls.length < 3 },
            /** @type {uPlot.Series.Value} */
            value: (_plot, tokens) => (tokens == null ? "–" : shortTokens(tokens)),
          })),
        ],
        hooks: {
          draw: [drawAll],
          setSeries: [
            (plot, index) => {
              const line = index === null ? undefined : chart.lines[index - 1];
              if (line !== undefined) onToggle(line.name, plot.series[index ?? 0]?.show !== false);
              chartKeys.showPressed(plot);
            },
          ],
        },
      },
      data,
      element,
    );
    const picked = chart.lines.find(({ isPicked }) => isPicked);
    const stops = [...(picked?.compacted ?? [])].map((at) => calls.indexOf(picked?.calls[at] ?? -1));
    chartKeys.attach(plot, "Model call looked at", {
      describe: (at) => describeCall(drawn, calls[at] ?? 0),
      stops,
    });
    return plot;
  }

  /** A call in words: every line's size there, and the events right before it. @param {readonly Line[]} lines @param {number} call */
  function describeCall(lines, call) {
    const parts = lines.flatMap((line) => {
      const at = line.calls.indexOf(call);
      if (at < 0) return [];
      const what = line.compacted.has(at) ? ", compacted" : line.overflowed.has(at) ? ", above the window" : "";
      return [`${line.name} ${shortTokens(line.tokens[at] ?? 0)}${what}`];
    });
    return `call ${call}: ${parts.join("; ")}`;
  }

  return { draw, highestTokens, topTokens };
})();
