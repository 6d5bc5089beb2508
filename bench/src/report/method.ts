import { PRICES_AS_OF } from "@plimsoll/providers";
import type { BenchReport } from "../results.ts";
import { foldedSection } from "./folded-section.ts";
import { html, type Markup } from "./markup.ts";
import { modelSummaryNote } from "./model-summaries.ts";

/** Who wrote the summaries. */
function summariesText(report: BenchReport): string {
  const digest = "A digest has no sentence of its own and one size for all policies.";
  const note = modelSummaryNote(report) ?? "No policy asked for one by a model.";
  switch (report.summarizer) {
    case "digest":
      return `Written by a deterministic digest, not by a model. ${digest} ${note}`;
    case "recorded":
      return `A policy that pays for a model's summary is scored with the recorded agent's own if there is one at a comparable place (docs/evidence.md), with a digest of what came after it; else with a digest. ${digest} ${note}`;
    default:
      return `Written by ${report.summarizer}, and charged what its requests took. ${note}`;
  }
}

/** How the figures were made and what they do not say. */
export function methodSection(report: BenchReport): Markup {
  const content = html`<dl>
<dt>Replay</dt><dd>The production engine is driven over each session's full recorded history, call by call. Every policy ignores the recorded agent's own compactions, but for
<code>recorded</code>, which applies them alone; <code>none</code> never edits. A request above the window is rejected as a provider would, so that recovery runs and is counted.</dd>
<dt>Open loop</dt><dd>Recorded replies do not react to what was compacted. The figures say size, cost, safety and retention; they do not say whether the task would have succeeded.</dd>
<dt>Window</dt><dd>Working room is the window's size above the session's overhead (system text and tools). A session whose overhead takes more than half of the window is left out.</dd>
<dt>Prompt sizes</dt><dd>What a request would have measured comes from a size model fitted to the recorded usage; it shares nothing with the engine's estimators. Sessions without usage run on estimates and say so.</dd>
<dt>Summaries</dt><dd>${summariesText(report)}</dd>
<dt>Cost</dt><dd>Requests are charged at the state of their prompt cache (longest common beginning, shortest cached prompt, time to live from the recorded times), replies as recorded, and each summary as a request at its cache state with a fixed reply. Prices are those of each call's day, of ${PRICES_AS_OF} if its log tells none, unless the run had its own. A session that overflows for good is charged as recorded.</dd>
<dt>Recall</dt><dd>The share of references (paths, identifiers, numbers, hashes, URLs, flags, quoted errors) in recorded replies that had appeared before and are readable in the context that the policy sends at that very call.</dd>
<dt>Evidence</dt><dd>The share for which a line that stated the reference is readable; source evidence asks for the latest line of a person's message or a tool's result. A string that survives is the most a model could recall, not what it will.</dd>
<dt>Versions</dt><dd>Plimsoll ${report.plimsollVersion}, reference extractor ${report.referencesVersion}, report format ${report.formatVersion}.</dd>
</dl>`;
  return foldedSection("method", "Method and limits", content);
}
