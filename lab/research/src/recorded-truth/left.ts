import type { PreparedSession } from "@plimsoll/bench/extend";
import { isHuman, type Message, type SessionEntry, type SessionView, toolCallsOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry, messageChars } from "@plimsoll/core/extend";
import type { FollowedAgent } from "./agents.ts";
import type { KnownFile } from "./read-files.ts";
import type { Stretch } from "./stretches.ts";

type Leaves = NonNullable<FollowedAgent["peer"]["leaves"]>;

/** The content of the first request after a compaction, in tokens, by what the likeness says that its agent leaves. */
export interface Left {
  /** System text, tools and what the log does not show, as at the session's first call. */
  readonly overheadTokens: number;
  /** The person's messages that stay, and what came after the compaction. */
  readonly messageTokens: number;
  /** Messages that stood before the model at the session's start. */
  readonly contextTokens: number;
  readonly fileTokens: number;
}

/** Characters of a line's number and what parts it from the line, as the agent shows files. */
const LINE_NUMBER_CHARS = 7;

/** Characters a token if the session has read no file; the usual figure of estimates. */
const UNMEASURED_CHARS_PER_TOKEN = 4;

/** Measures what is left at the place where the agent really compacted. The summary is not in it. */
export function leftAt(
  { position }: Stretch,
  {
    leaves,
    session,
    files,
  }: { readonly leaves: Leaves; readonly session: PreparedSession; readonly files: readonly KnownFile[] },
): Left {
  const { sizeJudge } = session;
  const entries = session.transcript.entries;
  const call = entries.slice(0, position).filter(({ type }) => type === "usage").length;
  const sizeOf = (message: Message) => sizeJudge.messageTokens(message, call);
  let view: SessionView = EMPTY_VIEW;
  for (const entry of entries.slice(0, position)) view = foldEntry(view, entry);
  const next = entries.findIndex((entry, place) => place > position && entry.type === "usage");
  const came = entries.slice(position + 1, next).flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const before = view.messages.slice();
  const person = newestWithin(before.filter(isHuman).toReversed(), leaves.personTokens, sizeOf);
  const answers = leaves.answers ? answersIn(before) : [];
  return {
    overheadTokens: sizeJudge.firstOverheadTokens,
    messageTokens: sum([...person, ...answers, ...came].map(sizeOf)),
    contextTokens: leaves.initialContext ? sum(initialContext(session).map(sizeOf)) : 0,
    fileTokens: sum(
      filesPutBack(files, { rule: leaves.files, charsPerToken: charsPerToken(entries.slice(0, position), sizeOf) }),
    ),
  };
}

/** The tokens of all that is left. */
export function leftTokens({ overheadTokens, messageTokens, contextTokens, fileTokens }: Left): number {
  return overheadTokens + messageTokens + contextTokens + fileTokens;
}

/** The tokens of each file that is read again: of the newest touched ones those that are not too long. */
export function filesPutBack(
  files: readonly KnownFile[],
  { rule, charsPerToken }: { readonly rule: Leaves["files"]; readonly charsPerToken: number },
): readonly number[] {
  if (rule === null) return [];
  return files
    .slice(0, rule.newest)
    .map(({ chars, lines }) => Math.round((chars + lines * LINE_NUMBER_CHARS) / charsPerToken))
    .filter((tokens) => tokens <= rule.eachTokens);
}

/** Characters a token of the files that the session had read, by what their results measured. */
function charsPerToken(entries: readonly SessionEntry[], sizeOf: (message: Message) => number): number {
  const reads = entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "tool-result" && entry.message.category === "file-content"
      ? [entry.message]
      : [],
  );
  const tokens = sum(reads.map(sizeOf));
  return tokens > 0 ? sum(reads.map(messageChars)) / tokens : UNMEASURED_CHARS_PER_TOKEN;
}

/** The last reply of each turn that is over. */
function answersIn(messages: readonly Message[]): readonly Message[] {
  return messages.filter((message, place) => {
    const next = messages[place + 1];
    return message.role === "assistant" && toolCallsOf(message).length === 0 && next !== undefined && isHuman(next);
  });
}

/** Messages that were injected before the person said anything. */
function initialContext({ transcript }: PreparedSession): readonly Message[] {
  const messages = transcript.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  return messages.slice(0, Math.max(0, messages.findIndex(isHuman))).filter(({ role }) => role === "user");
}

function newestWithin(
  newestFirst: readonly Message[],
  atMostTokens: number,
  sizeOf: (message: Message) => number,
): readonly Message[] {
  let tokens = 0;
  return newestFirst.filter((message) => {
    tokens += sizeOf(message);
    return tokens <= atMostTokens;
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
