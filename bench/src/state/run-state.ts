import { BUILT_IN_KINDS, type EnginePolicy, type Kinds } from "@plimsoll/core/extend";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { cellOf } from "../replay/cell.ts";
import { drive } from "../replay/drive.ts";
import { type PreparedSession, prepareSession } from "../replay/prepared-session.ts";
import type { Program } from "../replay/program.ts";
import { markdownTable } from "../report/table.ts";
import { createRandom, percentOf, quantileOf, summed } from "../statistics.ts";
import { type CheckedContext, checkContext, NO_COUNTS, type StateCounts } from "./check-state.ts";
import { madeSession, type SessionPlan, type StateSession } from "./made-session.ts";
import { checkedBySecond, secondSession } from "./second-orders.ts";

/** Who made a session, and what holds a context against its truth. */
interface Hand {
  readonly hand: "first" | "second" | "recorded";
  readonly make: (plan: SessionPlan) => StateSession;
  readonly check: typeof checkContext;
}

/** Two hands made sessions and checkers apart: neither judges its own words alone. */
const HANDS: readonly Hand[] = [
  { hand: "first", make: madeSession, check: checkContext },
  { hand: "second", make: secondSession, check: checkedBySecond },
];

/** The request for a run over made sessions, or over recorded ones. */
export interface StateRun {
  readonly policies: readonly EnginePolicy[];
  readonly programs: readonly Program[];
  readonly kinds?: Kinds;
  /** Sessions by each hand, or recorded ones in their place. */
  readonly sessions: number | readonly StateSession[];
  /** Seed of the first session; the next ones follow. */
  readonly firstSeed: number;
  /** Compactions after which a context is looked at last. */
  readonly compactions: number;
  /** Tokens of working room; what is written is stated as a share of it. */
  readonly roomTokens: number;
  /** Called when a session was played. */
  readonly onSession?: (played: { readonly policy: string; readonly at: number; readonly of: number }) => void;
}

/** One policy over all sessions by one hand: counts after the last compaction that was looked at, and the worst after any. */
export interface StateRow {
  readonly policy: string;
  readonly hand: Hand["hand"];
  /** Compactions of each session, up to the number asked for. */
  readonly compactions: readonly number[];
  readonly last: StateCounts;
  /** The same of each session. */
  readonly sessions: readonly StateCounts[];
  /** Sums over the contexts after each compaction. */
  readonly all: StateCounts;
  /** Forms of the orders that the last contexts do not hold. */
  readonly lost: readonly string[];
  /** Tokens (four characters each) that compaction wrote in the context, after a tenth of the compactions and after the last. */
  readonly writtenTokens: { readonly early: number; readonly last: number };
  /** Milliseconds of replay a compaction, checks left out: of the first session, and by the first hand of the same without a record. */
  readonly replayMs: { readonly withRecord: number; readonly without: number | null };
  /** The last context of the first session, as text. */
  readonly context: string;
}

/** Characters of each result, dense in tokens, and turns that are enough for so many compactions of a room: a turn adds about 9,000 tokens. */
const RESULT_CHARS = 12_000;
const TURN_TOKENS = 9_000;

/** Characters that the person pastes into every third or fourth message: a session of each in turn. */
const PASTED_CHARS = [6_000, 3_000, 0] as const;

interface Played {
  readonly made: StateSession;
  readonly prepared: PreparedSession;
}

interface PlayedBy extends Pick<Hand, "hand" | "check"> {
  readonly sessions: readonly Played[];
}

/** The sessions that a run is over, by who made them; the same numbers make the same sessions. */
function sessionsOf({ sessions, firstSeed, compactions, roomTokens }: StateRun): readonly PlayedBy[] {
  if (typeof sessions !== "number") {
    const recorded = sessions.map((made) => ({ made, prepared: prepareSession(made.transcript) }));
    return [{ hand: "recorded", check: checkContext, sessions: recorded }];
  }
  const turns = Math.max(20, Math.ceil((compactions * roomTokens * MOST_FREED_RATIO) / TURN_TOKENS));
  const playedBy = (make: Hand["make"]) =>
    Array.from({ length: sessions }, (_, at) => {
      const pastedChars = PASTED_CHARS[at % PASTED_CHARS.length] ?? 0;
      const made = make({ seed: firstSeed + at, turns, resultChars: RESULT_CHARS, pastedChars });
      return { made, prepared: prepareSession(made.transcript) };
    });
  return HANDS.map(({ hand, make, check }) => ({ hand, check, sessions: playedBy(make) }));
}

