import type { MessageContent } from "./ledger/content.ts";
import type { CountedReadings } from "./measure.ts";

/** Readings of message values by estimators, for sessions that hold the same values, kinds and tokenizers. */
export interface TokenReadings {
  readonly contents: CountedReadings<MessageContent>;
  /** Tokens by the settings of the measure, as canonical JSON. */
  readonly tokens: Map<string, CountedReadings<number>>;
}

/** Nothing read yet. */
export function createTokenReadings(): TokenReadings {
  return { contents: new WeakMap(), tokens: new Map() };
}
