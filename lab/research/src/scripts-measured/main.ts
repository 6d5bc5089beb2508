import { byEstimator, errorsOf, type PredictedCall, signedPercentOf } from "@plimsoll/bench/extend";
import { CHAR_CLASSES, countClasses } from "@plimsoll/core/extend";
import { modelPriors } from "@plimsoll/providers";
import { markdownTable } from "../calibrate/page-tables.ts";
import { sessionIn } from "./made-sessions.ts";
import { HOSTILE, PROSE } from "./texts.ts";
import { type PublishedTokenizer, publishedTokenizers } from "./tokenizers.ts";

/**
 * Measures scripts that no recorded session has: made sessions whose reports are the counts of published tokenizers. Prints the first-call error by
 * script, the calls after it, and the weight of single classes of characters.
 */

/** Characters that are pasted; chosen: an agent's own limit of a result is mostly above it. */
const PASTED_CHARS = 20_000;

const tokenizers = await publishedTokenizers();
const text = [
  "First call, error of what is expected in percent, and whether the bound holds:",
  "",
  ...scriptTable(firstCall),
  "Calls 2 to 12, mean error in percent, and calls at or under the bound:",
  "",
  ...scriptTable(laterCalls),
  "Texts of one kind, 2,000 characters and more: tokens expected at a first call, over tokens counted:",
  "",
  ...hostileTable(),
  "The same, 20,000 characters of it, pasted into the last question of an English session: error of that call's expected size in percent, and whether the bound holds:",
  "",
  ...pastedTable(),
].join("\n");
process.stdout.write(`${text}\n`);

function scriptTable(cell: (sentences: readonly string[], tokenizer: PublishedTokenizer) => string): readonly string[] {
  const rows = Object.entries(PROSE).map(([script, sentences]) => [script, ...tokenizers.map((one) => cell(sentences, one))]);
  return markdownTable(["", ...tokenizers.map(({ vendor, modelId }) => `${vendor}, ${modelId}`)], rows);
}

function callsOf(sentences: readonly string[], tokenizer: PublishedTokenizer, pasted = "") {
  return byEstimator({ kind: "ledger" }, { priors: modelPriors })(sessionIn(sentences, tokenizer, pasted));
}

function firstCall(sentences: readonly string[], tokenizer: PublishedTokenizer): string {
  return errorAndBound(callsOf(sentences, tokenizer)[0]);
}

function errorAndBound(call: PredictedCall | undefined): string {
  if (call === undefined) return "–";
  const holds = call.reportedTokens <= call.prediction.upperTokens;
  return `${signedPercentOf(call).toFixed(1)}, ${holds ? "holds" : "above"}`;
}

function laterCalls(sentences: readonly string[], tokenizer: PublishedTokenizer): string {
  const later = callsOf(sentences, tokenizer).slice(1);
  const { mapePercent, coverageRatio, calls } = errorsOf(later);
  return `${(mapePercent ?? 0).toFixed(2)}, ${Math.round((coverageRatio ?? 0) * calls)} of ${calls}`;
}

function hostileTable(): readonly string[] {
  const rows = Object.entries(HOSTILE).map(([name, hostile]) => [
    name,
    ...tokenizers.map(({ modelId, count }) => (expectedTokens(hostile, modelId) / count(hostile)).toFixed(2)),
  ]);
  return markdownTable(["", ...tokenizers.map(({ vendor }) => vendor)], rows);
}

function pastedTable(): readonly string[] {
  const english = PROSE.English ?? [];
  const rows = Object.entries(HOSTILE).map(([name, hostile]) => {
    const pasted = hostile.repeat(Math.ceil(PASTED_CHARS / hostile.length)).slice(0, PASTED_CHARS);
    return [name, ...tokenizers.map((one) => errorAndBound(callsOf(english, one, pasted).at(-1)))];
  });
  return markdownTable(["", ...tokenizers.map(({ vendor }) => vendor)], rows);
}

/** Predicts the size of a text alone with a model that has not reported yet. */
function expectedTokens(text: string, modelId: string): number {
  const { weights, slopeRatio } = modelPriors(modelId);
  const counts = CHAR_CLASSES.map(() => 0);
  countClasses(text, counts);
  return slopeRatio * counts.reduce((sum, count, index) => sum + count * (weights[index] ?? 0), 0);
}