/** The share of a room that a compaction frees at most, by the policies that free most. Chosen: a session that is too short says so. */
const MOST_FREED_RATIO = 0.6;

/** Plays generated sessions under each policy, and checks every context after a compaction against the known truth. Asks no model: a digest stands in for one. */
export async function runState(run: StateRun): Promise<readonly StateRow[]> {
  const hands = sessionsOf(run);
  const cells = run.policies.flatMap((policy) => hands.map((made) => ({ policy, ...made })));
  const rows: StateRow[] = [];
  const of = cells.reduce((sum, { sessions }) => sum + sessions.length, 0);
  let at = 0;
  for (const { policy, hand, check, sessions } of cells) {
    const found = [];
    const play = (played: Played, by: EnginePolicy) => playedUnder(by, { ...played, check, run });
    for (const played of sessions) {
      found.push(await play(played, policy));
      at += 1;
      run.onSession?.({ policy: policy.name, at, of });
    }
    const [first] = hand === "first" && found[0]?.checked.length !== 0 ? sessions : [];
    const bare = first === undefined ? null : await play(first, { ...policy, facts: { ...policy.facts, maxTokens: 0 } });
    rows.push({
      policy: policy.name,
      hand,
      compactions: found.map(({ checked }) => checked.length),
      last: summed(
        NO_COUNTS,
        found.map(({ checked }) => checked.at(-1)?.counts ?? NO_COUNTS),
      ),
      sessions: found.map(({ checked }) => checked.at(-1)?.counts ?? NO_COUNTS),
      all: summed(
        NO_COUNTS,
        found.flatMap(({ checked }) => checked.map(({ counts }) => counts)),
      ),
      lost: found.flatMap(({ checked }) => checked.at(-1)?.lost ?? []),
      writtenTokens: {
        early: meanTokens(found.map(({ checked }) => checked[Math.floor(checked.length / 10)])),
        last: meanTokens(found.map(({ checked }) => checked.at(-1))),
      },
      replayMs: { withRecord: found[0]?.cutMs ?? 0, without: bare?.cutMs ?? null },
      context: found[0]?.context ?? "",
    });
  }
  return rows;
}

function meanTokens(checked: readonly (CheckedContext | undefined)[]): number {
  return Math.round(checked.reduce((sum, each) => sum + (each?.writtenChars ?? 0) / 4, 0) / Math.max(1, checked.length));
}

