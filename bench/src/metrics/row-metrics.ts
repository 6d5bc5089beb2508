import { type CompactionEntry, type Message, textOf, toolCallsOf } from "@plimsoll/core";
import { BUILT_IN_KINDS, option, sequenceOf } from "@plimsoll/core/extend";
import type { ModelCatalog } from "@plimsoll/providers";
import { type Cell, isRecordedPolicy } from "../drive/cell.ts";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import { sessionCache } from "../economics/recorded-cache.ts";
import { createRequestLedger } from "../economics/request-ledger.ts";
import { createHeldReplay } from "../needs/controls.ts";
import { createContextChanges } from "../needs/needles.ts";
import { type PassageLine, readable, shownText } from "../needs/needs.ts";
import { contentKind } from "../open/content-kind.ts";
import type { PreparedSession } from "../open/prepared-session.ts";
import type { SizeJudge } from "../size-judge/size-judge.ts";
import type { Transcript } from "../transcript.ts";
import type { MeasuredCall, MeasuredReplay, Metric, Recorder } from "./metric.ts";
import { isBuiltIn, type RowMetrics, type RunMetrics, rowOf } from "./registry.ts";

/** Everything that is measured over one replay. */
export interface RowFigures {
  readonly metrics: RowMetrics;
  readonly compactions: readonly CompactionDetail[];
  readonly cacheMisses: readonly CacheMiss[];
  readonly composition: Composition;
}

/** All metrics over one replay, and the figures that are shown call by call. */
export function createRowMetrics(
  session: PreparedSession,
  cell: Cell,
  { catalog, metrics }: { readonly catalog: ModelCatalog; readonly metrics: RunMetrics },
): Recorder<RowFigures, ReplayedCall> & {
  needs(): readonly CompactionNeeds[];
} {
  const isRecorded = isRecordedPolicy(cell.policy);
  const [cache, held] = [sessionCache(session.sizeJudge, catalog), createHeldReplay(session)];
  const replay = { session, cell, catalog, cache, held, isReported: isRecorded && !session.sizeJudge.isEstimated };
  const measured = createMeasuredCalls(replay);
  const recorders = metrics.map((metric) => (isBuiltIn(metric) ? metric.measure(replay) : notChanging(metric, replay)));
  const log = createCompactionLog(session.entries, isRecorded ? session.transcript.putBack : []);
  const cacheMisses: CacheMiss[] = [];
  const composition = createComposition(session.sizeJudge);
  const copied = new Set(session.transcript.copiedIds);
  return {
    add: (replayed) => {
      // The recorded agent's compactions count where they were made.
      const sent =
        copied.size === 0 ? replayed : { ...replayed, compactions: replayed.compactions.filter(({ id }) => !copied.has(id)) };
      const call = measured(sent);
      if (copied.has(sent.recorded.requestId)) {
        for (const recorder of recorders) recorder.follow?.(call);
        return;
      }
      for (const recorder of recorders) recorder.add(call);
      log.add(call);
      for (const { needle, name } of call.shown === null ? [] : replay.held.missing(["passages"])) {
        const line = session.needs().lineOf(needle, isRecorded ? name : undefined);
        log.missed({ call: call.call, context: call.context, line }, replay.held.leftAt(needle));
      }
      const { state: kind, writeTokens, uncachedTokens } = call.served.call;
      if (kind === "broken" || kind === "expired")
        cacheMisses.push({ call: call.call, kind, unreadTokens: Math.round(writeTokens + uncachedTokens) });
      composition.add(call);
    },
    needs: log.needs,
    result: () => ({
      metrics: rowOf(metrics, (_, place) => recorders[place]?.result()),
      compactions: log.result(),
      cacheMisses,
      composition: composition.result(),
    }),
  };
}

