import type { Message, ToolCallPart } from "../message/message.ts";
import { toolCallsOf } from "../message/message.ts";
import type { WorkCounter } from "../tokens/work.ts";
import type { FileFacts } from "./file-touches.ts";
import { createFileTouches } from "./file-touches.ts";
import type { LogText, LogTextKind } from "./log-text.ts";
import { logTexts, toldByCall } from "./log-text.ts";
import { createStatements } from "./statements.ts";
import type { TextReading, Unit } from "./units.ts";
import { freshUnit, isByModel, readText } from "./units.ts";

/** What is known of a unit now. Distances are in characters of logged texts. */
export interface UnitFacts {
  readonly kind: LogTextKind;
  readonly chars: number;
  readonly ageChars: number;
  /** Share of its lines that were stated again later. */
  readonly restatedRatio: number;
  /** Texts of the model that quoted a line of it, or named a rare word that it had stated last. */
  readonly quotes: number;
  readonly mentions: number;
  /** Since the model last did; `null` if it never did. */
  readonly sinceUseChars: number | null;
  /** The file that it shows; `null` if that is not known. */
  readonly file: FileFacts | null;
}

/** All that a log has said, in units, with what became of each: what is recalled at a compaction is chosen from it. */
export interface RecallView {
  /** The units of messages that pass, oldest first, without those that a later text states again. */
  units(passes: (message: Message) => boolean): readonly Unit[];
  facts(unit: Unit): UnitFacts;
}

/** A {@link RecallView} that grows with the log. */
export interface RecallIndex extends RecallView {
  /** Takes in one more message. Reads its texts once; what is there already is not read again. */
  add(message: Message): void;
  /** The index without what is added from now on: a compaction that rests recalls nothing that came while it did. */
  now(): RecallView;
}

/** A unit of which this share of the lines was stated again later is told by what restated it; chosen. */
const RESTATED_RATIO = 0.8;

/** The newest so many characters are held, so that memory is bounded: some two million tokens; chosen. When there are more, half is let go of. */
const MOST_CHARS = 8_000_000;

/** What the texts of message values were read as, for indexes of logs that hold the same values. */
export type TextReadings = WeakMap<Message, readonly { readonly text: LogText; readonly read: TextReading }[]>;

/** The index of an empty log. */
export function createRecallIndex(work: WorkCounter, readings: TextReadings | null = null): RecallIndex {
  const statements = createStatements();
  const files = createFileTouches();
  let units: Unit[] = [];
  let openCalls: readonly ToolCallPart[] = [];
  let atChars = 0;
  let heldChars = 0;

  const textsOf = (message: Message) => {
    const known = readings?.get(message);
    if (known !== undefined) return known;
    const read = logTexts(message).map((text) => ({ text, read: readText(text) }));
    readings?.set(message, read);
    return read;
  };
  const addText = (message: Message, text: LogText, read: TextReading) => {
    work.scanned(text.text.length);
    const isUse = isByModel(text.kind);
    // Only what the model says uses what was stated.
    const stated = isUse ? statements.ofLines(read.hashes) : [];
    if (isUse) {
      use(stated, "quotes", atChars);
      use(statements.ofWords(read.words), "mentions", atChars);
    }
    // A call that quotes what it changes states nothing new.
    const isQuotation = isUse && read.tellingLines > 0 && stated.length >= RESTATED_RATIO * read.tellingLines;
    const of = { ...text, message, atChars };
    for (const [index, unitRead] of isQuotation ? [] : read.units.entries()) {
      const unit = freshUnit(of, unitRead, index);
      statements.state(unit, unitRead);
      units.push(unit);
      heldChars += unit.chars;
    }
    atChars += text.text.length;
  };
  const forgetOldest = () => {
    let first = 0;
    for (; heldChars > MOST_CHARS / 2 && first < units.length; first++) heldChars -= units[first]?.chars ?? 0;
    statements.forget(new Set(units.slice(0, first)));
    units = units.slice(first);
  };
  const viewAt = (endChars: () => number): RecallView => ({
    units: (passes) =>
      units.filter(
        ({ of, restatedLines, tellingLines }) =>
          of.atChars < endChars() && restatedLines < RESTATED_RATIO * tellingLines && passes(of.message),
      ),
    facts: ({ of, chars, tellingLines, restatedLines, quotes, mentions, lastUseAtChars }) => ({
      kind: of.kind,
      chars,
      ageChars: endChars() - of.atChars,
      restatedRatio: restatedLines / tellingLines,
      quotes,
      mentions,
      sinceUseChars: lastUseAtChars === null ? null : endChars() - lastUseAtChars,
      file: of.path === null ? null : files.facts(of.path, { textAtChars: of.atChars, nowAtChars: endChars() }),
    }),
  });
  return {
    ...viewAt(() => atChars),
    now: () => {
      const endChars = atChars;
      return viewAt(() => endChars);
    },
    add: (message) => {
      const calls = toolCallsOf(message);
      if (calls.length > 0) openCalls = calls;
      // What a call writes is not older than its writing.
      for (const access of calls.flatMap((call) => call.paths)) files.add(access, atChars);
      const told = toldByCall(message, openCalls);
      for (const { text, read } of textsOf(message)) addText(message, { ...text, ...told }, read);
      if (heldChars > MOST_CHARS) forgetOldest();
    },
  };
}

/** One text of the model used these units: each of them once. */
function use(units: readonly Unit[], how: "quotes" | "mentions", atChars: number): void {
  for (const unit of new Set(units)) {
    unit[how] += 1;
    unit.lastUseAtChars = atChars;
  }
}
