import { shortHandle } from "../message/handle.ts";
import type { Message } from "../message/message.ts";
import { callWords } from "../paths/call-shape.ts";
import type { RecalledPassage } from "../prompts/notices.ts";
import { inLogOrder, isNext, type UnitWorth } from "./logged-units.ts";
import type { RecallView } from "./recall-index.ts";
import type { TextLine } from "./text-lines.ts";
import type { Unit } from "./units.ts";

/** How a recall block is chosen: from which index, by which worth, beside which text, and how long it may be. */
export interface RecallChoice extends UnitWorth {
  readonly index: RecallView;
  /** True for messages that the view still shows. */
  readonly stays: (message: Message) => boolean;
  /** Text that stands beside the passages: what it quotes is not recalled. */
  readonly said?: string;
  readonly maximumChars: number;
}

/** The choice ends when less than this share of the block is free; chosen. */
const REST_RATIO = 0.02;

/** The passages to recall, in the order of the log; neighbouring units are one passage. A small rest stays empty: only what is short would fit, whatever it is worth. */
export function recalledPassages({ index, worth, stays, said = "", maximumChars }: RecallChoice): readonly RecalledPassage[] {
  const taken: Unit[] = [];
  const told = onOneLine(said);
  let leftChars = maximumChars;
  for (const { unit, chars } of index.ranked({ worth, passes: (message) => !stays(message) })) {
    if (chars > leftChars || isToldIn(told, unit)) continue;
    leftChars -= chars;
    taken.push(unit);
    if (leftChars < maximumChars * REST_RATIO) break;
  }
  return passagesOf(taken.toSorted(inLogOrder), index);
}

/** True for words of the person or the model, enough to be told from others, that a text quotes whole. */
function isToldIn(told: string, { of, lines, tellingLines }: Unit): boolean {
  return (of.kind === "person" || of.kind === "said") && tellingLines > 0 && told.includes(onOneLine(textOf(of.text, lines)));
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
  const numbers = lines.flatMap(({ number }) => number ?? []);
  return {
    source,
    shows: path ?? (call === null ? null : callWords(call)),
    fromLine: numbers[0] ?? null,
    throughLine: numbers.at(-1) ?? null,
    handle: shortHandle(of.handle),
    editsSince: OUTDATED_BY_EDITS.has(of.kind) ? index.editsSince(of) : null,
    text: textOf(text, lines),
  };
}

/** Kinds of text that a later change of a file may make wrong. */
const OUTDATED_BY_EDITS: ReadonlySet<string> = new Set(["read", "output", "failed", "written"]);

/** Neighbouring lines as one text, without the numbers that a tool put before them. */
function textOf(text: string, lines: readonly TextLine[]): string {
  return lines.map(({ start, end }) => text.slice(start, end)).join("\n");
}
