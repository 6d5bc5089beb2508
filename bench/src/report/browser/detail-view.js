/** Shows each compaction with its effects. All text from the data goes in as text nodes. */

/** @typedef {import("../session-block.ts").PackedCompaction} PackedCompaction */

// biome-ignore lint/correctness/noUnusedVariables: read by report-page.js, a later script of the same page
const detailView = (() => {
  const { byId, make, shortTokens } = chartTheme;
  /** Compactions that are listed at once; the rest comes on demand, so that hundreds do not slow the page down. */
  const LISTED = 60;

  /** @param {number | null} tokens */
  const size = (tokens) => (tokens === null ? "unknown" : shortTokens(tokens));

  /** @param {number} count @param {string} noun */
  const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

  /**
   * Filled when it is opened.
   * @param {HTMLDetailsElement} item
   * @param {PackedCompaction} compaction
   * @param {readonly string[]} texts
   */
  const fill = (item, { messages, done, steps, summary, neededLater, examples }, texts) => {
    const [before, after] = messages;
    const [summarised, dropped, shortened] = done;
    const kept = Math.max(0, before - summarised - dropped);
    const facts = document.createElement("dl");
    /** @param {string} name @param {string} text */
    const fact = (name, text) => facts.append(make("dt", name), make("dd", text));
    fact("Kept", `${counted(kept, "message")} of ${before}; the context then had ${after}`);
    fact("Summarised", summarised === 0 ? "nothing" : counted(summarised, "message"));
    fact("Lost", dropped === 0 ? "no message dropped" : `${counted(dropped, "message")} dropped`);
    fact(
      "Shortened",
      shortened === 0 ? "nothing" : `${counted(shortened, "part")} (results, inputs or reasoning) replaced by a stub`,
    );
    fact("Steps", steps.map((step) => texts[step] ?? "").join("; "));
    fact(
      "Needed later",
      neededLater === 0
        ? "nothing of it"
        : `${counted(neededLater, "passage")} that it removed: each a line that names one of these, and its neighbours`,
    );
    item.append(facts);
    if (examples.length > 0) {
      const list = document.createElement("ul");
      for (const [call, text] of examples) {
        const entry = make("li", "");
        entry.append(make("code", texts[text] ?? ""), `, used at call ${call}`);
        list.append(entry);
      }
      const more = neededLater - examples.length;
      item.append(list, ...(more > 0 ? [make("p", `and ${`${more} more`}`, "soft")] : []));
    }
    if (summary >= 0) item.append(make("p", "The summary begins:"), make("pre", texts[summary] ?? ""));
  };

  /** @param {PackedCompaction} compaction @param {readonly string[]} texts */
  const itemOf = (compaction, texts) => {
    const item = document.createElement("details");
    item.dataset.call = String(compaction.call);
    const head = make("summary", "");
    const [before, after] = compaction.tokens;
    head.append(
      make("b", `Call ${compaction.call}`),
      make("span", `${texts[compaction.reason] ?? ""}, ${size(before)} → ${size(after)} tokens`),
      make("span", compaction.neededLater === 0 ? "" : `needed later: ${compaction.neededLater}`, "needed"),
    );
    item.append(head);
    item.addEventListener("toggle", () => fill(item, compaction, texts), { once: true });
    return item;
  };

  /**
   * Lists the compactions of a row, the first ones at once.
   * @param {readonly PackedCompaction[]} compactions
   * @param {readonly string[]} texts
   */
  const show = (compactions, texts) => {
    const list = byId("compactions");
    list.dataset.total = String(compactions.length);
    list.replaceChildren(...compactions.slice(0, LISTED).map((compaction) => itemOf(compaction, texts)));
    if (compactions.length > LISTED) {
      const more = make("button", `Show all ${compactions.length}`);
      more.id = "all-compactions";
      more.addEventListener("click", () => list.replaceChildren(...compactions.map((compaction) => itemOf(compaction, texts))));
      list.append(more);
    }
    const needed = compactions.reduce((sum, { neededLater }) => sum + neededLater, 0);
    byId("detail-note").textContent =
      compactions.length === 0
        ? "None: the policy did nothing here."
        : `${counted(compactions.length, "compaction")}; later replies needed ${counted(needed, "passage")} that they removed. Open one to see what was kept, summarised, lost and needed later.`;
  };

  /** Opens the compaction before a call. @param {number} call */
  const open = (call) => {
    const list = byId("compactions");
    if (list.querySelector(`details[data-call="${call}"]`) === null)
      list.querySelector("#all-compactions")?.dispatchEvent(new Event("click"));
    const item = list.querySelector(`details[data-call="${call}"]`);
    if (!(item instanceof HTMLDetailsElement)) return;
    item.open = true;
    item.scrollIntoView({ block: "center" });
  };

  return { show, open };
})();
