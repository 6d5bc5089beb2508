import type { WorkCount } from "../entry.ts";
import type { Message } from "../message/message.ts";
import type { ToolSpec } from "../tool.ts";
import type { ClassCounts } from "./char-classes.ts";
import type { ImageRule } from "./image-rule.ts";
import { POOLED_WEIGHTS } from "./pooled-weights.ts";

/**
 * Prices single messages and texts, without any session state. That of a kind remembers the messages it has priced (by identity), so that
 * nothing is scanned twice; the counter it was made with sees only real work.
 */
export interface MessageMeasure {
  /** Names the estimator in records and events. */
  readonly name: string;
  /** Estimated tokens of one message, a whole number. */
  messageTokens(message: Message): number;
  /** Estimated tokens of a text that is not a message (a system prompt, a dynamic context). */
  textTokens(text: string): number;
  /** Estimated tokens of tool schemas. */
  toolsTokens(tools: readonly ToolSpec[]): number;
  /** Whether system text and tools are counted: `left-out` for measures of messages alone; `counted` if not given. */
  readonly overhead?: "counted" | "left-out" | undefined;
}

/** Doubles lose far less than this in a sum of a million tokens, and no size is that near to a whole number without being it. Chosen. */
const ROUNDING_TOKENS = 1e-6;

/**
 * Tokens rounded down. What is a whole number but for the last digits counts as one: the same parts, multiplied before they are added up or after,
 * give the same.
 */
export function wholeTokens(tokens: number): number {
  return Math.floor(tokens + ROUNDING_TOKENS);
}

/** Counts work as it is done. Passed explicitly to whatever reads text, so that every compaction can say what it cost. */
export interface WorkCounter {
  /** Characters of the session's own texts that were read: a message's parts, the system text, a tool's name, description and schema. */
  scanned(characters: number): void;
  visited(messages: number): void;
  tokenized(calls: number): void;
  /** Entries that were folded into a session's state. They are no part of what a compaction cost. */
  folded(entries: number): void;
  foldedEntries(): number;
  /** The counts since the counter was made. */
  total(): WorkCount;
}

/** Makes a counter of work whose counts are all 0. */
export function createWorkCounter(): WorkCounter {
  let charactersScanned = 0;
  let messagesVisited = 0;
  let tokenizerCalls = 0;
  let entriesFolded = 0;
  return {
    scanned: (characters) => {
      charactersScanned += characters;
    },
    visited: (messages) => {
      messagesVisited += messages;
    },
    tokenized: (calls) => {
      tokenizerCalls += calls;
    },
    folded: (entries) => {
      entriesFolded += entries;
    },
    foldedEntries: () => entriesFolded,
    total: () => ({ charactersScanned, messagesVisited, tokenizerCalls }),
  };
}

/** The work done between two readings of one counter. */
export function workBetween(before: WorkCount, after: WorkCount): WorkCount {
  return {
    charactersScanned: after.charactersScanned - before.charactersScanned,
    messagesVisited: after.messagesVisited - before.messagesVisited,
    tokenizerCalls: after.tokenizerCalls - before.tokenizerCalls,
  };
}

/** The figures that estimate a model's tokens until its provider reports usage. Those of vendors are in `@plimsoll/providers`; core has one fitted over all models. */
export interface ModelPrior {
  /** Names it in records and tables. */
  readonly name: string;
  /** Tokens of one of each character class, in the order of `CHAR_CLASSES`. */
  readonly weights: ClassCounts;
  /** The factor by which the weighted sum is multiplied. */
  readonly slopeRatio: number;
  /** The factor from the pooled weights' sum to this one: for texts that are measured without a model. */
  readonly pooledRatio: number;
  /** Tokens that the wire adds to a message. */
  readonly messageTokens: number;
  /** The weight of tool schemas on this model's wire, in addition to their text: templates print them with names and indents. */
  readonly toolsRatio: number;
  /** Whether the reasoning of a turn is still in the prompt after the next human message. */
  readonly reasoningAtTurn: "stays" | "goes";
  readonly image: ImageRule;
}

/** Returns the figures that estimate a model's tokens, by the model's id. */
export type ModelPriors = (modelId: string) => ModelPrior;

/**
 * The pooled prior of all recorded models (docs/evidence.md): slopes lie between 0.8 and 1.4 of it. Images by the common
 * width × height / 750 up to 1,600 tokens; schemas at 1.2 (chosen); a page of a document counts 2,000 (vendors state 1,500 to 3,000).
 */
export const POOLED_PRIOR: ModelPrior = {
  name: "pooled",
  weights: POOLED_WEIGHTS,
  slopeRatio: 1,
  pooledRatio: 1,
  messageTokens: 10,
  toolsRatio: 1.2,
  reasoningAtTurn: "stays",
  image: { kind: "area", pixelsPerToken: 750, maximumTokens: 1600, unknownTokens: 1500, pageTokens: 2000 },
};

/** Returns the same figures for every model: those fitted over all recorded models. */
export const pooledPriors: ModelPriors = () => POOLED_PRIOR;
