import { isNothing } from "../facts/sentences.ts";
import type { Message } from "../message/message.ts";
import type { Summarizer, SummaryRequest } from "../ports.ts";
import { summaryIn } from "../prompts/notices.ts";
import { logTexts } from "../recall/units.ts";
import type { NewestInView, QuoteForm, Quotes } from "./digest-quotes.ts";
import { isOurs, MARKS, newestIn, quote, quotesOf, quotesThatFit } from "./digest-quotes.ts";
import { sectionedText, sectionsIn } from "./sections.ts";

/**
 * A summary that no model writes: the same input gives the same text. It quotes what a summary most needs (requests, rules, what is done
 * and open, failures, conclusions) in the words in which it was said, up to a size that does not depend on the policy. A section of
 * which nothing is known is left out.
 */
export function createDigest(options: DigestOptions = DEFAULT_DIGEST_OPTIONS): Summarizer {
  // A history that is summarised in chunks has one view for all of them: it is read once.
  const known = new WeakMap<readonly Message[], NewestInView>();
  const newestOfView = (view: readonly Message[]): NewestInView => {
    const before = known.get(view);
    if (before !== undefined) return before;
    const found = newestIn(view);
    known.set(view, found);
    return found;
  };
  return async (request) => ({ text: digestText(request, options, newestOfView), usage: null, stopReason: "end" });
}

/** Size of a digest, and what stands beside it. */
export interface DigestOptions {
  /** UTF-16 code units of the whole digest at most. */
  readonly maximumChars: number;
  /** True if the record of the session's state is beside it, with what the person said, the plan, choices and failures: they are not quoted again. */
  readonly isBesideRecord?: boolean;
}

/** 6,000 characters, about 1,500 tokens: chosen; summaries in the recorded sessions have 1,000 to 3,000 tokens. */
export const DEFAULT_DIGEST_OPTIONS: DigestOptions = { maximumChars: 6000 };

/** Sections of a digest under a policy that names none. */
const OWN_SECTIONS = ["Goal", "Constraints", "Progress", "Decisions", "Next Steps", "Failures"] as const;

/** Quotations of one kind. */
interface QuoteKind extends QuoteForm {
  readonly textsOf: (told: Told) => readonly string[];
  /** They stand in the section whose title has one of these words, an earlier word first; in the last section if none has. */
  readonly under: readonly string[];
  /** Share of the room; chosen, as the longest quotations are. What is left over is left to the next kind. */
  readonly shareRatio: number;
  /** True if the record has it. */
  readonly isRecorded?: true;
}

type Told = Quotes & Pick<Earlier, "prose"> & { readonly focus: readonly string[] };

const GOAL = ["task", "goal", "request"];
const RULES = ["constraint", "preference"];
const PROGRESS = ["progress", "narrative"];
const DECISIONS = ["decision", ...PROGRESS];
const AHEAD = ["next", "pending", ...PROGRESS];
const FAILURES = ["failure", "critical", "pending", "error"];

const newest = { mark: "- ", prefers: "newest" } as const;
const plan = (which: "done" | "open"): Pick<QuoteKind, "mark" | "textsOf"> => ({
  mark: MARKS[which],
  textsOf: (told) => (told.plan.kind === "told" ? told.plan.value[which] : []),
});

/** In the order in which they are given room. */
const KINDS: readonly QuoteKind[] = [
  { textsOf: ({ prose }) => prose, under: PROGRESS, shareRatio: 0.2, quoteChars: 1500, ...newest },
  { textsOf: ({ requests }) => requests, under: GOAL, shareRatio: 0.2, quoteChars: 600, isRecorded: true, ...newest },
  { under: AHEAD, shareRatio: 0.1, quoteChars: 240, prefers: "oldest", isRecorded: true, ...plan("open") },
  { textsOf: nextStepsOf, under: AHEAD, shareRatio: 0.05, quoteChars: 400, mark: MARKS.nextStep, prefers: "newest" },
  { under: PROGRESS, shareRatio: 0.05, quoteChars: 240, prefers: "newest", isRecorded: true, ...plan("done") },
  { textsOf: ({ choices }) => choices, under: DECISIONS, shareRatio: 0.05, quoteChars: 400, isRecorded: true, ...newest },
  { textsOf: ({ failures }) => failures, under: FAILURES, shareRatio: 0.1, quoteChars: 240, isRecorded: true, ...newest },
  { textsOf: ({ conclusions }) => conclusions, under: PROGRESS, shareRatio: 0.25, quoteChars: 400, ...newest },
];

