import { createTextReadings, type TextReadings } from "../recall/recall-index.ts";
import { createTokenReadings, type TokenReadings } from "../tokens/token-readings.ts";
import { createSharedFolds, type MessageFolds } from "./message-folds.ts";

/**
 * Readings of message values, shared among sessions. Sessions that hold the same values, as the replays of one recording do, can share it if they run
 * with the same kinds and tokenizers, and nobody changes a value: none reads again what another has read. What a session gives, the work that it counts
 * too, does not depend on it.
 */
export interface SessionReadings extends TokenReadings {
  readonly texts: TextReadings;
  readonly folds: MessageFolds;
}

/** Makes an empty store of readings, to be given to each session that shares it. */
export function createSessionReadings(): SessionReadings {
  return { texts: createTextReadings(), folds: createSharedFolds(), ...createTokenReadings() };
}
