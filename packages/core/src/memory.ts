import type { Budget } from "./budget.ts";
import type { KeepRule } from "./keep/keep-rule.ts";
import type { KeptMessages } from "./keep/kept-messages.ts";
import { createDigest, DEFAULT_DIGEST_OPTIONS } from "./memory/digest.ts";
import { foldFacts, NO_FACTS, withTrackedFiles } from "./memory/facts.ts";
import { factsWithin, type KeptState, NO_KEPT_STATE, passagesText } from "./memory/facts-text.ts";
import { FILES_IN_HAND } from "./memory/files-in-hand.ts";
import { createRecallIndex } from "./memory/recall-index.ts";
import { type Recaller, recaller } from "./memory/recaller.ts";
import type { Message } from "./message/message.ts";
import type { Summarizer } from "./ports.ts";
import type { WorkCounter } from "./tokens/measure.ts";

export type { FileOrder } from "./memory/facts-text.ts";
export type { Recaller } from "./memory/recaller.ts";

/** Remembers the texts of a log, whether or not the view still has them. Only messages add to it: an edit and its undo change nothing. */
export interface Memory {
  /** Takes the next message of the log. It is read on demand: without cuts nothing is done. */
  add(message: Message): void;
  /** Brings back no results of this tool that were not read yet: it is our own, and its answers are about a context that is gone. */
  pass(toolName: string): void;
  /** Reads the messages added since the last call, each once in a session's life. Later messages are not in the answer. */
  now(kept?: KeptState): Remembered;
}

/** All that a log said up to a moment, for one cut. */
export interface Remembered {
  /** The facts on plan, files, errors and running things, with the caller's kept parts, as text beside a summary and messages that stay; `null` for none. */
  record(room: MemoryRoom): (staying: readonly Message[]) => string | null;
  /** Writes a summary without a model. */
  digest(room: MemoryRoom): Summarizer;
  /** Brings passages back for the first of the rules that recalls. */
  recaller(rules: readonly KeepRule[], room: MemoryRoom): Recaller;
}

/** The room of a cut, and the facts about it. */
export interface MemoryRoom {
  readonly budget: Budget;
  /** Tokens that the record and a digest are shares of; for the recaller, those that all messages may take after the cut. */
  readonly roomTokens: number;
  /** Tokens that the policy gives the record; with 0 it holds the caller's kept parts, and the lists of files that the policy names. */
  readonly recordTokens: number;
  /** Messages that keep rules hold of the view. */
  readonly held: readonly KeptMessages[];
  readonly tokensOf: (text: string) => number;
}

/** The record, and a digest, may take at most this share of the room, so that they always fit in a small window; chosen. */
const RECORD_RATIO = 0.1;
const DIGEST_RATIO = 0.25;

/** The caller's pinned texts have this share of the room to themselves; chosen. */
const PINNED_RATIO = 1 / 3;

/** Room is kept for a text as if a token were so many characters at most: the facts beside it may be denser. Chosen. */
const MOST_CHARS_PER_TOKEN = 4;

/** The texts that fit whole, in their order, and the tokens to keep free for them. */
function firstWithin(texts: readonly string[], roomTokens: number, tokensOf: (text: string) => number) {
  const fitting: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const more = Math.max(tokensOf(text), text.length / MOST_CHARS_PER_TOKEN);
    if (tokens + more > roomTokens) continue;
    fitting.push(text);
    tokens += more;
  }
  return { texts: fitting, tokens };
}

/** A record of fewer tokens lacks some of a digest's quotations of the same: then both quote them. Chosen. */
const WHOLE_RECORD_TOKENS = 1000;

/** Characters that a token is taken for if text is written to a size: three, the densest that code commonly is. */
const CHARS_PER_TOKEN = 3;

/** The memory of an empty log. Passages are brought back only if it `recalls`; `work` counts the text read for that. */
export function createMemory({ recalls, work }: { readonly recalls: boolean; readonly work: WorkCounter }): Memory {
  const index = recalls ? createRecallIndex(work) : null;
  const added: Message[] = [];
  const passed = new Set<string>();
  let facts = NO_FACTS;
  return {
    add: (message) => void added.push(message),
    pass: (toolName) => void passed.add(toolName),
    now: ({ tracked, ...kept } = NO_KEPT_STATE) => {
      for (const message of added.splice(0)) {
        facts = foldFacts(facts, message);
        if (message.role !== "tool-result" || !passed.has(message.toolName)) index?.add(message);
      }
      const known = tracked === undefined ? facts : withTrackedFiles(facts, tracked);
      const log = index?.now() ?? null;
      return {
        record: ({ roomTokens, recordTokens: policyTokens, tokensOf }) => {
          const atMostTokens = roomTokens * RECORD_RATIO;
          const { texts: pinned, tokens } = firstWithin(kept.pinned, roomTokens * PINNED_RATIO, tokensOf);
          const facts = factsWithin(
            known,
            { ...kept, pinned: pinned.length === 0 ? kept.pinned : pinned },
            {
              policyTokens: policyTokens === 0 ? 0 : policyTokens + tokens,
              atMostTokens: atMostTokens + tokens,
              ...{ charsPerToken: CHARS_PER_TOKEN, tokensOf },
            },
          );
          // The model's passages are bounded when they are pinned: they have a room of their own.
          const maximumChars = Math.floor(atMostTokens * CHARS_PER_TOKEN);
          return (staying, what = "all") => {
            const texts = [passagesText(kept, { maximumChars, staying }), what === "pins" ? null : facts(staying)];
            return texts.filter(Boolean).join("\n\n") || null;
          };
        },
        digest: ({ roomTokens, recordTokens }) => {
          const roomChars = Math.floor(roomTokens * DIGEST_RATIO * CHARS_PER_TOKEN);
          const isBesideRecord = Math.min(recordTokens, roomTokens * RECORD_RATIO) >= WHOLE_RECORD_TOKENS;
          const maximumChars = Math.min(DEFAULT_DIGEST_OPTIONS.maximumChars, roomChars);
          return createDigest({ maximumChars, facts: known, isBesideRecord });
        },
        recaller: (rules, { budget, roomTokens, held }) => {
          const inHandTokens = held.find(({ kind }) => kind === FILES_IN_HAND.kind)?.tokens ?? 0;
          return recaller(rules, { budget, roomTokens, inHandTokens, charsPerToken: CHARS_PER_TOKEN, log, work });
        },
      };
    },
  };
}
