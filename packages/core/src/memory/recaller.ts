import { type Budget, resolveAmount } from "../budget.ts";
import type { KeepRule, UnitWorth } from "../keep/keep-rule.ts";
import { atOnce } from "../kind.ts";
import { shortHandle } from "../message/handle.ts";
import type { Message } from "../message/message.ts";
import { type RecalledPassage, recalledText } from "../prompts/notices.ts";
import type { WorkCounter } from "../tokens/measure.ts";
import { callWords } from "./call-shape.ts";
import { inLogOrder, isNext } from "./logged-units.ts";
import type { RecallView } from "./recall-index.ts";
import type { TextLine } from "./text-lines.ts";
import type { Unit } from "./units.ts";

/** Writes the block of passages for the keep rule `recall`: parts of the log that the view does not show. */
export interface Recaller {
  /** The most tokens that a recall block takes. */
  readonly atMostTokens: number;
  /**
   * The block for a view in which these messages stay, in the place of so many characters; `null` for nothing to recall. `said` is the summary beside
   * it: words that it quotes are not recalled.
   */
  readonly recall: (staying: readonly Message[], leavingChars: number, said?: string) => string | null;
  /** By kind the rule that has thrown, and the newest reason: it recalled nothing then. */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** Recalls nothing, and reads nothing. */
export const RECALLS_NOTHING: Recaller = { atMostTokens: 0, recall: () => null, failures: new Map() };

/** A block takes at most this share of the removed tokens, so that every compaction shrinks the view; chosen. */
const LEAVING_RATIO = 0.5;

/** The largest share of the room for recalled passages, so that a small window has room for the next messages; chosen. */
const RECALLED_ROOM_RATIO = 0.5;

interface RecallRoom {
  readonly budget: Budget;
  readonly roomTokens: number;
  /** Tokens of the files in hand that stay: they are a part of recall's share. */
  readonly inHandTokens: number;
  /** Characters that a token is taken for. */
  readonly charsPerToken: number;
  /** The index of the log; `null` if nothing is to be recalled. */
  readonly log: RecallView | null;
  readonly work: WorkCounter;
}

/** The recaller of the first rule that recalls. A rule that throws recalls nothing: it must not prevent a compaction. */
export function recaller(rules: readonly KeepRule[], room: RecallRoom): Recaller {
  const rule = rules.find((each) => each.keeps === "units");
  const { log: index, charsPerToken, work } = room;
  if (rule === undefined || index === null) return RECALLS_NOTHING;
  const roomTokens = Math.max(0, room.roomTokens * RECALLED_ROOM_RATIO);
  const ownTokens = Math.max(0, resolveAmount(rule.atMost, room.budget) - room.inHandTokens);
  const atMostTokens = Math.floor(Math.min(ownTokens, roomTokens));
  const failures = new Map<string, unknown>();
  const worth: UnitWorth["worth"] = (facts) => atOnce("worth", rule.worth(facts));
  return {
    atMostTokens,
    recall: (staying, leavingChars, said = "") => {
      const shown = new Set(staying);
      const maximumChars = Math.floor(Math.min(atMostTokens * charsPerToken, leavingChars * LEAVING_RATIO));
      try {
        const stays = (message: Message) => shown.has(message);
        const block = recalledText(recalledPassages({ index, worth, stays, said, maximumChars }));
        work.scanned(block?.length ?? 0);
        return block;
      } catch (failure) {
        failures.set(rule.kind, failure);
        return null;
      }
    },
    failures,
  };
}

/** How a recall block is chosen: from which index, by which worth, beside which text, and how long it may be. */
export interface RecallChoice extends UnitWorth {
  readonly index: RecallView;
  /** True for messages that the view still shows. */
  readonly stays: (message: Message) => boolean;
  /** Text beside the passages: its quotations are not recalled. */
  readonly said?: string;
  readonly maximumChars: number;
}

/** The choice ends when less than this share of the block is free; chosen. */
const REST_RATIO = 0.02;

/** The passages to recall, in the order of the log; neighbouring units are one passage. A small rest stays empty: only short units would fit, at any worth. */
export function recalledPassages({ index, worth, stays, said = "", maximumChars }: RecallChoice): readonly RecalledPassage[] {
  const taken: Unit[] = [];
  const told = onOneLine(said);
  let leftChars = maximumChars;
  for (const { unit, chars } of index.ranked({ worth, passes: (message) => !stays(message) })) {
    if (chars > leftChars || isTold(unit, told)) continue;
    leftChars -= chars;
    taken.push(unit);
    if (leftChars < maximumChars * REST_RATIO) break;
  }
  return passagesOf(taken.toSorted(inLogOrder), index);
}

/** True for words, enough for recognition, that the text quotes whole: mostly the first line is not in it. */
function isTold({ of: { text }, lines, tellingLines }: Unit, told: string): boolean {
  if (tellingLines === 0 || !lines.every(({ start, end }) => told.includes(onOneLine(text.slice(start, end))))) return false;
  return told.includes(onOneLine(textOf(text, lines)));
}

function onOneLine(text: string): string {
  return text.split(/\s+/).join(" ").trim();
}

function passagesOf(units: readonly Unit[], index: RecallView): readonly RecalledPassage[] {
  const runs: Unit[][] = [];
  for (const unit of units) {
    const run = runs.at(-1);
    if (run !== undefined && isNext(run.at(-1), unit)) run.push(unit);
    else runs.push([unit]);
  }
  return runs.flatMap((run) => run.slice(0, 1).map(({ of }) => passageOf(of, run, index)));
}

function passageOf(of: Unit["of"], run: readonly Unit[], index: RecallView): RecalledPassage {
  const { source, path, call, text } = of;
  const lines = run.flatMap((unit) => unit.lines);
  const isNumbered = ({ number }: TextLine) => number !== null;
  return {
    source,
    shows: path ?? (call === null ? null : callWords(call)),
    fromLine: lines.find(isNumbered)?.number ?? null,
    throughLine: lines.findLast(isNumbered)?.number ?? null,
    handle: shortHandle(of.handle),
    editsSince: OUTDATED_BY_EDITS.has(of.kind) ? index.editsSince(of) : 0,
    isCut: { before: (run[0]?.index ?? 0) > 0, after: /\S/.test(text.slice(lines.at(-1)?.end)) },
    text: textOf(text, lines),
  };
}

/** Kinds of text that a later change of a file may make wrong. */
const OUTDATED_BY_EDITS: ReadonlySet<string> = new Set(["read", "output", "failed", "written"]);

/** Neighbouring lines as one text, without the numbers that a tool put before them. */
function textOf(text: string, lines: readonly TextLine[]): string {
  return lines.map(({ start, end }) => text.slice(start, end)).join("\n");
}
