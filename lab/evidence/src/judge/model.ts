import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { PlimsollError } from "@plimsoll/core";
import { z } from "zod";

/** A model that tells how likely a text is, token by token. */
export interface TokenModel {
  readonly name: string;
  /** Tokens that it can read at once. */
  readonly contextTokens: number;
  tokensOf(text: string): readonly number[];
  textOf(tokens: readonly number[]): string;
  /** The probability of each scored token, given the prompt and the scored tokens before it; 0 if the model underflows. */
  probabilities(prompt: readonly number[], scored: readonly number[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** A probability below this counts as this: 2^−40 is near what single precision leaves of a probability after a sum over a vocabulary (chosen). */
const LEAST_PROBABILITY = 2 ** -40;

/** Bits of a text by its tokens' probabilities. A probability that is no number above 0 counts as the least one. */
export function bitsOf(probabilities: readonly number[]): number {
  return probabilities.reduce(
    (sum, each) => sum - Math.log2(each > LEAST_PROBABILITY ? Math.min(1, each) : LEAST_PROBABILITY),
    0,
  );
}

/** A text that is judged in several contexts. */
export interface Judged {
  /** Bits of the text by the context's name. */
  readonly bits: Readonly<Record<string, number>>;
  /** Tokens of each prompt. */
  readonly promptTokens: Readonly<Record<string, number>>;
  readonly scoredTokens: number;
}

/** Asks for the bits of one text behind each of some prompts. A prompt that does not fit with the text loses its oldest tokens. */
export async function judged(
  model: TokenModel,
  prompts: ReadonlyMap<string, readonly number[]>,
  scored: readonly number[],
): Promise<Judged> {
  if (scored.length === 0) throw new PlimsollError("bad-input", "a text without tokens has no bits");
  const most = model.contextTokens - scored.length - 1;
  const bits: Record<string, number> = {};
  const promptTokens: Record<string, number> = {};
  for (const [name, prompt] of prompts) {
    const read = prompt.slice(Math.max(0, prompt.length - most));
    bits[name] = bitsOf(await model.probabilities(read, scored));
    promptTokens[name] = read.length;
  }
  return { bits, promptTokens, scoredTokens: scored.length };
}

/** The parts of node-llama-cpp 3.21 that are used. */
interface LlamaModule {
  getLlama(options: object): Promise<Llama>;
}
interface Llama {
  loadModel(options: object): Promise<LlamaModel>;
  dispose(): Promise<void>;
}
interface LlamaModel {
  readonly tokens: { readonly bos: number | null };
  tokenize(text: string): readonly number[];
  detokenize(tokens: readonly number[]): string;
  createContext(options: object): Promise<{ getSequence(): LlamaSequence }>;
}
interface LlamaSequence {
  clearHistory(): Promise<void>;
  controlledEvaluate(
    input: readonly (number | readonly [number, object])[],
  ): Promise<readonly ({ readonly next?: { readonly probabilities?: ReadonlyMap<number, number> } } | undefined)[]>;
}

const llamaModule: z.ZodType<LlamaModule> = z.custom<LlamaModule>(
  (value) => typeof value === "object" && value !== null && "getLlama" in value && typeof value.getLlama === "function",
);

/** All probabilities as they are: no temperature, nothing cut off. */
const AS_IT_IS = { generateNext: { probabilities: true, options: { temperature: 1, topK: 0, topP: 1, minP: 0 } } } as const;

/** Tokens that the runtime reads at once; its usual number. */
const BATCH_TOKENS = 512;

/**
 * Opens a model file with node-llama-cpp (3.21.1 was used), which is no dependency: it is taken from a folder that has it installed. One thread.
 *
 * @throws PlimsollError `bad-input` if the folder lacks the runtime, or it can't read the file.
 */
export async function openLlama(
  file: string,
  options: { readonly runtimeFolder: string; readonly contextTokens: number },
): Promise<TokenModel> {
  const { runtimeFolder, contextTokens } = options;
  const unusable = (cause: unknown) =>
    new PlimsollError(
      "bad-input",
      `${file}: can't be opened by node-llama-cpp of ${runtimeFolder}; npm install node-llama-cpp@3.21.1 there`,
      {
        file,
        cause: String(cause),
      },
    );
  try {
    const entry = createRequire(join(resolve(runtimeFolder), "package.json")).resolve("node-llama-cpp");
    const { getLlama } = llamaModule.parse(await import(pathToFileURL(entry).href));
    const llama = await getLlama({ gpu: false, build: "never", logLevel: "error", maxThreads: 1 });
    const model = await llama.loadModel({ modelPath: resolve(file) });
    const context = await model.createContext({
      contextSize: contextTokens,
      batchSize: BATCH_TOKENS,
      threads: 1,
      flashAttention: true,
    });
    return tokenModel(basename(file), { llama, model, contextTokens, sequence: context.getSequence() });
  } catch (error) {
    throw unusable(error);
  }
}

interface Opened {
  readonly llama: Llama;
  readonly model: LlamaModel;
  readonly sequence: LlamaSequence;
  readonly contextTokens: number;
}

function tokenModel(name: string, { llama, model, sequence, contextTokens }: Opened): TokenModel {
  const { bos } = model.tokens;
  const start = bos === null ? [] : [bos];
  return {
    name,
    contextTokens: contextTokens - start.length,
    tokensOf: (text) => [...model.tokenize(text)],
    textOf: (tokens) => model.detokenize(tokens),
    probabilities: async (prompt, scored) => {
      await sequence.clearHistory();
      const before = [...start, ...prompt];
      // The token before a scored one tells its probability; the last scored one has nothing to tell.
      const asking = [...before.slice(-1), ...scored.slice(0, -1)];
      const outputs = await sequence.controlledEvaluate([
        ...before.slice(0, -1),
        ...asking.map((token): readonly [number, object] => [token, AS_IT_IS]),
      ]);
      const told = outputs.slice(before.length - 1);
      return scored.map((token, place) => told[place]?.next?.probabilities?.get(token) ?? 0);
    },
    close: () => llama.dispose(),
  };
}
