import { callsAfterResult, type Message, oncePerMessage, type ToolCallPart, toolCallsOf } from "../message/message.ts";
import type { WorkCounter } from "../tokens/measure.ts";
import type { LoggedUnits, RankedUnit, RankingChoice } from "./logged-units.ts";
import { createLoggedUnits, logText, rankedUnits, saidLately } from "./logged-units.ts";
import type { FileTouches, ToldByCall, Unit } from "./units.ts";
import { createFileTouches, logTextChars, logTexts, readText, toldByCall } from "./units.ts";

/** The whole text of a log, in units, with the later history of each: a compaction chooses its recalled passages from it. */
export interface RecallView {
  /** The units of messages that pass, without those that a later text states again: see {@link rankedUnits}. Their worth is asked in the order of the log. */
  ranked(choice: RankingChoice): readonly RankedUnit[];
  /** Counts the changes of a text's file since it was logged; of any file if it shows none. */
  editsSince(of: Unit["of"]): number;
}

/** Grows with the log. Counts the work of a message's texts, which are read when units are asked for. */
export interface RecallIndex {
  add(message: Message): void;
  /** All added messages; none of those that come during a compaction. */
  now(): RecallView;
}

/**
 * The newest so many characters are held, so that memory is bounded: some two million tokens; chosen. When there are more, half is let go of, and the
 * rest is read as if nothing had been before it: so it depends only on the log, and the rest of a long log need not be read.
 */
const MOST_CHARS = 8_000_000;

interface HeldMessage {
  readonly message: Message;
  readonly told: ToldByCall;
  readonly atChars: number;
}

interface IndexState {
  readonly work: WorkCounter;
  readonly files: FileTouches;
  held: HeldMessage[];
  openCalls: readonly ToolCallPart[];
  atChars: number;
  /** The units of the first so many of the messages held. */
  logged: LoggedUnits;
  readCount: number;
}

/** Makes an index that finds old passages worth recalling; add each message of the log. `work` counts the text that it reads. */
export function createRecallIndex(work: WorkCounter): RecallIndex {
  const index: IndexState = {
    work,
    files: createFileTouches(),
    held: [],
    openCalls: [],
    atChars: 0,
    logged: createLoggedUnits(),
    readCount: 0,
  };
  return { now: () => viewOf(index, index.atChars), add: (message) => takeIn(index, message) };
}

function viewOf(index: IndexState, nowAtChars: number): RecallView {
  return {
    ranked: (choice) => {
      readThrough(index, nowAtChars);
      const { files, logged } = index;
      return rankedUnits({ files, nowAtChars, lately: saidLately(logged, nowAtChars), texts: logged.texts }, choice);
    },
    editsSince: ({ path, atChars }) => index.files.writesSince(path, atChars),
  };
}

function takeIn(index: IndexState, message: Message): void {
  const { atChars, held } = index;
  const calls = toolCallsOf(message);
  if (calls.length > 0) index.openCalls = calls;
  // A call's written text is not older than its writing.
  for (const { paths } of calls) for (const access of paths) index.files.add(access, atChars);
  const chars = logTextChars(message);
  if (chars === 0) return;
  index.work.scanned(chars);
  held.push({ message, told: toldByCall(message, index.openCalls), atChars });
  if (message.role === "tool-result") index.openCalls = callsAfterResult(index.openCalls, message.callId);
  index.atChars += chars;
  if (index.atChars - (held[0]?.atChars ?? 0) > MOST_CHARS) forgetOldest(index);
}

function readMessage(index: IndexState, { message, told, atChars: startChars }: HeldMessage): void {
  const { call } = told;
  let atChars = startChars;
  for (const { kind, text, source, path, handle, reading } of told.isEchoed ? [] : readTexts(message)) {
    const place = index.logged.texts.length;
    const of = { kind: told.kind ?? kind, text, source, path: told.path ?? path, call, handle, message, atChars, place };
    logText(index.logged, of, reading);
    atChars += text.length;
  }
}

/** Read once for all sessions that hold the message. */
const readTexts = oncePerMessage((message) => logTexts(message).map((text) => ({ ...text, reading: readText(text) })));

function readThrough(index: IndexState, endChars: number): void {
  for (;;) {
    const next = index.held[index.readCount];
    if (next === undefined || next.atChars >= endChars) return;
    index.readCount += 1;
    readMessage(index, next);
  }
}

function forgetOldest(index: IndexState): void {
  const { held, atChars } = index;
  index.held = held.slice(held.findIndex((each) => atChars - each.atChars <= MOST_CHARS / 2));
  index.logged = createLoggedUnits();
  index.readCount = 0;
}
