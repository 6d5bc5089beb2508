import { NEED_KINDS, type NeedKind } from "../needs/needles.ts";
import { clusteredEstimate, type Estimate, type InSession, inLineages, meanOver, ratioOf, unitOf } from "../statistics.ts";
import { grouped } from "./rates.ts";
import { SUMMARY_WRITERS, type SummaryCase, type SummaryWriter } from "./summary-cases.ts";

/** Of what later calls needed of a kind, how much each text held. */
export interface SummaryScore {
  /** An agent's name, or `all`. */
  readonly of: string;
  readonly kind: NeedKind;
  readonly compactions: number;
  readonly sessions: number;
  readonly uses: number;
  /** Mean of the sessions' shares: each session counts the same. */
  readonly mean: Readonly<Record<SummaryWriter, number | null>>;
  /** Share of all uses together. */
  readonly pooled: Readonly<Record<SummaryWriter, number | null>>;
  /** Mean difference between our digest with facts and the recorded summary, and without facts. */
  readonly withFactsLessRecorded: Estimate;
  readonly digestLessRecorded: Estimate;
}

/** How long the compared texts are: what is longer holds more. */
export interface SummaryLengths {
  readonly of: string;
  readonly compactions: number;
  readonly meanChars: Readonly<Record<SummaryWriter, number | null>>;
}

/** Every kind of need, over all summaries and by agent. */
export function summaryScores(cases: readonly SummaryCase[]): readonly SummaryScore[] {
  return grouped(cases, ({ agent }) => agent).flatMap(([of, own]) =>
    NEED_KINDS.flatMap((kind) => {
      const compactions = own.filter(({ needs }) => needs.some((each) => each.kind === kind)).length;
      return compactions === 0 ? [] : [{ of, kind, compactions, ...scoresOf(own, kind) }];
    }),
  );
}

/** Mean lengths, over all summaries and by agent. */
export function summaryLengths(cases: readonly SummaryCase[]): readonly SummaryLengths[] {
  return grouped(cases, ({ agent }) => agent).map(([of, own]) => ({
    of,
    compactions: own.length,
    meanChars: byWriter((writer) => ratioOf(sumOf(own.map(({ chars }) => chars[writer])), own.length)),
  }));
}

/** The share of one kind that the summaries of a lineage held. */
interface SessionShare extends InSession {
  readonly uses: number;
  readonly held: Readonly<Record<SummaryWriter, number>>;
}

function scoresOf(cases: readonly SummaryCase[], kind: NeedKind): Omit<SummaryScore, "of" | "kind" | "compactions"> {
  const sessions = inLineages(cases)
    .map((own): SessionShare => {
      const needs = own.flatMap((each) => each.needs.filter((need) => need.kind === kind));
      const held = byWriter((writer) => sumOf(needs.map((need) => need.held[writer])));
      return { ...unitOf(own[0]), uses: sumOf(needs.map(({ uses }) => uses)), held };
    })
    .filter(({ uses }) => uses > 0);
  const uses = sumOf(sessions.map((each) => each.uses));
  const share = ({ held, uses: all }: SessionShare, writer: SummaryWriter) => held[writer] / all;
  return {
    sessions: sessions.length,
    uses,
    mean: byWriter((writer) => ratioOf(sumOf(sessions.map((each) => share(each, writer))), sessions.length)),
    pooled: byWriter((writer) => ratioOf(sumOf(sessions.map(({ held }) => held[writer])), uses)),
    withFactsLessRecorded: difference(sessions, (each) => share(each, "digest and facts") - share(each, "recorded")),
    digestLessRecorded: difference(sessions, (each) => share(each, "digest") - share(each, "recorded")),
  };
}

function difference(sessions: readonly SessionShare[], of: (session: SessionShare) => number): Estimate {
  return clusteredEstimate(sessions, meanOver(of));
}

function byWriter<Value>(of: (writer: SummaryWriter) => Value): Readonly<Record<SummaryWriter, Value>> {
  const [recorded, digest, withFacts] = SUMMARY_WRITERS;
  return { recorded: of(recorded), digest: of(digest), "digest and facts": of(withFacts) };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
