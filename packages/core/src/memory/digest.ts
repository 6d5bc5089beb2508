import { z } from "zod";
import { isRecord, jsonIn } from "../json.ts";
import { LINE_BREAKS } from "../message/framing.ts";
import { isHuman, isSummary, type Message, textOf } from "../message/message.ts";
import * as option from "../option.ts";
import type { Summarizer, SummaryRequest } from "../ports.ts";
import { summaryIn } from "../prompts/notices.ts";
import { sectionedText, sectionsIn } from "../summarizer/sections.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";
import { type Facts, fileOperations, foldFacts, isDone, isGivenUp, lastErrors, NO_FACTS } from "./facts.ts";
import { charsOfLines, isPlanGone, runningLines } from "./record.ts";
import { logTexts } from "./units.ts";

/**
 * Makes a summariser that asks no model: the same input gives the same text. It quotes only facts: the first request and the newest, the items of the plan, files, failures,
 * running things, and the newest step, in their original words, up to a size that does not depend on the policy. A section without facts is left out.
 *
 * @throws PlimsollError `bad-input` for a key that is missing or unknown, or has a value of another kind.
 */
export function createDigest(options: DigestOptions = DEFAULT_DIGEST_OPTIONS): Summarizer {
  option.check("a digest", DIGEST_OPTIONS, options);
  return async (request) => ({ text: digestText(request, options), usage: null, stopReason: "end", isQuoted: true });
}

/** Size of a digest, and the text beside it. */
export interface DigestOptions {
  /** UTF-16 code units of the whole digest at most. */
  readonly maximumChars: number;
  /** The record of the whole log; if left out, the view's own is read. */
  readonly facts?: Facts;
  /** True if that record is written beside it: plan, files, failures and running things are not quoted again. */
  readonly isBesideRecord?: boolean;
}

/** 6,000 characters, about 1,500 tokens: chosen; summaries in the recorded sessions have 1,000 to 3,000 tokens. */
export const DEFAULT_DIGEST_OPTIONS: DigestOptions = { maximumChars: 6000 };

const DIGEST_OPTIONS = option.schema<DigestOptions>({
  maximumChars: option.count,
  facts: option.object.optional(),
  isBesideRecord: z.boolean().optional(),
});

/** Sections of a digest under a policy that names none. */
const OWN_SECTIONS = ["Goal", "Progress", "Next Steps", "Failures"] as const;

interface QuoteKind {
  readonly textsOf: (told: Told) => readonly string[];
  /** They go into the section whose title has one of these words, an earlier word first; into the last section if none has. */
  readonly under: readonly string[];
  /** Before each of them. */
  readonly mark: string;
  /** Share of the room; chosen, as the longest quotations are. The next kind gets the rest. */
  readonly shareRatio: number;
  /** The longest quotation in UTF-16 units. */
  readonly quoteChars: number;
  /** Which stay if there is no room for all. */
  readonly prefers: "newest" | "oldest";
  /** The part of the record that has it. */
  readonly record?: "plan" | "running" | "accesses" | "outcomes";
}

/** Texts to quote, each list in the order of the messages. */
interface Told extends Pick<Earlier, "prose"> {
  readonly focus: readonly string[];
  /** The newest request; none if none is covered. */
  readonly asked: readonly string[];
  readonly facts: Facts;
  /** Texts of the newest step: the model's words, and its calls' outputs. */
  readonly step: readonly string[];
  readonly calls: readonly string[];
}

const GOAL = ["task", "goal", "request"];
const PROGRESS = ["progress", "narrative"];
const AHEAD = ["next", "pending", ...PROGRESS];
const FILES = ["file", "artifact", "critical", ...PROGRESS];
const FAILURES = ["failure", "critical", "pending", "error"];

/** Before a digest's quotation of the first request, which is always carried over, and of the newest that it covers. */
const FIRST = "- Asked first: ";
const NEWEST = "- Asked later: ";
/** Before the calls of a tool: of the whole log, if its record is there. */
const CALLED = "- Called: ";
const FIRST_FORM = { mark: FIRST, quoteChars: 600, prefers: "newest" } as const;

const line = { mark: "- ", prefers: "newest" } as const;
const marked = { shareRatio: 0.1, quoteChars: 240, prefers: "newest" } as const;
const isOpen = (status: string) => !isDone(status) && !isGivenUp(status);

