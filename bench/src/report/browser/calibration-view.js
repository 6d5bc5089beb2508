/** Prediction errors call by call, and the misses of the upper bound. All text from the data goes in as text nodes. */

/** @typedef {import("../calibration-data.ts").CalibrationData} CalibrationData */
/** @typedef {import("../calibration-data.ts").CalibrationSession} CalibrationSession */

// biome-ignore lint/correctness/noUnusedVariables: read by later scripts of the same page
const calibrationView = (() => {
  const { byId, make, token, axis, wholeNumbers, shortPercent } = chartTheme;
  const { sums } = pageData;
  /** The chart shows this share of the errors unless all are asked for (chosen: the rest would flatten it). */
  const SHOWN_RATIO = 0.98;
  const LEAST_RANGE_PERCENT = 0.5;
  const KIND_WORDS = {
    calm: "",
    first: "first call",
    fell: "unmarked fall",
    "after-cut": "a cut",
    "after-switch": "another model",
    "server-tool": "a tool of the provider",
  };

  /** Reads a method's predictions of a session's calls, in percent of the reported sizes. @param {CalibrationSession} session @param {number} method */
  const errorsOf = (session, method) => {
    const reported = sums(session.reportedSteps);
    const { over, margin } = session.predicted[method] ?? { over: [], margin: null };
    return {
      reported,
      signed: over.map((tokens, call) => (100 * tokens) / (reported[call] ?? 1)),
      upper:
        margin === null ? null : margin.map((tokens, call) => (100 * (tokens + (over[call] ?? 0))) / (reported[call] ?? 1)),
    };
  };

  /** @param {uPlot} plot @param {readonly number[]} calls @param {(call: number) => number} at */
  const drawCrosses = (plot, calls, at) => {
    const { ctx, bbox } = plot;
    const arm = 4 * devicePixelRatio;
    ctx.save();
    ctx.setLineDash([]);
    ctx.lineWidth = 1.75 * devicePixelRatio;
    ctx.strokeStyle = token("--overflow");
    for (const call of calls) {
      const x = plot.valToPos(call + 1, "x", true);
      const y = Math.min(Math.max(plot.valToPos(at(call), "y", true), bbox.top + arm), bbox.top + bbox.height - arm);
      ctx.beginPath();
      ctx.moveTo(x - arm, y - arm);
      ctx.lineTo(x + arm, y + arm);
      ctx.moveTo(x - arm, y + arm);
      ctx.lineTo(x + arm, y - arm);
      ctx.stroke();
    }
    ctx.restore();
  };

  /** @param {uPlot} plot @param {readonly number[]} calls */
  const drawEvents = (plot, calls) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = token("--rule");
    ctx.lineWidth = devicePixelRatio;
    for (const call of calls) {
      const x = Math.round(plot.valToPos(call + 1, "x", true));
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  };

  /** @param {readonly (readonly number[])[]} columns @param {boolean} isWhole @returns {[number, number]} */
  const rangeOf = (columns, isWhole) => {
    const values = columns.flat().sort((a, b) => a - b);
    const cut = isWhole ? 0 : Math.floor((values.length * (1 - SHOWN_RATIO)) / 2);
    const [low, high] = [values[cut] ?? 0, values[values.length - 1 - cut] ?? 0];
    const pad = Math.max((high - low) * 0.08, LEAST_RANGE_PERCENT * 0.1);
    return [Math.min(low - pad, -LEAST_RANGE_PERCENT), Math.max(high + pad, LEAST_RANGE_PERCENT)];
  };

  /**
   * @param {CalibrationData} data
   * @param {{ session: number, method: number, isWhole: boolean }} chosen
   */
  const draw = (data, { session: place, method, isWhole }) => {
    const element = byId("calibration-chart");
    element.replaceChildren();
    const session = data.sessions[place];
    if (session === undefined) return null;
    const all = data.methods.map((_, each) => errorsOf(session, each));
    const own = all[method] ?? { signed: [], upper: null, reported: [] };
    // The first call of a session has nothing before it: it would flatten all others.
    const calls = own.signed.map((_, call) => call + 1).slice(1);
    const misses = (own.upper ?? []).flatMap((margin, call) => (call > 0 && margin < 0 ? [call] : []));
    const events = session.kind.flatMap((kind, call) => (call > 0 && (data.kinds[kind] ?? "calm") !== "calm" ? [call] : []));
    const range = rangeOf([own.signed.slice(1), (own.upper ?? []).slice(1)], isWhole);
    /** @param {number | null} percent */
    const percentText = (percent) => (percent === null ? "–" : `${shortPercent(percent)} %`);
    /** @type {uPlot.Series.Value} */
    const value = (_plot, percent) => percentText(percent);
    const bound =
      own.upper === null
        ? []
        : [
            {
              label: `upper bound of ${data.methods[method]}`,
              stroke: token("--soft-ink"),
              width: 1,
              dash: [4, 3],
              points: { show: false },
              value,
            },
          ];
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: chartTheme.heightOf(element),
        scales: { x: { time: false }, y: { range: () => range } },
        cursor: { y: false, drag: { x: true, y: false } },
        axes: [
          { ...axis(), label: "model call", size: 34, values: wholeNumbers },
          {
            ...axis(),
            label: "predicted − reported (% of the reported)",
            size: 58,
            values: (_plot, ticks) => ticks.map((tick) => String(Number(tick.toPrecision(4)))),
          },
        ],
        series: [
          { label: "call", value: (_plot, call) => (call === null ? "–" : `${call}${wordsBefore(data, session, call - 1)}`) },
          ...data.methods.map((name, each) => ({
            label: name,
            show: each === method,
            stroke: token(`--colour-${1 + (each % 8)}`),
            paths: () => null,
            points: { show: true, size: 5, width: 0, fill: token(`--colour-${1 + (each % 8)}`) },
            value,
          })),
          ...bound,
        ],
        hooks: {
          drawAxes: [(plot) => drawEvents(plot, events)],
          draw: [(plot) => drawCrosses(plot, misses, (call) => own.upper?.[call] ?? 0)],
          setSeries: [chartKeys.showPressed],
        },
      },
      [calls, ...all.map(({ signed }) => signed.slice(1)), ...(own.upper === null ? [] : [own.upper.slice(1)])],
      element,
    );
    chartKeys.attach(plot, "Model call looked at", {
      describe: (at) => `call ${calls[at] ?? 0}: ${data.methods[method]} ${percentText(own.signed[at + 1] ?? null)}`,
      stops: () => misses.map((call) => call - 1),
    });
    Object.assign(element.dataset, { calls: calls.length, misses: misses.length });
    const outside = own.signed.slice(1).filter((percent) => percent < range[0] || percent > range[1]).length;
    byId("calibration-note").textContent =
      `${data.methods[method]}: bound missed at ${misses.length} of ${calls.length} calls.${outside > 0 ? ` Outside the picture: ${outside}.` : ""} The session's first call is left out.`;
    element.setAttribute("aria-label", `Prediction error over ${calls.length} calls of ${session.name}`);
    return plot;
  };

  /** @param {CalibrationData} data @param {CalibrationSession} session @param {number} call */
  const wordsBefore = (data, session, call) => {
    const words = KIND_WORDS[data.kinds[session.kind[call] ?? 0] ?? "calm"];
    return words === "" ? "" : ` (after ${words})`;
  };

  /** @param {CalibrationData} data @param {number} method */
  const showMisses = (data, method) => {
    const missed = data.sessions.flatMap((session) => {
      const { reported, signed, upper } = errorsOf(session, method);
      return (upper ?? []).flatMap((margin, call) =>
        call > 0 && margin < 0 ? [{ session, call, margin, reported: reported[call] ?? 0, signed: signed[call] ?? 0 }] : [],
      );
    });
    const hasBound = data.sessions.some(({ predicted }) => (predicted[method]?.margin ?? null) !== null);
    const rows = missed.map(({ session, call, margin, reported, signed }) => {
      const row = document.createElement("tr");
      const texts = [
        session.name,
        session.models[session.model[call] ?? 0] ?? "",
        KIND_WORDS[data.kinds[session.kind[call] ?? 0] ?? "calm"],
      ];
      row.append(...texts.map((text, place) => make("td", text, place === 0 ? "wide" : "text")));
      const numbers = [call + 1, reported, reported * (1 + signed / 100), reported * (1 + margin / 100)];
      row.append(...numbers.map((number) => make("td", Math.round(number).toLocaleString("en-US"))));
      for (const [at, number] of numbers.entries())
        row.cells[at + texts.length]?.setAttribute("data-v", String(Math.round(number)));
      const above = make("td", shortPercent(-margin));
      above.dataset.v = String(Number((-margin).toPrecision(6)));
      row.append(above);
      return row;
    });
    byId("misses").replaceChildren(...rows);
    const calls = data.sessions.reduce((sum, { kind }) => sum + Math.max(0, kind.length - 1), 0);
    byId("misses-note").textContent = hasBound
      ? `${data.methods[method]}: ${missed.length} of ${calls} calls, without first calls.`
      : `${data.methods[method]} has no upper bound.`;
  };

  /** Fills the section. */
  const start = async () => {
    /** @type {CalibrationData} */
    const data = await pageData.read("calibration-data");
    if (data.sessions.length === 0) return;
    const [sessions, methods] = ["calibration-session", "calibration-method"].map(
      (id) => /** @type {HTMLSelectElement} */ (byId(id)),
    );
    const all = /** @type {HTMLInputElement} */ (byId("calibration-all"));
    if (sessions === undefined || methods === undefined) return;
    /** @type {uPlot | null} */
    let plot = null;
    const redraw = () => {
      plot?.destroy();
      plot = draw(data, { session: Number(sessions.value), method: Number(methods.value), isWhole: all.checked });
    };
    const options = (/** @type {readonly string[]} */ names) => names.map((name, place) => new Option(name, String(place)));
    sessions.append(...options(data.sessions.map(({ name }) => name)));
    methods.append(...options(data.methods));
    methods.value = String(data.methods.length - 1);
    const longest = data.sessions.reduce(
      (best, { kind }, place) => (kind.length > (data.sessions[best]?.kind.length ?? 0) ? place : best),
      0,
    );
    sessions.value = String(longest);
    for (const each of [sessions, all]) each.addEventListener("change", redraw);
    methods.addEventListener("change", () => {
      redraw();
      showMisses(data, Number(methods.value));
    });
    chartTheme.follow(byId("calibration-chart"), () => plot, redraw);
    redraw();
    showMisses(data, Number(methods.value));
  };

  return { start };
})();
