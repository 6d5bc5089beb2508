import type { ValidatedFigures } from "../metrics/validated.ts";
import { VALIDATED } from "../metrics/validated-figures.ts";

/** Measures on pages that were never validated: by their names there. */
const NEVER_ASKED = ["instructions", "plan"];

/** Findings on public data, by a protocol that was written first (docs/evidence.md, 26 November 2026). */
const PUBLIC_EVIDENCE =
  "On public data (docs/evidence.md): where a chat still had a passage after its compaction, a question about it was answered right more often (passages, area 0.71 [0.68, 0.75]); in SWE-agent, edits of lines that are gone from the context fail more often (× 1.86 [1.54, 2.19]), and files that are gone are read again more often (× 1.74 [1.05, 2.77]); no measure predicts that a run fails (passages 0.49 [0.44, 0.53]).";

/** Which measures are shown to predict something, and which are not, as sentences for every page that shows them. */
export function validatedWords({ date, sessions, owners, predictions }: ValidatedFigures = VALIDATED): string {
  const measures = [...new Set(predictions.map(({ measure }) => measure))];
  const shown = predictions.filter(({ verdict }) => verdict === "predicts");
  const others = measures.filter((measure) => !shown.some((each) => each.measure === measure));
  const said = shown.map(({ measure, outcome }) => `${measure} (${outcome})`).join(", ");
  const lead =
    shown.length === 0
      ? "In recorded sessions no measure is shown to predict a second reading or a failed edit."
      : `Shown to predict: ${said}.`;
  const not = others.length === 0 ? "" : ` Looked at, and not shown to predict either: ${others.join(", ")}.`;
  return `${lead}${not} ${PUBLIC_EVIDENCE} Never asked: ${NEVER_ASKED.join(", ")}. (pnpm validate, ${date}: ${sessions} recorded sessions of ${owners} projects.)`;
}