/** In the order in which they are given room. Of quotations behind a mark of their own only the newest is carried over. */
const KINDS: readonly QuoteKind[] = [
  { ...line, textsOf: ({ prose }) => prose, under: PROGRESS, shareRatio: 0.2, quoteChars: 1500 },
  { ...marked, textsOf: ({ asked }) => asked, under: GOAL, mark: NEWEST, quoteChars: 600 },
  { ...marked, ...plan(isOpen), under: AHEAD, mark: "- Plan, open: ", prefers: "oldest" },
  { ...marked, textsOf: running, under: AHEAD, mark: "- In the background: ", prefers: "oldest", record: "running" },
  { ...marked, ...plan(isDone), under: PROGRESS, mark: "- Plan, done: ", shareRatio: 0.05 },
  { ...marked, ...files("modify"), under: FILES, mark: "- Changed: " },
  { ...marked, ...files("read"), under: FILES, mark: "- Read: ", shareRatio: 0.05 },
  { ...marked, textsOf: failures, under: FAILURES, mark: "- Failed: ", record: "outcomes" },
  { ...marked, textsOf: ({ calls }) => calls, under: PROGRESS, mark: CALLED, shareRatio: 0 },
  { ...line, textsOf: ({ step }) => step, under: PROGRESS, shareRatio: 0.2, quoteChars: 600, prefers: "oldest" },
];

function plan(isWanted: (status: string) => boolean): Pick<QuoteKind, "textsOf" | "record"> {
  const texts = ({ facts }: Told) => (facts.plan?.items ?? []).filter(({ status }) => isWanted(status)).map(({ text }) => text);
  return { textsOf: texts, record: "plan" };
}

function files(wanted: "read" | "modify"): Pick<QuoteKind, "textsOf" | "record"> {
  const paths = ({ facts }: Told) =>
    [...fileOperations(facts.accesses)].flatMap(([path, access]) => (access === wanted ? [path] : []));
  return { textsOf: paths, record: "accesses" };
}

function running({ facts }: Told): readonly string[] {
  return runningLines(facts.running, Number.POSITIVE_INFINITY).map((text) => text.slice("- ".length));
}

function failures({ facts }: Told): readonly string[] {
  return lastErrors(facts.outcomes).map(({ toolName, error }) => `${toolName}: ${error.slice(error.lastIndexOf("\n") + 1)}`);
}

/** Quotes the person's focus first: it takes this share of the room from all others (chosen). */
const FOCUS: QuoteKind = { textsOf: ({ focus }) => focus, under: PROGRESS, shareRatio: 0.4, quoteChars: 400, ...line };

/** Shares of the whole room, chosen: for the first request at most, and for earlier summaries at least. */
const FIRST_RATIO = 0.2;
const EARLIER_RATIO = 0.3;

type Page = ReadonlyMap<string, readonly string[]>;

/** The digest's text. Linear in the covered text, and in the files and failures of the record; quotes are cut on character boundaries. */
export function digestText(request: SummaryRequest, { maximumChars, facts, isBesideRecord = false }: DigestOptions): string {
  const covered = request.parts.flatMap(({ messages }) => messages);
  const view = request.view ?? covered;
  const titles = request.sections.length === 0 ? OWN_SECTIONS : request.sections;
  const limitChars = Math.min(maximumChars, request.maxTokens * 4);
  const known = facts ?? view.reduce(foldFacts, NO_FACTS);
  const { first, ...said } = saidIn(covered, view);
  const focus = request.focus === null ? [] : [...focusLines(covered, request.focus), `Focus: ${request.focus}`];
  // The record of a whole log has the present state: an earlier digest's version of it is outdated.
  const outOfDate = KINDS.flatMap(({ mark, record }) =>
    record !== undefined && (facts !== undefined || known[record] !== NO_FACTS[record]) ? [mark] : [],
  );
  const gone = new Set(covered.map(({ id }) => id));
  const staying = view.filter(({ id }) => !gone.has(id));
  const calls = callsIn(known, staying.filter(({ role }) => role === "tool-result").length);
  const { lines, prose, firstAsked } = earlierIn(covered, titles, [
    ...outOfDate,
    ...(said.asked.length > 0 ? [NEWEST] : []),
    ...(facts !== undefined && calls.length > 0 ? [CALLED] : []),
  ]);
  const goal = sectionFor(GOAL, titles);
  const asked = firstAsked ?? first;
  const firstRoom = limitChars * FIRST_RATIO - headingChars(goal, new Map());
  const begun = withLines(new Map(), goal, quotesThatFit(asked === null ? [] : [asked], FIRST_FORM, firstRoom));
  const earlierChars = Math.min(limitChars * EARLIER_RATIO, charsOf(lines));
  const isPlanCovered = isPlanGone(known, staying);
  const fresh = withKinds(
    begun,
    // A plan that a message beside the digest has whole is not quoted.
    { ...said, prose, focus, calls, facts: isPlanCovered ? known : { ...known, plan: null } },
    { titles, isBesideRecord, roomChars: limitChars - charsOf(begun) - earlierChars },
  );
  const carried = newestOf(lines, { page: fresh, roomChars: limitChars - charsOf(fresh) });
  const bodies = titles.flatMap((section) => {
    const opening = begun.get(section) ?? [];
    const body = [...opening, ...(carried.get(section) ?? []), ...(fresh.get(section) ?? []).slice(opening.length)];
    return body.length === 0 ? [] : [[section, [body.join("\n")]] as const];
  });
  if (bodies.length > 0) return sectionedText(titles, new Map(bodies));
  return `## ${sectionFor(PROGRESS, titles)}\n${NOTHING_QUOTED}`;
}