async function playedUnder(
  policy: EnginePolicy,
  { made, prepared, check, run }: Played & { readonly check: Hand["check"]; readonly run: StateRun },
): Promise<{ readonly checked: readonly CheckedContext[]; readonly context: string; readonly cutMs: number }> {
  const program = run.programs.find(({ name }) => name === policy.name) ?? null;
  const window = { kind: "working-room", tokens: run.roomTokens } as const;
  const cell = cellOf(prepared, { policy, window, catalog: MODEL_CATALOG, kinds: run.kinds ?? BUILT_IN_KINDS, program });
  const places = new Map(
    made.transcript.entries.flatMap((entry, at) => (entry.type === "message" ? [[entry.message.id, at] as const] : [])),
  );
  const checked: CheckedContext[] = [];
  let context = "";
  let cuts = 0;
  let leftOutMs = 0;
  const startMs = performance.now();
  await drive(prepared, cell, ({ compactions, context: sent, recorded }) => {
    cuts += compactions.length;
    if (compactions.length === 0 || checked.length >= run.compactions) return;
    const checkMs = performance.now();
    const through = places.get(recorded.throughMessageId ?? "") ?? 0;
    const messages = sent.slice();
    checked.push(check(messages, made.truth, (id) => (places.get(id) ?? Number.POSITIVE_INFINITY) <= through));
    context = messages
      .filter((message) => message.role !== "tool-result" && message.origin !== "model")
      .map((message) => message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"))
      .join("\n\n");
    leftOutMs += performance.now() - checkMs;
  });
  return { checked, context, cutMs: (performance.now() - startMs - leftOutMs) / Math.max(1, cuts) };
}

/** Writes the rows as a Markdown table, or as a list for a terminal; the worst first. Intervals are at 95 %: the wider ends of Wilson's over orders and of sessions drawn anew. */
export function stateTable(rows: readonly StateRow[], roomTokens: number, form: "table" | "list"): string {
  const head = [
    "policy",
    "generator",
    "cuts",
    "lost, by form",
    "in force, word for word %",
    "taken back: gone or marked %",
    "stale",
    "wrongly dropped",
    "contradictions a cut",
    "finished, shown as open",
    "running, named %",
    "orders from tools",
    "written, % of the room: early, last",
    "ms of replay a cut: with the record, without",
  ];
  const heldOf = ({ last }: StateRow) => percentOf(last.held, last.inForce) ?? 0;
  const sorted = rows.toSorted((a, b) => heldOf(a) - heldOf(b));
  const cells = sorted.map(
    ({ policy, hand, compactions, last, all, lost, writtenTokens, replayMs, sessions }): readonly string[] => {
      const cuts = compactions.reduce((sum, count) => sum + count, 0);
      const least = Math.min(...compactions);
      const ofRoom = (tokens: number) => ((tokens * 100) / roomTokens).toFixed(1);
      return [
        policy,
        hand,
        least === Math.max(...compactions) ? String(least) : `${least}–${Math.max(...compactions)}`,
        formsOf(lost),
        share(sessions.map(({ held, inForce }) => [held, inForce])),
        share(sessions.map(({ gone, marked, stale }) => [gone + marked, gone + marked + stale])),
        String(last.stale),
        String(all.wronglyDropped),
        (all.contradictions / Math.max(1, cuts)).toFixed(2),
        String(last.begunAgain),
        share(sessions.map(({ named, running }) => [named, running])),
        String(all.fromTools),
        `${ofRoom(writtenTokens.early)}, ${ofRoom(writtenTokens.last)}`,
        [replayMs.withRecord, replayMs.without].map((ms) => (ms === null ? "–" : Math.round(ms))).join(", "),
      ];
    },
  );
  if (form === "table") return markdownTable({ head, rows: cells });
  const listed = cells.map((row) => row.map((cell, at) => `${at === 0 ? "" : "  "}${head[at]}: ${cell}`).join("\n"));
  return listed.join("\n\n");
}

function formsOf(lost: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const form of lost) counts.set(form, (counts.get(form) ?? 0) + 1);
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, SHOWN_FORMS);
  return counts.size === 0 ? "none" : most.map(([form, count]) => `${form} ${count}`).join(", ");
}

/** Forms that a row names, the most frequent first; chosen, for the width of a table. */
const SHOWN_FORMS = 5;

/** A part and the whole that it is of. */
type Part = readonly [part: number, whole: number];

/** A share in whole per cent, with its interval. */
function share(sessions: readonly Part[]): string {
  const [part, whole] = pooled(sessions);
  if (whole === 0) return "–";
  const random = createRandom();
  const again = () => sessions.map(() => sessions[Math.floor(random() * sessions.length)] ?? ([0, 0] as const));
  const drawn = Array.from({ length: DRAWS }, () => percentOf(...pooled(again())) ?? 0);
  const ends = [...wilson(part, whole), quantileOf(drawn, 0.025) ?? 0, quantileOf(drawn, 0.975) ?? 0].map(Math.round);
  return `${Math.round(percentOf(part, whole) ?? 0)} [${Math.min(...ends)}, ${Math.max(...ends)}]`;
}

function pooled(sessions: readonly Part[]): Part {
  return sessions.reduce<Part>((sum, [part, whole]) => [sum[0] + part, sum[1] + whole], [0, 0]);
}

/** Draws of sessions for an interval; chosen. */
const DRAWS = 1_000;

/** 1.96: the quantile of 95 %. */
const Z = 1.96;

/** Wilson's interval of a share, in per cent. */
function wilson(part: number, whole: number): readonly [number, number] {
  const ratio = part / whole;
  const middle = ratio + Z ** 2 / (2 * whole);
  const spread = Z * Math.sqrt((ratio * (1 - ratio)) / whole + Z ** 2 / (4 * whole ** 2));
  const at = (value: number) => (100 * value) / (1 + Z ** 2 / whole);
  return [at(middle - spread), at(middle + spread)];
}