/** The recorder of somebody's own metric: it fails if it changes a shared value. */
function notChanging(metric: Metric, replay: MeasuredReplay): Recorder<unknown> {
  option.frozen([replay.session.entries, replay.cell.policy]);
  const of = `the metric ${metric.id}`;
  const recorder = option.atOnce(of, metric.measure(replay));
  const shown = (call: MeasuredCall) => option.frozen([call, call.context.slice()] as const)[0];
  return {
    add: (call) => option.atOnce(of, recorder.add(shown(call))),
    follow: (call) => option.atOnce(of, recorder.follow?.(shown(call))),
    result: () => option.atOnce(of, recorder.result()),
  };
}

function createMeasuredCalls(replay: MeasuredReplay): (sent: ReplayedCall) => MeasuredCall {
  const { session, cell, cache, held } = replay;
  const serve = createRequestLedger(session, cell, cache);
  const changesTo = createContextChanges();
  let ordinal = 0;
  return (sent) => {
    const { reply, context, lost } = sent;
    ordinal = (reply === null ? null : session.references.ordinalOf(reply)) ?? ordinal;
    const shown = reply === null || lost ? null : changesTo(context);
    held.add(sent, { ordinal, shown });
    return { ...sent, ordinal, shown, served: serve(sent) };
  };
}

/** A call whose prompt cache was broken by an edit, or had expired. */
export interface CacheMiss {
  readonly call: number;
  readonly kind: "broken" | "expired";
  readonly unreadTokens: number;
}

/** The content of the context, in tokens of the size model: at each sampled call a number for each kind. */
export interface Composition {
  readonly kinds: readonly string[];
  readonly samples: readonly { readonly call: number; readonly tokens: readonly number[] }[];
}

/** Calls at which the context is taken apart: as many as a chart can show side by side (chosen). */
const MOST_SAMPLES = 48;

/** Records the content of the context over a session, in tokens of the size model, at evenly spread calls. */
function createComposition(sizeJudge: SizeJudge): Recorder<Composition, ReplayedCall> {
  const every = Math.max(1, Math.ceil(sizeJudge.calls.length / MOST_SAMPLES));
  const tokensOf = followingKinds(sizeJudge);
  const samples: { readonly call: number; readonly byKind: ReadonlyMap<string, number> }[] = [];
  return {
    add: (sent) => {
      if (sent.call % every === 0) samples.push({ call: sent.call, byKind: tokensOf(sent) });
    },
    result: () => {
      const kinds = [...new Set(samples.flatMap(({ byKind }) => [...byKind.keys()]))];
      return {
        kinds,
        samples: samples.map(({ call, byKind }) => ({ call, tokens: kinds.map((kind) => Math.round(byKind.get(kind) ?? 0)) })),
      };
    },
  };
}

/** Counts the kinds of content in contexts that follow each other. Only new messages are looked at, if no size changed meanwhile. */
function followingKinds(
  sizeJudge: SizeJudge,
): (sent: Pick<ReplayedCall, "call" | "context" | "nonMessageTokens">) => ReadonlyMap<string, number> {
  let before = { call: 0, context: sequenceOf<Message>(), byKind: OVERHEAD_ALONE, isWhole: true };
  return ({ call, context, nonMessageTokens }) => {
    // Sizes that are no whole numbers are added up in the order of the messages.
    let same = before.call;
    while (same < call && sizeJudge.resizedAt(same + 1).length === 0) same += 1;
    const goesOn = before.isWhole && context.goesOnFrom(before.context) && same === call;
    const byKind = new Map(goesOn ? before.byKind : OVERHEAD_ALONE);
    byKind.set(OVERHEAD, nonMessageTokens);
    let isWhole = true;
    for (const message of context.slice(goesOn ? before.context.size : 0)) {
      const kind = contentKind(message);
      const tokens = sizeJudge.messageTokens(message, call);
      isWhole &&= Number.isInteger(tokens);
      byKind.set(kind, (byKind.get(kind) ?? 0) + tokens);
    }
    before = { call, context, byKind, isWhole };
    return byKind;
  };
}

/** It comes first. */
const OVERHEAD = "overhead";
const OVERHEAD_ALONE: ReadonlyMap<string, number> = new Map([[OVERHEAD, 0]]);

