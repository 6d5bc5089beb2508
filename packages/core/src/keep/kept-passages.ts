import { type Budget, resolveAmount } from "../budget.ts";
import { partHandle, shortHandle } from "../message/handle.ts";
import type { Message } from "../message/message.ts";
import { coverageOf } from "../message/size.ts";
import { callWords } from "../paths/call-shape.ts";
import { type Excerpt, excerptsIn, excerptsText, type RecalledPassage, recalledText } from "../prompts/notices.ts";
import { inLogOrder, isNext, type UnitWorth } from "../recall/logged-units.ts";
import type { RecallView } from "../recall/recall-index.ts";
import type { TextLine } from "../recall/text-lines.ts";
import type { Unit } from "../recall/units.ts";
import type { WorkCounter } from "../tokens/measure.ts";
import type { KeepRule, Passage, PassagesRule, ReadableText } from "./keep-rule.ts";

/** Quotes what rules keep of the messages that leave a view. */
export interface PassageQuoter {
  /** The most tokens that a quotation takes. */
  readonly atMostTokens: number;
  /** The passages as texts: those recalled from the log, then quotations of the leaving messages. `said` is the summary beside them: words that it quotes are not recalled. */
  readonly quote: (leaving: readonly Message[], staying: readonly Message[], said?: string) => readonly string[];
  /** By kind the rules that have thrown or answered with what is no passage, and the newest reason: they quoted nothing then. */
  readonly failures: () => ReadonlyMap<string, unknown>;
}

/** Quotes nothing, and reads nothing. */
export const QUOTES_NOTHING: PassageQuoter = { atMostTokens: 0, quote: () => [], failures: () => new Map() };

/** All quoted passages may take at most this share of the room, so that they always fit in a small window; chosen. */
const ROOM_RATIO = 0.25;

/** And of what they are taken from, so that every compaction shrinks the view; chosen. */
const LEAVING_RATIO = 0.5;

/** The tokens that quotations share, and where they come from. */
interface QuoteRoom {
  readonly budget: Budget;
  readonly roomTokens: number;
  /** Tokens of the files in hand that stay: they are a part of what recall may take. */
  readonly inHandTokens: number;
  /** Characters that a token is taken for. */
  readonly charsPerToken: number;
  /** The index of the log; `null` if nothing is to be recalled. */
  readonly log: RecallView | null;
  readonly work: WorkCounter;
}

/** The quoter of a policy's rules, in a room of so many tokens. Rules are filled in their order, each up to its amount. */
export function passageQuoter(rules: readonly KeepRule[], room: QuoteRoom): PassageQuoter {
  const failures = new Map<string, unknown>();
  const limits = passageLimits(rules, room);
  const recall = recaller(rules, room, failures);
  if (limits.length === 0 && recall === null) return QUOTES_NOTHING;
  const atMostTokens = limits.reduce((sum, limit) => sum + limit.tokens, recall?.atMostTokens ?? 0);
  return {
    atMostTokens,
    quote: (leaving, staying, said = "") => {
      const { chars: leavingChars } = coverageOf(leaving);
      const block = recall?.recall(staying, Math.floor(leavingChars * LEAVING_RATIO), said) ?? null;
      const blocks = block === null ? [] : [block];
      if (limits.length === 0) return blocks;
      const { chars: stayingChars } = coverageOf(staying);
      room.work.scanned((leavingChars + stayingChars) * limits.length);
      room.work.visited(leaving.length + staying.length);
      const texts = [
        ...leaving.flatMap((message) => readable(message, true)),
        ...staying.flatMap((message) => readable(message, false)),
      ];
      const kept: KeptPassages = { texts, lines: [], places: new Set(), contents: new Set(), handles: new Set() };
      let leftChars = Math.floor(leavingChars * LEAVING_RATIO);
      for (const { rule, tokens } of limits) {
        try {
          const passages = [...rule.choose(texts)];
          for (const passage of passages) refuseNoPassage(texts, passage);
          leftChars -= fill(kept, passages, Math.min(Math.floor(tokens * room.charsPerToken), leftChars));
        } catch (failure) {
          // A rule that fails quotes nothing: it must not prevent a compaction. The record names it.
          failures.set(rule.kind, failure);
        }
      }
      const excerpts = excerptsText(excerptsOf(kept));
      return excerpts === null ? blocks : [...blocks, excerpts];
    },
    failures: () => failures,
  };
}

