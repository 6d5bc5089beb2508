import type { ExchangeFacts } from "@plimsoll/simulator";
import { z } from "zod";
import { TOLD } from "../play.ts";

const name = z.string().regex(/^[a-z0-9-]{1,40}$/);
const count = z.int().min(0).max(100_000_000);
const ratio = z.number().min(0).max(1);

/** The kinds of rows: an adapter in a program of a few lines, a plugin or hooks inside of a published program, the proxy under one, or a broken session
 * that one opens again. */
const rowKind = z.enum(["library", "plugin", "hooks", "proxy", "doctor"]);
export type RowKind = z.infer<typeof rowKind>;

const putBack = z.strictObject({
  /** Compactions after which everything that was looked for was there. */
  whole: count,
  /** Share of all prompt tokens of the session. */
  ratio,
});

/** Texts that hooks put back: those that were looked for in the first request after each compaction, and how large all of it is. */
export type PutBackFacts = z.infer<typeof putBack>;

/** Checks a file of facts: there is no field that could hold a text. */
export const acceptanceFactsSchema = z.strictObject({
  /** Its name on the command line and of its file. */
  name,
  title: z.string().regex(/^[A-Za-z0-9,./() -]{1,60}$/),
  kind: rowKind,
  version: z.string().regex(/^[0-9a-z.-]{1,30}$/),
  wire: z.string().regex(/^[a-z-]{1,20}$/),
  /** The model that its first main request asks for; `null` if it was not looked at. */
  modelId: z
    .string()
    .regex(/^[A-Za-z0-9./:-]{1,60}$/)
    .nullable(),
  /** The day of the run, as it was given. */
  recorded: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  windowTokens: count,
  /** Calls of tools that the scenario asks for, over all agents of the session. */
  steps: count,
  /** Main requests, the sub-agent's among them. */
  requests: count,
  /** Of a sub-agent: requests whose tools are others than those of the first. */
  subAgentRequests: count,
  /** Main requests that were not answered. */
  refused: count,
  /** Other requests that were not answered: titles, checks. */
  refusedAside: count,
  /** Summaries that the program asked for by itself. */
  nativeCompactions: count,
  cachedRatio: ratio,
  largestTokens: count,
  /** Main requests that are smaller than the one before them; for the proxy, its own count. */
  compactions: count,
  /** Main requests that found less in the cache than the one before them had sent. */
  breaks: count,
  /** How often the session was taken up by a new process. */
  resumes: count,
  /** Main requests that hold all that the person has said so far word for word. */
  personKept: count,
  /** Main requests that hold all that the program declares: its tools, its system text, and every message of the system or the developer; `null` if that was not looked at. */
  declaredKept: count.nullable(),
  /** Thinking that answered main requests held, and that the model was not shown; `null` if that was not looked at. */
  drops: count.nullable(),
  /** Calls whose whole result is in the session that the program stored; `null` if it stores none. */
  storedWhole: count.nullable(),
  /** Texts that hooks put back after the program's own compactions; `null` if nothing puts anything back. */
  putBack: putBack.nullable(),
  told: z.enum(TOLD),
  /** Of the proxy's compactions those that the vendor wrote; left out if it wrote none. */
  byVendor: count.exactOptional(),
  /** Questions about itself that the proxy was asked while the program ran, and those that it answered as it has to; left out if it was asked none. */
  asked: z.strictObject({ right: count, of: count }).exactOptional(),
});

/** The outcome of one session. Numbers, names and hashes: no text of a program is in it. */
export type AcceptanceFacts = z.infer<typeof acceptanceFactsSchema>;

/** The probe by which a sub-agent's first message is looked for. */
export const SUB_AGENT_PROBE = "sub-agent";

/** Counts the requests of a session: the facts that follow from them. Those of a sub-agent are compared only with each other. */
export function totalsOf(exchanges: readonly ExchangeFacts[]) {
  const main = exchanges.filter(({ kind }) => kind === "main");
  const answered = main.filter(isAnswered);
  const [first] = answered;
  const own = answered.filter(({ toolsHash }) => toolsHash === first?.toolsHash);
  const sub = answered.filter(({ toolsHash }) => toolsHash !== first?.toolsHash);
  const neighbours = [...pairs(own), ...pairs(sub)];
  const promptTokens = sumOf(answered, (each) => each.promptTokens);
  return {
    wire: first?.wire ?? "none",
    modelId: first?.modelId ?? "none",
    requests: main.length,
    subAgentRequests: sub.length,
    refused: main.length - answered.length,
    refusedAside: exchanges.filter((each) => each.kind !== "main" && !isAnswered(each)).length,
    nativeCompactions: exchanges.filter(({ kind }) => kind === "summary").length,
    cachedRatio: Math.round((sumOf(answered, (each) => each.cacheReadTokens) / Math.max(1, promptTokens)) * 1_000) / 1_000,
    largestTokens: Math.max(0, ...answered.map((each) => each.promptTokens ?? 0)),
    compactions: neighbours.filter(([before, each]) => (each.promptTokens ?? 0) < (before.promptTokens ?? 0)).length,
    breaks: neighbours.filter(([before, each]) => isBreak(before, each)).length,
    personKept: keptOf(own) + sub.filter(({ probes }) => probes.includes(SUB_AGENT_PROBE)).length,
    declaredKept: declaredIn(own) + declaredIn(sub),
    drops: sumOf(answered, ({ dropCount }) => dropCount),
  };
}