/** Quotes the person's focus first: it takes this share of the room from all others (chosen). */
const FOCUS: QuoteKind = { textsOf: ({ focus }) => focus, under: PROGRESS, shareRatio: 0.4, quoteChars: 400, ...newest };

/** Shares of the whole room, chosen: for what the person decided and forbade at most, and for what earlier summaries say at least. */
const RULES_RATIO = 0.15;
const EARLIER_RATIO = 0.3;

function nextStepsOf({ nextStep }: Told): readonly string[] {
  return nextStep.kind === "told" ? [nextStep.value] : [];
}

/** Lines by section. */
type Page = ReadonlyMap<string, readonly string[]>;

/** The digest's text. Linear in what is covered, and in how much of the view is behind its newest plan; quotes are cut on character boundaries. */
export function digestText(
  request: SummaryRequest,
  { maximumChars, isBesideRecord = false }: DigestOptions,
  newestOfView: (view: readonly Message[]) => NewestInView = newestIn,
): string {
  const covered = request.parts.flatMap(({ messages }) => messages);
  const titles = request.sections.length === 0 ? OWN_SECTIONS : request.sections;
  const limitChars = Math.min(maximumChars, request.maxTokens * 4);
  const told = quotesOf(covered, newestOfView(request.view ?? covered));
  const outOfDate = { plan: told.plan.kind !== "unknown", nextStep: told.nextStep.kind !== "unknown" };
  const { lines, prose } = earlierIn(covered, titles, outOfDate);
  const { title, takesOver } = rulesSection(titles);
  const rulesRoom = { takesOver, roomChars: limitChars * RULES_RATIO - title.length - FRAME_CHARS };
  const ruled = withLines(new Map(), title, isBesideRecord ? [] : rulesThatFit(told.rules, lines.get(title) ?? [], rulesRoom));
  const earlier = new Map([...lines].filter(([section]) => !takesOver || section !== title));
  const earlierChars = Math.min(limitChars * EARLIER_RATIO, charsOf(earlier));
  const focus = request.focus === null ? [] : focusLines(covered, request.focus);
  const fresh = withKinds(
    ruled,
    { prose, ...told, focus },
    { titles, isBesideRecord, roomChars: limitChars - charsOf(ruled) - earlierChars },
  );
  const carried = newestOf(earlier, { page: fresh, roomChars: limitChars - charsOf(fresh) });
  const progress = sectionFor(PROGRESS, titles);
  const bodies = titles.flatMap((section) => {
    const all = [...(carried.get(section) ?? []), ...(fresh.get(section) ?? [])];
    // What the person asked to dwell on stays line by line.
    const body = section === progress && section !== title && focus.length === 0 ? withoutAlike(all) : all;
    return body.length === 0 ? [] : [[section, [body.join("\n")]] as const];
  });
  if (bodies.length > 0) return sectionedText(titles, new Map(bodies));
  return `## ${sectionFor(PROGRESS, titles)}\nNothing is quoted of ${covered.length} earlier ${covered.length === 1 ? "message" : "messages"}.`;
}

/** The page with quotations of each kind for which there is something to quote. */
function withKinds(
  page: Page,
  told: Told,
  { titles, isBesideRecord, roomChars }: { titles: readonly string[]; isBesideRecord: boolean; roomChars: number },
): Page {
  let filled = page;
  let spareChars = 0;
  const others = told.focus.length === 0 ? 1 : 1 - FOCUS.shareRatio;
  const kinds = KINDS.map((kind) => ({ ...kind, shareRatio: kind.shareRatio * others }));
  for (const kind of others === 1 ? KINDS : [FOCUS, ...kinds]) {
    if (isBesideRecord && kind.isRecorded) {
      spareChars += roomChars * kind.shareRatio;
      continue;
    }
    const section = sectionFor(kind.under, titles);
    const kindChars = roomChars * kind.shareRatio + spareChars;
    const lines = quotesThatFit(kind.textsOf(told), kind, kindChars - headingChars(section, filled));
    const next = withLines(filled, section, lines);
    spareChars = kindChars - (charsOf(next) - charsOf(filled));
    filled = next;
  }
  return filled;
}