/** Computes the amount of each rule that chooses passages: its own, and the rest that the ones before it leave of the room's share. */
function passageLimits(
  rules: readonly KeepRule[],
  { budget, roomTokens }: { readonly budget: Budget; readonly roomTokens: number },
): readonly { readonly rule: PassagesRule & { readonly kind: string }; readonly tokens: number }[] {
  let leftTokens = Math.max(0, Math.floor(roomTokens * ROOM_RATIO));
  return rules.flatMap((rule) => {
    if (rule.keeps !== "passages") return [];
    const tokens = Math.floor(Math.min(resolveAmount(rule.atMost, budget), leftTokens));
    leftTokens -= tokens;
    // A rule that may take nothing is not asked, and reads nothing.
    return tokens > 0 ? [{ rule, tokens }] : [];
  });
}

/** The texts of a message in order; of a summary or notice only the excerpts that it carries, under their own messages. */
function readable(message: Message, leaves: boolean): readonly ReadableText[] {
  if (message.role !== "tool-result" && (message.origin === "summary" || message.origin === "notice"))
    return excerptsIn(message).map(({ source, handle, lines }) => ({
      text: lines.join("\n"),
      by: "excerpt",
      source,
      handle,
      leaves,
    }));
  const from = {
    source: message.role === "tool-result" ? message.toolName : message.origin,
    handle: partHandle(message.id, 0),
    leaves,
  };
  return message.parts.flatMap((part): readonly ReadableText[] => {
    if (part.type === "tool-call") return [{ text: part.argumentsJson, by: "model", ...from }];
    return part.type === "text" ? [{ text: part.text, by: message.role === "assistant" ? "model" : "source", ...from }] : [];
  });
}

/** A line that is kept, by its place; `joined` if it is in a passage of several. */
interface KeptLine {
  readonly text: number;
  readonly start: number;
  readonly end: number;
  readonly joined: boolean;
}

/** The passages that are kept so far. */
interface KeptPassages {
  readonly texts: readonly ReadableText[];
  readonly lines: KeptLine[];
  /** Where the kept lines begin, the lines without white space around them, and the messages that they are from. */
  readonly places: Set<string>;
  readonly contents: Set<string>;
  readonly handles: Set<string>;
}

/** Characters that a line takes in addition to its text: indent and line end. */
const LINE_FRAME_CHARS = 2;

/** Characters of a head in addition to what it names. */
const HEAD_FRAME_CHARS = 16;

/** The mark between passages of one message, and its size. */
const GAP = "…";
const GAP_CHARS = GAP.length + LINE_FRAME_CHARS;

/**
 * Takes the passages that fit, in their order, and returns the characters that they take. Only what no earlier passage has is taken and
 * charged, with its message's head the first time. A passage of which every line is quoted already is passed over.
 */
function fill(kept: KeptPassages, passages: readonly Passage[], maximumChars: number): number {
  let takenChars = 0;
  for (const passage of passages) {
    const text = kept.texts[passage.text];
    if (text === undefined) continue;
    const lines = linesIn(text.text, passage).filter(({ place }) => !kept.places.has(`${passage.text}:${place}`));
    if (lines.every(({ content }) => content === "" || kept.contents.has(content))) continue;
    const headChars = kept.handles.has(text.handle) ? 0 : text.source.length + text.handle.length + HEAD_FRAME_CHARS;
    const gapChars = lines.length > 1 ? GAP_CHARS : 0;
    const chars = lines.reduce((sum, { start, end }) => sum + end - start + LINE_FRAME_CHARS, headChars + gapChars);
    if (chars > maximumChars - takenChars) continue;
    takenChars += chars;
    kept.handles.add(text.handle);
    for (const { start, end, place, content } of lines) {
      kept.contents.add(content);
      kept.places.add(`${passage.text}:${place}`);
      kept.lines.push({ text: passage.text, start, end, joined: lines.length > 1 });
    }
  }
  return takenChars;
}

