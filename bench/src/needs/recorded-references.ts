import type { Message, SessionEntry } from "@plimsoll/core";
import type { SizeJudge } from "../size-judge/size-judge.ts";
import { createReferenceReader } from "./references.ts";
import { createStatementIndex, type StatementIndex } from "./statements.ts";
import { messageTexts } from "./texts.ts";

/** A reference in a recorded reply that an earlier message of the recorded history held. References and statements by number. */
interface ReferenceUse {
  readonly reference: number;
  /** The latest statement by a person or a tool; the latest of all if the agent itself coined the reference. */
  readonly sourceStatement: number;
}

/** The statements and uses in a session's recorded history; made once a session, read by every replay of it. */
export interface PreparedReferences {
  readonly references: readonly string[];
  readonly index: StatementIndex;
  /** Place of a recorded message in the recorded history, from 0; `null` for any other message. */
  ordinalOf(message: Message): number | null;
  /** The distinct uses of a recorded reply, in order of appearance; none for a message that was not recorded. */
  usesOf(reply: Message): readonly ReferenceUse[];
  /** Reads the recorded statements in a message whose recorded form is in the context; none in any other message. */
  statementsIn(message: Message): readonly number[];
}

/**
 * Finds the statements and uses of a recorded history. Uses are looked for in the replies' texts and call arguments (an action takes as much
 * recalling as a statement), not in their reasoning. Two passes over the texts.
 */
export function prepareReferences(entries: readonly SessionEntry[]): PreparedReferences {
  const messages = entries.flatMap((entry) => (entry.type === "message" && isRecorded(entry.message) ? [entry.message] : []));
  const readReferences = createReferenceReader();
  const numberOf = new Map<string, number>();
  const numbered = (text: string): number => {
    const known = numberOf.get(text) ?? numberOf.size;
    numberOf.set(text, known);
    return known;
  };
  const usedBy = messages.map((message) => {
    const used = new Set<number>();
    if (message.role !== "assistant") return used;
    for (const text of messageTexts(message)) readReferences(text, (found) => used.add(numbered(found.text)));
    return used;
  });
  const references = [...numberOf.keys()];
  const index = createStatementIndex(references);
  const latestOf = new Map<number, number>();
  const latestSourceOf = new Map<number, number>();
  const records = new Map<
    string,
    { readonly message: Message; readonly ordinal: number; readonly statements: readonly number[] }
  >();
  const uses = new Map<string, readonly ReferenceUse[]>();
  for (const [ordinal, message] of messages.entries()) {
    const stated = [...(usedBy[ordinal] ?? [])].flatMap((reference): readonly ReferenceUse[] => {
      const sourceStatement = latestSourceOf.get(reference) ?? latestOf.get(reference);
      return sourceStatement === undefined ? [] : [{ reference, sourceStatement }];
    });
    uses.set(message.id, stated);
    const statements = index.add(messageTexts(message));
    records.set(message.id, { message, ordinal, statements });
    for (const statement of statements) {
      const reference = index.referenceOf(statement);
      latestOf.set(reference, statement);
      if (isSourceMessage(message)) latestSourceOf.set(reference, statement);
    }
  }
  const recordOf = (message: Message) => {
    const record = records.get(message.id);
    return record !== undefined && (record.message === message || hasSameTexts(record.message, message)) ? record : undefined;
  };
  return {
    references,
    index,
    ordinalOf: (message) => records.get(message.id)?.ordinal ?? null,
    usesOf: (reply) => uses.get(reply.id) ?? [],
    statementsIn: (message) => recordOf(message)?.statements ?? [],
  };
}

/** Summaries and notices of the recorded agent's own compactions are not part of the history. */
function isRecorded(message: Message): boolean {
  return message.role === "tool-result" || (message.origin !== "summary" && message.origin !== "notice");
}

/** True if a message states facts: words or commands of a person, results of tools. Text of the agent (reminders, environment) states none. */
export function isSourceMessage(message: Message): boolean {
  return message.role === "tool-result" || (message.role === "user" && ["human", "command"].includes(message.origin));
}

/** True if both read alike, despite other differences. */
function hasSameTexts(recorded: Message, message: Message): boolean {
  const before = messageTexts(recorded);
  const after = messageTexts(message);
  return before.length === after.length && before.every((text, place) => text === after[place]);
}

/** The recorded messages of a session, sized by the size model. */
export interface SizedHistory {
  readonly messages: readonly Message[];
  readonly totalTokens: number;
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

/** A session's recorded messages, sized. Made once for all replays. */
export function sizedHistory(
  entries: readonly SessionEntry[],
  references: Pick<PreparedReferences, "ordinalOf">,
  sizeJudge: Pick<SizeJudge, "sizeStepsOf" | "messageTokens">,
): SizedHistory {
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
