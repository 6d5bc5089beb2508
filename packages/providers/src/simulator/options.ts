import type { CountTokens } from "@plimsoll/core";
import type { Exchange } from "./exchange.ts";
import type { Fault } from "./fault.ts";
import type { SimulatedReply, SimulatedRequest } from "./reply.ts";

/** What a simulated provider is like. */
export interface SimulatorOptions {
  /** Replies in order, one for each request that is accepted, or a function of the request. */
  readonly replies: readonly SimulatedReply[] | ((request: SimulatedRequest) => SimulatedReply);
  /** The model's hard limit; 200,000 where it is left out. */
  readonly contextWindowTokens?: number;
  /** The most that may be asked for as a reply; 64,000 where it is left out. */
  readonly maximumOutputTokens?: number;
  /** Whether the reply that is asked for has to fit as well. Anthropic and most OpenAI models want it; left out, it does. */
  readonly windowHolds?: "prompt-and-reply" | "prompt";
  /** Counts the text of each block; four UTF-16 units a token, rounded up, where it is left out. */
  readonly countTokens?: CountTokens;
  /** What every count is multiplied by, to play a model whose tokenizer differs; 1 where it is left out. */
  readonly tokenFactorRatio?: number;
  /** `null` for a provider without a prompt cache. */
  readonly cache?: SimulatedCacheRules | null;
  /** The clock of the prompt cache; the system's where it is left out. */
  readonly nowMs?: () => number;
  /** What goes wrong with a request; `null` for nothing. */
  readonly faults?: (request: SimulatedRequest) => Fault | null;
  /** Told of every request when it has been decided on. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** Models that exist; any where it is left out. */
  readonly models?: readonly string[];
  /** The only key that is let in; any key where it is left out. */
  readonly key?: string;
  /** Port on 127.0.0.1; a free one where it is left out. */
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

const MINUTE_MS = 60_000;

/** The vendors' documented rules: 1,024 tokens, five minutes from the last use; OpenAI reads in steps of 128. */
export const DEFAULT_CACHE_RULES: SimulatedCacheRules = { minimumTokens: 1_024, timeToLiveMs: 5 * MINUTE_MS, stepTokens: 128 };