/** One compaction of a replay. Sizes are by the policy's own measure; `null` if it had none. */
export interface CompactionDetail {
  readonly call: number;
  readonly reason: string;
  readonly steps: readonly string[];
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly summarisedMessages: number;
  readonly shortenedParts: number;
  /** The beginning of the summaries' text; `null` without one. */
  readonly summary: string | null;
  /** Removed lines that later replies mention, and those of them that the results of such a reply show again with their neighbours, each once but for its numbers; the first few of these. */
  readonly mentionedLater: number;
  readonly neededLater: number;
  readonly examples: readonly { readonly call: number; readonly text: string }[];
}

/** Lines of a compaction that the agent read again: their count, and the first few forms with the number of lines of each. */
interface CompactionNeeds {
  readonly neededLater: number;
  readonly examples: readonly { readonly call: number; readonly text: string; readonly lines: number }[];
}

/** Characters of a summary that are shown; the whole text is in no report. Chosen. */
const SUMMARY_CHARS = 400;
/** Lines read again that a report names for each compaction, and those of one log; all are counted. Chosen. */
const MOST_REPORTED = 6;
const MOST_EXAMPLES = 200;

/** A log without compactions. A loss between two compactions counts for the one before; no text is lost that the agent put back after the newest. */
function createCompactionLog(entries: PreparedSession["entries"], putBack: Transcript["putBack"] = []) {
  const showings = createShowings(entries);
  const backAt = new Map(putBack.map(({ compactionId, text }) => [compactionId, text]));
  const details: {
    readonly detail: CompactionDetail;
    /** The files that came back, as JSON. */
    readonly putBack: string;
    readonly mentioned: Set<string>;
    readonly examples: Map<string, { readonly call: number; readonly text: string; readonly lines: Set<string> }>;
  }[] = [];
  let missed: (Missed & { readonly from: (typeof details)[number] })[] = [];
  const isShownIn = (results: readonly string[], { line: { text: line, runs }, context, from }: (typeof missed)[number]) => {
    const isIn = (said: string) => said.includes(line) || readable(said).includes(line);
    const run = runs.find((each) => results.some((text) => text.includes(each)));
    if (run === undefined || isIn(details.at(-1)?.putBack ?? "") || isSaidIn(context, isIn)) return false;
    return showings(run, from.detail.call) <= MOST_SHOWINGS;
  };
  return {
    add: ({ call, compactions, context }: Pick<ReplayedCall, "call" | "compactions" | "context">) => {
      const results = missed.length === 0 ? [] : newestReadings(context);
      for (const each of missed) {
        if (!isShownIn(results, each)) continue;
        const { call, line, from } = each;
        const known = from.examples.get(line.form) ?? { call, text: line.text, lines: new Set() };
        from.examples.set(line.form, known);
        known.lines.add(line.text);
      }
      missed = [];
      for (const compaction of compactions) {
        const of = { detail: detailOf(call, compaction), putBack: backAt.get(compaction.id) ?? "" };
        details.push({ ...of, mentioned: new Set(), examples: new Map() });
      }
    },
    // A reply used a reference whose passage left its context before `leftAtCall`; -1 for one that was never there.
    missed: (passage: Missed, leftAtCall: number) => {
      const from = details.findLast(({ detail }) => detail.call <= leftAtCall);
      if (from === undefined || passage.line.form === "") return;
      from.mentioned.add(passage.line.form);
      // Many results show the name of a file or package.
      if (/[\s(]/.test(passage.line.text)) missed.push({ ...passage, from });
    },
    needs: (): readonly CompactionNeeds[] =>
      details.map(({ examples }) => ({
        neededLater: examples.size,
        examples: [...examples.values()].slice(0, MOST_EXAMPLES).map((each) => ({ ...each, lines: each.lines.size })),
      })),
    result: (): readonly CompactionDetail[] =>
      details.map(({ detail, mentioned, examples }) => {
        const first = [...examples.values()].slice(0, MOST_REPORTED).map(({ call, text }) => ({ call, text }));
        return { ...detail, mentionedLater: mentioned.size, neededLater: examples.size, examples: first };
      }),
  };
}

/** Results with a run of lines before its removal: agents call for lines that more have (a state, a banner) in any case. Chosen. */
const MOST_SHOWINGS = 3;

/** Counts the results before a call that show a run of lines. The results are read once, when one is asked for. */
function createShowings(entries: PreparedSession["entries"]): (run: string, call: number) => number {
  let results: { readonly call: number; readonly text: string }[] | null = null;
  return (run, call) => {
    let calls = 0;
    results ??= entries.flatMap((entry) => {
      if (entry.type === "usage") calls += 1;
      const isResult = entry.type === "message" && entry.message.role === "tool-result";
      return isResult ? [{ call: calls, text: shownText(textOf(entry.message)) }] : [];
    });
    return results.filter((each) => each.call <= call && each.text.includes(run)).length;
  };
}

/** A reply's call, whose prompt lacks the passage of a reference, and the line that states it. */
type Missed = Pick<ReplayedCall, "call" | "context"> & { readonly line: PassageLine };

/** The results that a context ends with, as a reading shows them, but for those of calls that only change files. */
function newestReadings(context: ReplayedCall["context"]): readonly string[] {
  const messages = context.slice();
  const from = messages.findLastIndex(({ role }) => role !== "tool-result");
  const calls = messages.slice(Math.max(0, from), from + 1).flatMap(toolCallsOf);
  const changes = calls.filter(({ paths }) => paths.length > 0 && paths.every(({ access }) => access === "modify"));
  const changing = new Set(changes.map(({ callId }) => callId));
  return messages
    .slice(from + 1)
    .flatMap((each) => (each.role === "tool-result" && !changing.has(each.callId) ? shownText(textOf(each)) : []));
}

/** True if a message has such a text. */
function isSaidIn(messages: Iterable<Message>, isIn: (said: string) => boolean): boolean {
  for (const { parts } of messages)
    for (const part of parts)
      if (part.type === "tool-call" ? isIn(part.argumentsJson) : "text" in part && isIn(part.text)) return true;
  return false;
}

function detailOf(call: number, { edits, record }: CompactionEntry): CompactionDetail {
  const isDrop = (edit: CompactionEntry["edits"][number]) =>
    edit.kind === "replace-spans" && (edit.by === "notice" || edit.by === "nothing");
  const summarised = edits.filter((edit) => edit.kind !== "replace-part" && !isDrop(edit));
  const summaries = summarised.flatMap((edit) => (edit.kind === "replace-spans" && edit.message ? [edit.message] : []));
  const beginnings = summaries.flatMap(textsOf).map((text) => text.slice(0, SUMMARY_CHARS));
  return {
    call,
    reason: record.reason,
    steps: record.steps.map(({ strategy, outcome, detail }) => `${strategy}: ${isOwnRule(strategy) ? detail : outcome}`),
    tokensBefore: record.tokensBefore,
    tokensAfter: record.tokensAfter,
    messagesBefore: record.messagesBefore,
    messagesAfter: record.messagesAfter,
    summarisedMessages: summarised.reduce((sum, edit) => sum + ("covered" in edit ? edit.covered.messages : 0), 0),
    shortenedParts: edits.filter(({ kind }) => kind === "replace-part").length,
    // The beginning of their text, which need not be put together for it.
    summary: summaries.length === 0 ? null : beginnings.join("\n").slice(0, SUMMARY_CHARS),
    ...{ mentionedLater: 0, neededLater: 0, examples: [] },
  };
}

const KNOWN = ["loaded-tools", "pinned texts", ...BUILT_IN_KINDS.keepRules.map(({ kind }) => kind)];

/** True for the step of a keep rule of somebody's own, whose detail counts its choice. */
function isOwnRule(strategy: string): boolean {
  return strategy.startsWith("keep ") && !KNOWN.includes(strategy.slice("keep ".length));
}

function textsOf({ parts }: Message): readonly string[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? [""] : texts;
}
