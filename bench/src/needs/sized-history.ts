import type { Message, SessionEntry } from "@plimsoll/core";
import type { SizeJudge } from "../size-judge/size-judge.ts";
import type { PreparedReferences } from "./recorded-references.ts";

/** The recorded messages of a session, sized by the size model. */
export interface SizedHistory {
  readonly messages: readonly Message[];
  /** All of them, as they arrived. */
  readonly totalTokens: number;
  /** Their sizes, at the first call. */
  sizes(): MessageSizesAtCall;
}

/** The sizes of messages at a call: the part of a message that is sent may change from one call to the next. */
export interface MessageSizesAtCall {
  /** Goes on to a call; calls behind it are over. */
  reach(call: number): void;
  /** Tokens of the messages from one place up to another, which is not among them. Work is logarithmic in the session. */
  between(from: number, through: number): number;
}

interface SizeChange {
  readonly fromCall: number;
  readonly place: number;
  readonly moreTokens: number;
}

/** The sources of a history's sizes. */
interface SizedFrom {
  readonly entries: readonly SessionEntry[];
  readonly references: Pick<PreparedReferences, "ordinalOf">;
  readonly sizeJudge: Pick<SizeJudge, "sizeStepsOf" | "messageTokens">;
}

/** A session's recorded messages, sized. Made once for all replays. */
export function sizedHistory({ entries, references, sizeJudge }: SizedFrom): SizedHistory {
  const messages = entries.flatMap((entry) =>
    entry.type === "message" && references.ordinalOf(entry.message) !== null ? [entry.message] : [],
  );
  const changes: SizeChange[] = [];
  const sums = new Float64Array(messages.length + 1);
  let totalTokens = 0;
  for (const [place, message] of messages.entries()) {
    const [first, ...later] = sizeJudge.sizeStepsOf(message);
    let tokens = first?.tokens ?? sizeJudge.messageTokens(message, 0);
    totalTokens += tokens;
    addAt(sums, place, tokens);
    for (const step of later) {
      changes.push({ fromCall: step.fromCall, place, moreTokens: step.tokens - tokens });
      tokens = step.tokens;
    }
  }
  changes.sort((a, b) => a.fromCall - b.fromCall);
  return { messages, totalTokens, sizes: () => sizesFrom(sums.slice(), changes) };
}

function sizesFrom(sums: Float64Array, changes: readonly SizeChange[]): MessageSizesAtCall {
  let next = 0;
  return {
    reach(call) {
      for (let change = changes[next]; change !== undefined && change.fromCall <= call; change = changes[next]) {
        addAt(sums, change.place, change.moreTokens);
        next += 1;
      }
    },
    between: (from, through) => sumBefore(sums, through) - sumBefore(sums, from),
  };
}

/** A binary indexed tree: each place from 1 on holds the sum of as many messages before it as its lowest bit says. */
function addAt(sums: Float64Array, place: number, tokens: number): void {
  for (let node = place + 1; node < sums.length; node += node & -node) sums[node] = (sums[node] ?? 0) + tokens;
}

function sumBefore(sums: Float64Array, place: number): number {
  let tokens = 0;
  for (let node = place; node > 0; node -= node & -node) tokens += sums[node] ?? 0;
  return tokens;
}
