import type { ValidatedFigures } from "../metrics/validated.ts";
import { VALIDATED } from "../metrics/validated-figures.ts";

/** Measures on pages that were never validated: by their names there. */
const NEVER_ASKED = ["instructions", "plan"];

/** Which measures are shown to predict something, and which are not, as sentences for every page that shows them. */
export function validatedWords({ date, sessions, owners, predictions }: ValidatedFigures = VALIDATED): string {
  const measures = [...new Set(predictions.map(({ measure }) => measure))];
  const shown = predictions.filter(({ verdict }) => verdict === "predicts");
  const others = measures.filter((measure) => !shown.some((each) => each.measure === measure));
  const said = shown.map(({ measure, outcome }) => `${measure} (${outcome})`).join(", ");
  const lead = shown.length === 0 ? "No measure here is shown to predict anything." : `Shown to predict: ${said}.`;
  const not =
    others.length === 0 ? "" : ` Looked at, and not shown to predict a second reading or a failed edit: ${others.join(", ")}.`;
  return `${lead}${not} Never asked: ${NEVER_ASKED.join(", ")}. (plimsoll validate, ${date}: ${sessions} recorded sessions of ${owners} projects.)`;
}
