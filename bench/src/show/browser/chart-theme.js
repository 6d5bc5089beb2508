/** The charts share these: colours from the page's style, numbers as they are written, small elements. */

// biome-ignore lint/correctness/noUnusedVariables: read by later scripts of the same page
const chartTheme = (() => {
  const FONT = "12px system-ui, sans-serif";

  /** A colour of the page's style, which follows the light or dark scheme. @param {string} name */
  const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /** @param {number} tokens */
  const shortTokens = (tokens) => {
    if (Math.abs(tokens) < 1_000) return String(Math.round(tokens));
    if (Math.abs(tokens) < 999_500) return `${Number((tokens / 1_000).toPrecision(3))}k`;
    return `${Number((tokens / 1_000_000).toPrecision(3))}M`;
  };

  /** @param {number} percent */
  const shortPercent = (percent) => {
    const size = Math.abs(percent);
    return `${percent < 0 ? "−" : ""}${size.toFixed(size < 0.1 && size > 0 ? 3 : size < 1 ? 2 : 1)}`;
  };

  /** An axis in the page's colours. */
  const axis = () => ({
    stroke: token("--soft-ink"),
    grid: { stroke: token("--grid"), width: 1 },
    ticks: { stroke: token("--rule"), width: 1, size: 5 },
    font: FONT,
    labelFont: FONT,
    labelSize: 22,
  });

  /** @param {uPlot} _plot @param {number[]} ticks */
  const wholeNumbers = (_plot, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? String(tick) : ""));

  /** @param {HTMLElement} element */
  const heightOf = (element) => (element.clientWidth < 640 ? 300 : 400);

  /** @param {string} id */
  const byId = (id) => {
    const element = document.getElementById(id);
    if (element === null) throw new Error(`the page has no #${id}`);
    return element;
  };

  /**
   * An element with a text, which is never markup.
   * @param {string} tag
   * @param {string} text
   * @param {string} className
   */
  const make = (tag, text, className = "") => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className !== "") made.className = className;
    return made;
  };

  /**
   * Redraws when the scheme changes; resizes with the page. `plotOf` gives the present drawing.
   * @param {HTMLElement} element
   * @param {() => uPlot | null} plotOf
   * @param {() => void} redraw
   */
  const follow = (element, plotOf, redraw) => {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    new ResizeObserver(() => {
      const plot = plotOf();
      if (plot !== null && plot.width !== element.clientWidth)
        plot.setSize({ width: element.clientWidth, height: heightOf(element) });
    }).observe(element);
  };

  return { token, shortTokens, shortPercent, axis, wholeNumbers, heightOf, byId, make, follow };
})();