interface PassageLine {
  readonly start: number;
  readonly end: number;
  /** The line without the white space around it, and where that begins: what tells two lines apart. */
  readonly content: string;
  readonly place: number;
}

/** The lines of a passage without the white space behind them; those between others may be empty. */
function linesIn(text: string, passage: Passage): readonly PassageLine[] {
  const lines: PassageLine[] = [];
  for (let start = passage.start; start < passage.end; ) {
    const newline = text.indexOf("\n", start);
    const lineEnd = newline < 0 ? passage.end : Math.min(newline, passage.end);
    const line = text.slice(start, lineEnd).trimEnd();
    const content = line.trimStart();
    lines.push({ start, end: start + line.length, content, place: start + line.length - content.length });
    start = lineEnd + 1;
  }
  return lines;
}

/** Makes excerpts of the kept passages by message, in the order of the texts; a gap parts passages of several lines from text that does not border on them. */
function excerptsOf({ texts, lines }: KeptPassages): readonly Excerpt[] {
  const excerpts = new Map<string, Excerpt & { readonly lines: string[] }>();
  const last = new Map<string, KeptLine>();
  for (const line of lines.toSorted((a, b) => a.text - b.text || a.start - b.start)) {
    const from = texts[line.text];
    if (from === undefined) continue;
    const excerpt = excerpts.get(from.handle) ?? { source: from.source, handle: from.handle, lines: [] };
    const before = last.get(from.handle);
    if (before !== undefined && (before.joined || line.joined) && !borders(from.text, before, line)) excerpt.lines.push(GAP);
    excerpt.lines.push(from.text.slice(line.start, line.end));
    excerpts.set(from.handle, excerpt);
    last.set(from.handle, line);
  }
  return [...excerpts.values()];
}

function borders(text: string, before: KeptLine, line: KeptLine): boolean {
  return before.text === line.text && text.slice(before.end, line.start).trim() === "";
}

function refuseNoPassage(texts: readonly ReadableText[], { text, start, end }: Passage): void {
  const found = texts[text];
  const isPassage = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end;
  if (found?.leaves !== true || !isPassage || end > found.text.length)
    throw new RangeError(`a keep rule chose characters ${start} to ${end} of text ${text}, which do not leave the view`);
}

/** Recalls of the log what the view does not show. */
interface Recaller {
  /** The most tokens that a recall block takes. */
  readonly atMostTokens: number;
  /** The block for a view in which these messages stay, of at most so many characters; `null` for nothing to recall. */
  readonly recall: (staying: readonly Message[], maximumChars: number, said?: string) => string | null;
}

/** The largest share of the room for recalled passages, so that a small window has room for the next messages; chosen. */
const RECALLED_ROOM_RATIO = 0.5;

/** The recaller of the first rule that recalls; `null` without one. A rule that throws recalls nothing, and `failures` says so. */
export function recaller(rules: readonly KeepRule[], room: QuoteRoom, failures: Map<string, unknown>): Recaller | null {
  const rule = rules.find((each) => each.keeps === "units");
  const { log: index, charsPerToken, work } = room;
  if (rule === undefined || index === null) return null;
  const roomTokens = Math.max(0, room.roomTokens * RECALLED_ROOM_RATIO);
  const ownTokens = Math.max(0, resolveAmount(rule.atMost, room.budget) - room.inHandTokens);
  const atMostTokens = Math.floor(Math.min(ownTokens, roomTokens));
  return {
    atMostTokens,
    recall: (staying, maximumChars, said = "") => {
      const shown = new Set(staying);
      const limitChars = Math.min(Math.floor(atMostTokens * charsPerToken), maximumChars);
      try {
        const stays = (message: Message) => shown.has(message);
        const block = recalledText(recalledPassages({ index, ...rule, stays, said, maximumChars: limitChars }));
        work.scanned(block?.length ?? 0);
        return block;
      } catch (failure) {
        failures.set(rule.kind, failure);
        return null;
      }
    },
  };
}

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
