import type { SimulatedReply, SimulatedRequest, WireName } from "./reply.ts";
import type { SimulatedRules } from "./rules.ts";
import type { Drop } from "./wire.ts";

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

/** Options of {@link startSimulator}; only `replies` is required. */
export interface SimulatorOptions {
  /** Replies in order, one for each accepted request, or a function of the request. After the last, replies say that the script has ended. */
  readonly replies: readonly SimulatedReply[] | ((request: SimulatedRequest) => SimulatedReply);
  /** The model's context window, in tokens; 200,000 by default. */
  readonly contextWindowTokens?: number;
  /** The largest reply that a request may ask for, in tokens, of every model or by the model's id; 128,000 by default, and for models with `null`. */
  readonly maximumOutputTokens?: number | ((modelId: string) => number | null);
  /** Whether the requested reply must fit as well, as for Anthropic and most OpenAI models; it must by default. */
  readonly windowHolds?: "prompt-and-reply" | "prompt";
  /** Whether a Messages request may end with the beginning of a reply, as models before Claude 4.6 allow; not by default. */
  readonly prefill?: "accept" | "reject";
  /**
   * Whether the Chat Completions server takes roles in any order, like the vendor's own, or requires alternating person and model and an answer after results, as
   * Mistral's and many models' chat templates do; any by default.
   */
  readonly roles?: "any" | "alternate";
  /** Rules that not every model, account or server has; by default each holds as documented. */
  readonly rules?: SimulatedRules;
  /**
   * Whether every reply begins with reasoning, also between calls, as from models that decide for themselves; and whether its text is absent, the default since Claude
   * Opus 4.7, or all of it is encrypted. By default replies reason where the script says so.
   */
  readonly reasoning?: "every-reply" | "every-reply-without-text" | "every-reply-redacted";
  /** Counts the text of each block; four UTF-16 units a token, rounded up, by default. */
  readonly countTokens?: CountTokens;
  /** Multiplies every count, to play a model with another tokenizer; 1 by default. */
  readonly tokenFactorRatio?: number;
  /** `null` for a provider without a prompt cache; the vendor's rules for the model by default. */
  readonly cache?: SimulatedCacheRules | null;
  /** The clock of the prompt cache, in milliseconds; the system's by default. */
  readonly nowMs?: () => number;
  /** Chooses the fault of a request; `null` for none. */
  readonly faults?: (request: SimulatedRequest) => Fault | null;
  /** Called with every request's body before the simulator reads it, so that others can judge it, too. */
  readonly onRequest?: (wire: WireName, body: unknown) => void;
  /** Called with every whole answer, streamed ones included, so that others can judge the session. */
  readonly onAnswer?: (wire: WireName, body: unknown) => void;
  /** Called for every request once its outcome is decided. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** Models that exist; any by default. */
  readonly models?: readonly string[];
  /** The only accepted key; any key by default. */
  readonly key?: string;
  /** Port on 127.0.0.1; a free one by default. */
  readonly port?: number;
}

/** The prompt cache of a simulated provider. */
export interface SimulatedCacheRules {
  readonly minimumTokens: number;
  /** Time after the last use at which a prefix is gone; writes for an hour live an hour. */
  readonly timeToLiveMs: number;
  /** Reads of automatic caches are whole multiples of this. */
  readonly stepTokens: number;
}

/** The default window of a provider, and the largest reply by default: that of the vendors' largest models. */
export const DEFAULT_WINDOW_TOKENS = 200_000;
const DEFAULT_OUTPUT_TOKENS = 128_000;

/** The most that may be asked for as a reply of the model. */
export function maximumOutputTokensOf(modelId: string, { maximumOutputTokens: most }: SimulatorOptions): number {
  return (typeof most === "function" ? most(modelId) : most) ?? DEFAULT_OUTPUT_TOKENS;
}

const MINUTE_MS = 60_000;

/** The vendors' documented rules: 1,024 tokens for most models, five minutes from the last use; OpenAI reads in steps of 128. */
export const DEFAULT_CACHE_RULES: SimulatedCacheRules = { minimumTokens: 1_024, timeToLiveMs: 5 * MINUTE_MS, stepTokens: 128 };

/** Models whose prompts have to be longer to be kept, or may be shorter: the table of platform.claude.com/docs/en/build-with-claude/prompt-caching, read in November 2026. */
const OTHER_MINIMUMS: readonly { readonly ids: RegExp; readonly minimumTokens: number }[] = [
  { ids: /^claude-(opus-4-[567]|haiku-4-5)/, minimumTokens: 4_096 },
  { ids: /^claude-(3-5-haiku|3-haiku|haiku-3)/, minimumTokens: 2_048 },
  { ids: /^claude-(opus-5|fable-5|mythos-5|haiku-5)/, minimumTokens: 512 },
];

/** The shortest prompt of the model that the cache keeps, by default. */
export function minimumCachedTokens(modelId: string): number {
  return OTHER_MINIMUMS.find(({ ids }) => ids.test(modelId))?.minimumTokens ?? DEFAULT_CACHE_RULES.minimumTokens;
}

/**
 * One way in which a request can fail.
 * - `status`: an error status in the vendor's words (429, 500, 529, 502, 503, …), with `retry-after` if given
 * - `stream-error`: an error event after the first events of a stream
 * - `cut-stream`: the connection breaks after so many events, or in the middle of a whole answer
 * - `slow-stream`: waits for `pause` before each event
 * - `silent-truncation`: silently drops the oldest messages until the prompt fits
 * - `empty-reply`: a whole answer without content
 * - `no-usage`: an answer without usage
 * - `overflow`: refuses the prompt as too long, at any size
 * - `echo`: a proxy that answers 502 with the request's headers and body in its message
 */
export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: "stream-error" }
  | { readonly kind: "cut-stream"; readonly afterEvents: number }
  | { readonly kind: "slow-stream"; readonly pause: (eventIndex: number) => Promise<void> }
  | { readonly kind: "silent-truncation" }
  | { readonly kind: "empty-reply" }
  | { readonly kind: "no-usage" }
  | { readonly kind: "overflow" }
  | { readonly kind: "echo" };

/** The record of one request, for tests and displays, without its headers and text. Sizes are in tokens; fields are `null` if the request was refused before they were known. */
export interface Exchange {
  readonly wire: WireName;
  readonly outcome: "answered" | "rejected" | "overflow" | "fault";
  readonly status: number;
  /** The vendor's words for a failed request. */
  readonly error: string | null;
  readonly modelId: string | null;
  readonly messageCount: number | null;
  readonly promptTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  /** Parts of an answered request that the model did not see. */
  readonly drops: readonly Drop[];
}