/** A digest without quotations. The next one does not carry it over. */
const NOTHING_QUOTED = "Nothing is quoted of the earlier messages.";

/** The session's first request, if it is covered and in no summary yet; the newest of the others that are; and the newest step. */
function saidIn(
  covered: readonly Message[],
  view: readonly Message[],
): { readonly first: string | null } & Pick<Told, "asked" | "step"> {
  const requests = covered.filter(isRequest);
  // Before a summary come only messages that it does not cover.
  const first = view.find((message) => isSummary(message) || isRequest(message));
  const isFirst = ({ id }: Message) => id === first?.id;
  const later = requests.filter((message) => !isFirst(message));
  const begun = covered.findLastIndex(isOfModel);
  return {
    first: requests.filter(isFirst).map(textOf)[0] ?? null,
    asked: later.slice(-1).map(textOf),
    step: (begun < 0 ? [] : covered.slice(begun)).flatMap((message) => {
      if (message.role === "tool-result") return [`${message.toolName}: ${textOf(message).trim()}`];
      return isOfModel(message) ? [textOf(message)] : [];
    }),
  };
}

/** By tool the calls that ended before those of the last results, in short, if no plan or file says what was done: the values in which they differ, the newest. */
function callsIn({ plan, accesses, outcomes }: Facts, lastCount: number): readonly string[] {
  if (plan !== null || accesses.size > 0) return [];
  const end = outcomes.size - lastCount;
  const byTool = new Map<string, { count: number; readonly values: Map<string, Set<string>> }>();
  for (const { toolName, argumentsJson } of outcomes.slice(Math.max(0, end - MOST_CALLS), Math.max(0, end))) {
    const called = byTool.get(toolName) ?? { count: 0, values: new Map<string, Set<string>>() };
    byTool.set(toolName, called);
    called.count += 1;
    const args = argumentsJson.length > MOST_ARGUMENT_CHARS ? null : jsonIn(argumentsJson);
    for (const [key, value] of Object.entries(isRecord(args) ? args : {})) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      called.values.set(key, (called.values.get(key) ?? new Set()).add(text.slice(0, VALUE_CHARS)));
    }
  }
  return [...byTool].flatMap(([toolName, { count, values: byKey }]) => {
    const [key, values] = [...byKey].sort(([, a], [, b]) => b.size - a.size)[0] ?? ["", new Set<string>()];
    if (values.size < 2) return [];
    const runs = merged([...values]);
    const shown = runs.length > MOST_VALUES ? ["…", ...runs.slice(-MOST_VALUES)] : runs;
    return `${toolName} ${key} ${shown.join(", ")} (${count}${end > MOST_CALLS ? "+" : ""} calls)`;
  });
}

/** Of a list of calls, chosen: about 100 tokens, of so many calls that a long log costs no more. */
const MOST_CALLS = 1_000;
const MOST_ARGUMENT_CHARS = 4_000;
const VALUE_CHARS = 40;
const MOST_VALUES = 24;