function isAnswered({ outcome }: ExchangeFacts): boolean {
  return outcome === "answered";
}

/** Requests that hold the person's messages of so far: one that was said once is not said again by the script. */
function keptOf(requests: readonly ExchangeFacts[]): number {
  let said = 1;
  let kept = 0;
  for (const { person } of requests) {
    said = Math.max(said, ...person.map((index) => index + 1));
    if (person.length === said) kept += 1;
  }
  return kept;
}

/** Requests that have the tools and the system text of the first, and no fewer messages of the system than any before them. */
function declaredIn(requests: readonly ExchangeFacts[]): number {
  const [first] = requests;
  let most = 0;
  return requests.filter(({ toolsHash, systemHash, roles: { system = 0 } }) => {
    const isWhole = toolsHash === first?.toolsHash && systemHash === first.systemHash && system >= most;
    most = Math.max(most, system);
    return isWhole;
  }).length;
}

/** The most that a cache may leave unread of the request before: its steps, and the item that was new. Chosen above 128 and a call's size. */
const UNREAD_TOKENS = 1_024;

function isBreak({ promptTokens }: ExchangeFacts, { cacheReadTokens }: ExchangeFacts): boolean {
  return (cacheReadTokens ?? 0) < (promptTokens ?? 0) - UNREAD_TOKENS;
}

function pairs<T>(items: readonly T[]): readonly (readonly [before: T, each: T])[] {
  return items.slice(1).flatMap((each, index) => items.slice(index, index + 1).map((before) => [before, each] as const));
}

function sumOf(exchanges: readonly ExchangeFacts[], of: (each: ExchangeFacts) => number | null): number {
  return exchanges.reduce((sum, each) => sum + (of(each) ?? 0), 0);
}

const LEAST_CACHED_RATIO = 0.85;

/** Most of a session's prompt tokens that hooks may put back. */
const MOST_PUT_BACK_RATIO = 0.005;

/** Lists the faults of a session, a few words each; none if it went as it has to. */
export function problemsOf(facts: AcceptanceFacts): readonly string[] {
  const { requests, steps, refused, personKept, largestTokens, windowTokens, storedWhole, putBack } = facts;
  const isHooks = facts.kind === "hooks";
  const isCut = facts.kind !== "hooks" && facts.kind !== "doctor";
  const wrong: readonly (readonly [boolean, string])[] = [
    [requests <= steps, "it ended early"],
    [refused > 0, "requests were refused"],
    [personKept < requests, "the person's words were lost"],
    [facts.declaredKept !== null && facts.declaredKept < requests, "something that the program declares was lost"],
    [(facts.drops ?? 0) > 0, "thinking was dropped"],
    [largestTokens >= windowTokens, "a prompt filled the window"],
    [storedWhole !== null && storedWhole < steps, "the stored session was changed"],
    [!isHooks && facts.nativeCompactions > 0, "the program compacted by itself"],
    [isCut && facts.cachedRatio < LEAST_CACHED_RATIO, "too little came from the cache"],
    [isCut && facts.compactions === 0, "nothing was compacted"],
    [isCut && facts.breaks > facts.compactions + facts.resumes, "the cache broke more often than it was compacted"],
    [facts.title.endsWith("-vendor") && facts.byVendor !== facts.compactions, "a compaction was not the vendor's"],
    [isHooks && (facts.nativeCompactions === 0 || putBack === null), "nothing was put back"],
    [putBack !== null && putBack.whole < facts.nativeCompactions, "something was not put back"],
    [facts.asked !== undefined && facts.asked.right < facts.asked.of, "the proxy answered a question about itself wrongly"],
    [putBack !== null && putBack.ratio > MOST_PUT_BACK_RATIO, "too much was put back"],
  ];
  return wrong.flatMap(([isWrong, words]) => (isWrong ? [words] : []));
}
