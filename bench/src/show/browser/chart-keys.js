/** Gives the keyboard the pointer's actions in a chart: the call looked at, the compactions, the zoom, and lines hidden and shown. */

// biome-ignore lint/correctness/noUnusedVariables: read by later scripts of the same page
const chartKeys = (() => {
  /** Part of the picture that one step of the zoom leaves (chosen). */
  const ZOOM_RATIO = 0.6;

  /**
   * The entries of the legend as buttons, and the table around them as a group of them.
   * @param {uPlot} plot
   */
  const makeLegend = (plot) => {
    const legend = plot.root.querySelector(".u-legend");
    if (legend === null) return;
    legend.setAttribute("role", "group");
    legend.setAttribute("aria-label", "Lines of the chart");
    for (const part of legend.querySelectorAll("tbody, tr, td")) part.setAttribute("role", "none");
    const heads = [...legend.querySelectorAll("tr > th")];
    heads[0]?.setAttribute("role", "none");
    for (const head of heads.slice(1)) {
      head.setAttribute("role", "button");
      head.setAttribute("tabindex", "0");
      head.addEventListener("keydown", (event) => {
        if (!(event instanceof KeyboardEvent) || (event.key !== "Enter" && event.key !== " ")) return;
        event.preventDefault();
        head.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      });
    }
    showPressed(plot);
  };

  /** Says of each entry whether its line is shown. @param {uPlot} plot */
  const showPressed = (plot) => {
    for (const [index, head] of [...plot.root.querySelectorAll(".u-legend tr > th")].entries())
      if (index > 0) head.setAttribute("aria-pressed", String(plot.series[index]?.show !== false));
  };

  /** @param {uPlot} plot @param {number} at */
  const lookAt = (plot, at) => {
    const call = plot.data[0][at] ?? 0;
    const { min = 0, max = 0 } = plot.scales.x ?? {};
    const size = (max ?? 0) - (min ?? 0);
    if (call < (min ?? 0) || call > (max ?? 0)) plot.setScale("x", { min: call - size / 2, max: call + size / 2 });
    plot.setCursor({ left: plot.valToPos(call, "x"), top: plot.over.clientHeight / 2 });
  };

  /** @param {uPlot} plot @param {number} at @param {number} ratio */
  const zoom = (plot, at, ratio) => {
    const call = plot.data[0][at] ?? 0;
    const { min, max } = plot.scales.x ?? {};
    const half = (((max ?? 0) - (min ?? 0)) * ratio) / 2;
    const [first, last] = [plot.data[0][0] ?? 0, plot.data[0].at(-1) ?? 0];
    plot.setScale("x", { min: Math.max(first, call - half), max: Math.min(last, call + half) });
  };

  /**
   * @typedef {{ describe: (at: number) => string, stops: readonly number[] }} ChartMeaning
   * `stops`: places that Page Up and Page Down go to.
   */

  /**
   * Makes a chart that was drawn usable by keyboard: its legend as buttons, the picture as a slider over its calls.
   * @param {uPlot} plot
   * @param {string} label
   * @param {ChartMeaning} meaning
   */
  const attach = (plot, label, { describe, stops }) => {
    makeLegend(plot);
    const { over } = plot;
    const last = plot.data[0].length - 1;
    let at = 0;
    const say = () => {
      over.setAttribute("aria-valuenow", String(plot.data[0][at] ?? 0));
      over.setAttribute("aria-valuetext", describe(at));
    };
    const attributes = { role: "slider", tabindex: "0", "aria-label": label };
    for (const [name, value] of Object.entries(attributes)) over.setAttribute(name, value);
    over.setAttribute("aria-valuemin", String(plot.data[0][0] ?? 0));
    over.setAttribute("aria-valuemax", String(plot.data[0][last] ?? 0));
    /** @param {number} place */
    const go = (place) => {
      at = Math.min(last, Math.max(0, place));
      lookAt(plot, at);
      say();
    };
    const whole = () => plot.setScale("x", { min: plot.data[0][0] ?? 0, max: plot.data[0][last] ?? 0 });
    /** @type {Readonly<Record<string, () => void>>} */
    const keys = {
      ArrowRight: () => go(at + 1),
      ArrowUp: () => go(at + 1),
      ArrowLeft: () => go(at - 1),
      ArrowDown: () => go(at - 1),
      Home: () => go(0),
      End: () => go(last),
      PageDown: () => go(stops.find((stop) => stop > at) ?? at),
      PageUp: () => go(stops.findLast((stop) => stop < at) ?? at),
      "+": () => zoom(plot, at, ZOOM_RATIO),
      "=": () => zoom(plot, at, ZOOM_RATIO),
      "-": () => zoom(plot, at, 1 / ZOOM_RATIO),
      0: whole,
    };
    over.addEventListener("keydown", (event) => {
      const act = keys[event.key];
      if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    });
    say();
  };

  return { attach, showPressed };
})();