/** Values in their order, neighbouring whole numbers as a run. */
function merged(values: readonly string[]): readonly string[] {
  const runs: [from: string, to: string][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run !== undefined && /^\d{1,9}$/.test(run[1]) && String(Number(run[1]) + 1) === value) run[1] = value;
    else runs.push([value, value]);
  }
  return runs.map(([from, to]) => (from === to ? from : `${from} to ${to}`));
}

function isRequest(message: Message): boolean {
  return isHuman(message) && startOfSaying(textOf(message)) >= 0;
}

function isOfModel(message: Message): boolean {
  return message.role === "assistant" && message.origin === "model";
}

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
    if (isBesideRecord && kind.record !== undefined) {
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

/** Any line break, and one before a mark that would begin a heading or a code fence. */
const BREAK = new RegExp(`[${LINE_BREAKS.join("")}]`, "g");
const BREAK_BEFORE_MARK = new RegExp(`${BREAK.source}(?=#|\`\`\`)`, "g");

/** As many of the texts as fit, each quoted behind its mark, in their order. The first that is tried is cut to the room if it is longer. */
function quotesThatFit(
  texts: readonly string[],
  { mark, quoteChars, prefers }: Pick<QuoteKind, "mark" | "quoteChars" | "prefers">,
  roomChars: number,
): string[] {
  const isNewestFirst = prefers === "newest";
  const kept: string[] = [];
  let leftChars = roomChars - mark.length - 1;
  for (let tried = 0; tried < texts.length && leftChars > 0; tried++) {
    const text = texts[isNewestFirst ? texts.length - 1 - tried : tried] ?? "";
    // Behind a mark of its own a text has one line: the mark says which lines are out of date.
    const whole = mark === line.mark ? text : text.trim().replaceAll(BREAK, " ");
    const quoted = quote(whole, kept.length === 0 ? Math.min(quoteChars, leftChars) : quoteChars);
    if (quoted.length > leftChars) break;
    if (quoted === "") continue;
    kept.push(`${mark}${quoted}`);
    leftChars -= quoted.length + mark.length + 1;
  }
  return isNewestFirst ? kept.reverse() : kept;
}

/** The text from its first line that says something. Its lines that would be a heading, a code fence or one of the digest's own are moved in. */
function quote(text: string, maximumChars: number): string {
  const trimmed = text.trim();
  const start = startOfSaying(trimmed);
  if (start < 0) return "";
  const whole = trimmed.slice(start).trimStart().replace(ITEM, "");
  const cut = whole.length <= maximumChars ? whole : `${whole.slice(0, characterBoundaryAtOrBefore(whole, maximumChars - 1))}…`;
  const isOurs = (each: string) => isNothing(each) || OWN_MARKS.some((mark) => each.startsWith(mark));
  const movedIn = cut.split("\n").map((each, at) => (at > 0 && isOurs(each) ? ` ${each}` : each));
  return movedIn.join("\n").replaceAll(BREAK_BEFORE_MARK, "$& ");
}

/** The mark of a ticked item: a quotation comes behind a mark of its own. */
const ITEM = /^[-*+] (?=\[[ x]\] )/i;

function startOfSaying(text: string): number {
  for (const { 0: each, index } of text.matchAll(/[^\n]+/g)) if (each.trim() !== "" && !isNothing(each)) return index;
  return -1;
}

const OWN_MARKS = [FIRST, ...KINDS.map(({ mark }) => mark)].filter((mark) => mark !== line.mark);

/** UTF-16 units of a line that says that there is nothing at most; chosen. */
const NOTHING_CHARS = 40;

/** True for a line that says that there is nothing, as models write it under a heading. */
function isNothing(text: string): boolean {
  return text.length <= NOTHING_CHARS && /^[^\p{L}\p{N}]*(?:none|n[^\p{L}\p{N}]+a)[^\p{L}\p{N}]*$/iu.test(text);
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

function sectionFor(words: readonly string[], titles: readonly string[]): string {
  for (const word of words) {
    const found = titles.find((title) => title.toLowerCase().includes(word));
    if (found !== undefined) return found;
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

/** Words that a focus is looked for by: of three characters at least, names of files and functions whole. */
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]+[\p{L}\p{N}_]/gu;

/** Characters that a line keeps before the first word that matches; chosen. */
const LEAD_CHARS = 120;

/**
 * Lines that hold words of the focus, the best last: a word counts the more, the fewer texts have it; of equals the newest is the best. A common word counts for nothing beside a
 * rare one: one that more texts have than the geometric mean of all texts and those with the rarest. Linear in the texts.
 */
function focusLines(messages: readonly Message[], focus: string): readonly string[] {
  const texts = messages.flatMap(logTexts).map(({ text }) => ({ text, folded: text.toLowerCase() }));
  const counts = [...new Set(focus.toLowerCase().match(WORD) ?? [])]
    .map((word) => [word, texts.filter(({ folded }) => folded.includes(word)).length] as const)
    .filter(([, count]) => count > 0);
  const mostTexts = Math.sqrt(texts.length * Math.min(...counts.map(([, count]) => count)));
  const rare = counts.filter(([, count]) => count <= mostTexts);
  const found = new Map<string, { readonly worth: number; readonly place: number }>();
  let place = 0;
  for (const { text, folded } of texts) {
    if (!rare.some(([word]) => folded.includes(word))) continue;
    for (const line of text.split("\n")) {
      const ofLine = line.toLowerCase();
      const held = rare.filter(([word]) => ofLine.includes(word));
      if (held.length === 0) continue;
      const first = Math.min(...held.map(([word]) => ofLine.indexOf(word)));
      const worth = held.reduce((sum, [, count]) => sum + 1 / count, 0);
      found.set(line.slice(Math.max(0, first - LEAD_CHARS)).trim(), { worth, place: place++ });
    }
  }
  return [...found].sort(([, a], [, b]) => a.worth - b.worth || a.place - b.place).map(([line]) => line);
}

interface Earlier {
  /** Lines by section, oldest summary first. */
  readonly lines: ReadonlyMap<string, readonly string[]>;
  /** Text under no known section, oldest first. */
  readonly prose: readonly string[];
  /** The session's first request; `null` if no digest has it. */
  readonly firstAsked: string | null;
}

/** Takes earlier summaries apart: their lines without those behind a mark that is out of date, empty phrases, and headings above nothing. Linear. */
function earlierIn(messages: readonly Message[], titles: readonly string[], outOfDate: readonly string[]): Earlier {
  const lines = new Map<string, readonly string[]>();
  const prose: string[] = [];
  let firstAsked: string | null = null;
  for (const message of messages) {
    if (!isSummary(message)) continue;
    // The summary itself: without the header and without the facts, which are written anew.
    const [part] = message.parts;
    const { preamble, found } = sectionsIn(part?.type === "text" ? summaryIn(part.text) : "", titles);
    if (preamble !== "" && !isNothing(preamble)) prose.push(preamble);
    for (const { title, body } of found) {
      const all = body.split("\n");
      firstAsked ??= all.find((each) => each.startsWith(FIRST))?.slice(FIRST.length) ?? null;
      const valid = all.filter((each) => {
        // An indented line that says that there is nothing is a quotation.
        const isEmpty = each === NOTHING_QUOTED || (!each.startsWith(" ") && isNothing(each));
        return !isEmpty && ![FIRST, ...outOfDate].some((mark) => each.startsWith(mark));
      });
      const told = fromFirstItem(withoutBareHeadings(valid)).map((each) => {
        // No code fence and no heading of a section: parts of a fence may be left out, and fenced text must not become one.
        const isSection = each.startsWith("#") && sectionsIn(each, titles).preamble !== each.trim();
        return isSection || each.startsWith("```") ? ` ${each}` : each;
      });
      if (told.length > 0) lines.set(title, [...(lines.get(title) ?? []), ...told]);
    }
  }
  return { lines, prose, firstAsked };
}

/** The lines without headings that have nothing before the next heading of their rank, or before the end. */
function withoutBareHeadings(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let followingRank = 0;
  for (const line of lines.toReversed()) {
    // A heading inside a section; lines that begin with one or two marks are code.
    const rank = /^(#{3,6}) /.exec(line)?.[1]?.length ?? 0;
    if (rank > 0 && followingRank <= rank) continue;
    kept.push(line);
    if (line.trim() !== "") followingRank = rank === 0 ? Number.POSITIVE_INFINITY : rank;
  }
  return kept.reverse();
}

/** The lines from the first that is not indented: it begins a quotation, or goes on with one that cannot be recognised. */
function fromFirstItem(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => /^\S/.test(line));
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return start < 0 ? [] : [...lines.slice(start, last), (lines[last] ?? "").trimEnd()];
}