/** Without what only goes on counting: of one-line items that differ in their numbers alone the newest few stay, with a count of the others. */
function withoutAlike(lines: readonly string[]): readonly string[] {
  const groups = new Map<string, { count: number; readonly places: number[] }>();
  for (const [at, line] of lines.entries()) {
    const isAlone = /^- .*$/.test(line) && !isOurs(line) && /^(?:- |#|$)/.test(lines[at + 1] ?? "");
    const [, more] = MORE_ALIKE.exec(line) ?? [];
    const shape = isAlone ? line.replace(MORE_ALIKE, "").replaceAll(/\d+/g, "0") : `${at}`;
    const group = groups.get(shape) ?? { count: 0, places: [] };
    groups.set(shape, group);
    group.count += Number(more ?? 0);
    group.places.push(at);
  }
  const marks = new Map<number, string>();
  for (const { count, places } of groups.values()) {
    const gone = places.slice(0, -MOST_ALIKE);
    for (const at of gone) marks.set(at, "");
    const [oldest] = places.slice(-MOST_ALIKE);
    if (oldest !== undefined && count + gone.length > 0) marks.set(oldest, ` (and ${count + gone.length} more like it)`);
  }
  return lines.flatMap((line, at) => {
    const mark = marks.get(at);
    return mark === "" ? [] : [mark === undefined ? line : `${line.replace(MORE_ALIKE, "")}${mark}`];
  });
}

const MORE_ALIKE = / \(and (\d{1,9}) more like it\)$/;

/** Items of one form that stay; chosen. */
const MOST_ALIKE = 3;

/** Where rules stand. What an earlier digest has there is a rule as well, if nothing else stands there. */
function rulesSection(titles: readonly string[]): { readonly title: string; readonly takesOver: boolean } {
  const title = sectionFor([...RULES, ...GOAL], titles);
  return { title, takesOver: !KINDS.some(({ under }) => sectionFor(under, titles) === title) };
}

/** Rules as lines, each once: the first and the newest, if there is no room for all. A rule is never cut. */
function rulesThatFit(
  rules: readonly string[],
  earlier: readonly string[],
  { takesOver, roomChars }: { readonly takesOver: boolean; readonly roomChars: number },
): readonly string[] {
  const known = earlier.filter((line) => !line.startsWith("#"));
  const said = rules.map((rule) => `- ${quote(rule, rule.length)}`);
  const lines = [...new Set(takesOver ? [...known, ...said] : said.filter((line) => !known.includes(line)))];
  const kept = new Set<string>();
  let leftChars = roomChars;
  for (const line of [...lines.slice(0, 1), ...lines.slice(1).reverse()]) {
    if (line.length + 1 > leftChars) continue;
    leftChars -= line.length + 1;
    kept.add(line);
  }
  return lines.filter((line) => kept.has(line));
}

/** Takes the part of earlier summaries that fits, each section in proportion; the newest lines of it are at its end. */
function newestOf(earlier: Page, { page, roomChars }: { readonly page: Page; readonly roomChars: number }): Page {
  const sizes = [...earlier].map(([section, lines]) => headingChars(section, page) + charsOfLines(lines));
  const ratio = Math.min(1, roomChars / sizes.reduce((sum, chars) => sum + chars, 0));
  return new Map(
    [...earlier].map(([section, lines], at) => {
      let leftChars = Math.floor((sizes[at] ?? 0) * ratio) - headingChars(section, page);
      const start = lines.findLastIndex((line) => {
        leftChars -= line.length + 1;
        return leftChars < 0;
      });
      return [section, fromFirstItem(lines.slice(start + 1))];
    }),
  );
}

/** The section whose title has one of the words, an earlier word first; else the last. */
function sectionFor(words: readonly string[], titles: readonly string[]): string {
  const lower = titles.map((title) => title.toLowerCase());
  for (const word of words) {
    const found = lower.findIndex((title) => title.includes(word));
    if (found >= 0) return titles[found] ?? "";
  }
  return titles.at(-1) ?? "";
}

function withLines(page: Page, section: string, lines: readonly string[]): Page {
  return lines.length === 0 ? page : new Map([...page, [section, [...(page.get(section) ?? []), ...lines]]]);
}

/** Characters of a section's frame in addition to its title: marks and line breaks. */
const FRAME_CHARS = 5;

function headingChars(section: string, page: Page): number {
  return page.has(section) ? 0 : section.length + FRAME_CHARS;
}

function charsOf(page: Page): number {
  return [...page].reduce((sum, [section, lines]) => sum + section.length + FRAME_CHARS + charsOfLines(lines), 0);
}

function charsOfLines(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** Words that a focus is looked for by: of three characters at least, names of files and functions whole. */
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]+[\p{L}\p{N}_]/gu;

/** Characters that a line keeps before the first word that matches; chosen. */
const LEAD_CHARS = 120;

/**
 * Lines of what was said, written and shown that hold words of the focus, the best last: a word counts the more, the fewer lines have it, and of
 * equals the newest is the best. None if no word is found. Linear in the texts.
 */
function focusLines(messages: readonly Message[], focus: string): readonly string[] {
  const words = [...new Set(focus.toLowerCase().match(WORD) ?? [])];
  if (words.length === 0) return [];
  const found = new Map<string, { readonly line: string; readonly words: readonly string[]; place: number }>();
  const linesWith = new Map<string, number>();
  let place = 0;
  for (const message of messages) {
    for (const { text } of logTexts(message)) {
      const lower = text.toLowerCase();
      if (!words.some((word) => lower.includes(word))) continue;
      for (const line of text.split("\n")) {
        place += 1;
        const ofLine = line.toLowerCase();
        const held = words.filter((word) => ofLine.includes(word));
        if (held.length === 0) continue;
        const first = Math.min(...held.map((word) => ofLine.indexOf(word)));
        const shown = line.slice(Math.max(0, first - LEAD_CHARS)).trim();
        if (!found.has(shown)) for (const word of held) linesWith.set(word, (linesWith.get(word) ?? 0) + 1);
        found.set(shown, { line: shown, words: held, place });
      }
    }
  }
  const worth = (held: readonly string[]) => held.reduce((sum, word) => sum + 1 / (linesWith.get(word) ?? 1), 0);
  return [...found.values()]
    .map((each) => ({ ...each, worth: each.words.length + worth(each.words) }))
    .sort((a, b) => a.worth - b.worth || a.place - b.place)
    .map(({ line }) => line);
}

/** The sections of earlier summaries among covered messages. */
interface Earlier {
  /** Lines by section, oldest summary first. */
  readonly lines: ReadonlyMap<string, readonly string[]>;
  /** Text under no known section, oldest first. */
  readonly prose: readonly string[];
}

/** Which of an earlier digest's lines are out of date. */
interface OutOfDate {
  readonly plan: boolean;
  readonly nextStep: boolean;
}

/** Takes earlier summaries apart: their lines without what is out of date, what says nothing, and headings above nothing. Linear. */
function earlierIn(messages: readonly Message[], titles: readonly string[], outOfDate: OutOfDate): Earlier {
  const gone = [...(outOfDate.plan ? [MARKS.done, MARKS.open] : []), ...(outOfDate.nextStep ? [MARKS.nextStep] : [])];
  const lines = new Map<string, readonly string[]>();
  const prose: string[] = [];
  for (const message of messages) {
    if (message.role === "tool-result" || message.origin !== "summary") continue;
    const { preamble, found } = sectionsIn(summaryOf(message), titles);
    if (preamble !== "" && !isNothing(preamble)) prose.push(preamble);
    for (const { title, body } of found) {
      const valid = body.split("\n").filter((line) => !gone.some((mark) => line.startsWith(mark)) && !isLeftEmpty(line));
      const told = fromFirstItem(withoutBareHeadings(valid)).map((line) => quotedLine(line, titles));
      if (told.length > 0) lines.set(title, [...(lines.get(title) ?? []), ...told]);
    }
  }
  return { lines, prose };
}

/** The summary itself: its first part, without the header and without the facts, which are written anew. */
function summaryOf(message: Message): string {
  const [part] = message.parts;
  return part?.type === "text" ? summaryIn(part.text) : "";
}

/** True for a line that says that there is nothing. What is moved in was said by somebody. */
function isLeftEmpty(line: string): boolean {
  return !line.startsWith(" ") && isNothing(line);
}

/** The lines without headings that have nothing before the next heading of their rank, or before the end. */
function withoutBareHeadings(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let followingRank = 0;
  for (const line of lines.toReversed()) {
    const rank = rankOf(line);
    if (rank > 0 && followingRank <= rank) continue;
    kept.push(line);
    if (line.trim() !== "") followingRank = rank === 0 ? CONTENT : rank;
  }
  return kept.reverse();
}

/** Below any heading. */
const CONTENT = 7;

/** Rank of a line as a heading inside a section; 0 for any other line. Lines that begin with one or two marks are code. */
function rankOf(line: string): number {
  const rank = line.indexOf(" ");
  return rank > 2 && rank < CONTENT && line.startsWith("#".repeat(rank)) ? rank : 0;
}

/** The lines from the first that is not moved in: it begins what was said, or goes on with what cannot be told from it. */
function fromFirstItem(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => /^\S/.test(line));
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return start < 0 ? [] : [...lines.slice(start, last), (lines[last] ?? "").trimEnd()];
}

/** A line that is no code fence and no heading of a section: parts of a fence may be left out, and what was fenced must not become one. */
function quotedLine(line: string, titles: readonly string[]): string {
  const isSection = line.startsWith("#") && sectionsIn(line, titles).preamble !== line.trim();
  return isSection || line.startsWith("```") ? ` ${line}` : line;
}
