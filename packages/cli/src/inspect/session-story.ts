import { isRollBack } from "@plimsoll/bench/extend";
import type { CompactionEntry, Message, SessionEntry, Usage } from "@plimsoll/core";
import { isHuman, PLIMSOLL_POLICY, type SessionView, UNREPORTED_USAGE } from "@plimsoll/core";
import {
  createEstimator,
  createWorkCounter,
  EMPTY_VIEW,
  entryIdOf,
  foldUnhashed,
  isRejectedUsage,
} from "@plimsoll/core/extend";
import { compactionLoss, messageShares, takenRatio } from "@plimsoll/providers/proxy";
import { type CompactionLoss, titleOf } from "./compaction-loss.ts";

/** One model call and its content. */
export interface CallStory {
  readonly requestId: string;
  /** Reported tokens of the prompt; `null` if the provider reported none. */
  readonly promptTokens: number | null;
  readonly usage: Usage;
  /** Estimates of the log's content: an agent's other parts are not in it. */
  readonly composition: Composition;
}

/** One compaction of a log, with the removed messages. */
export interface CompactionStory {
  readonly entry: CompactionEntry;
  readonly isReverted: boolean;
  readonly callsBefore: number;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  /** Estimated, so that they compare with {@link CallStory.composition}. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly loss: CompactionLoss;
  /** The messages that are no longer sent at all, in order. */
  readonly gone: readonly Message[];
}

/** A line of a log's story. `callsBefore` counts the model calls before it. */
export type StoryLine =
  | { readonly kind: "turn"; readonly title: string; readonly atMs: number | null; readonly callsBefore: number }
  | { readonly kind: "work"; readonly work: WorkStory }
  | { readonly kind: "compaction"; readonly story: CompactionStory }
  | { readonly kind: "revert" }
  | { readonly kind: "rolled-back"; readonly messages: number }
  | { readonly kind: "model"; readonly modelId: string };

/** Work between two other lines of the story. */
export interface WorkStory {
  readonly calls: number;
  /** Results of each tool, most frequent first. */
  readonly results: readonly { readonly toolName: string; readonly count: number }[];
  readonly failures: number;
  readonly promptTokens: number | null;
}

/** The events of a log, in order. */
export interface SessionStory {
  readonly lines: readonly StoryLine[];
  readonly calls: readonly CallStory[];
  readonly compactions: readonly CompactionStory[];
  readonly contextWindowTokens: number | null;
}

/** Reads the story off a log, in one pass. */
export function sessionStory(entries: readonly SessionEntry[]): SessionStory {
  const hasReports = entries.some(({ type }) => type === "usage");
  const reverted = new Set(entries.flatMap((entry) => (entry.type === "revert" ? [entry.compactionId] : [])));
  const counter = createCompositionCounter();
  const lines: StoryLine[] = [];
  const calls: CallStory[] = [];
  const compactions: CompactionStory[] = [];
  let view = EMPTY_VIEW;
  let work = NO_WORK_YET;
  const called = (requestId: string, usage: Usage) => {
    const promptTokens = usage.input.totalTokens;
    calls.push({ requestId, promptTokens, usage, composition: counter.now() });
    work = { ...work, calls: work.calls + 1, promptTokens: promptTokens ?? work.promptTokens };
  };
  const flush = () => {
    if (work.calls + work.results.size > 0) lines.push({ kind: "work", work: workStory(work) });
    work = NO_WORK_YET;
  };
  for (const entry of entries) {
    const before = view;
    view = foldUnhashed(view, entry);
    switch (entry.type) {
      case "message":
        counter.add(entry.message);
        if (isHuman(entry.message)) {
          flush();
          lines.push({ kind: "turn", title: titleOf(entry.message), atMs: entry.message.atMs, callsBefore: calls.length });
        } else work = withResult(work, entry.message);
        // A log without reports has a call for each reply.
        if (!hasReports && entry.message.role === "assistant") called(entry.message.id, UNREPORTED_USAGE);
        break;
      case "usage":
        if (!isRejectedUsage(entry.usage)) called(entry.requestId, entry.usage);
        break;
      case "compaction": {
        flush();
        const tokensBefore = totalOf(counter.now());
        counter.recount(view);
        const [messages, after] = [before.messages.slice(), view.messages.slice()];
        const kept = new Set(after.map(({ id }) => id));
        const tokensAfter = totalOf(counter.now());
        // The list has the scale of the record's own sizes.
        const ratio = takenRatio(entry.record, tokensBefore - tokensAfter);
        const story: CompactionStory = {
          entry,
          gone: messages.filter(({ id }) => !kept.has(id)),
          isReverted: reverted.has(entryIdOf(entry)),
          callsBefore: calls.length,
          messagesBefore: before.messages.size,
          messagesAfter: view.messages.size,
          tokensBefore,
          tokensAfter,
          loss: compactionLoss(messages, after, (each) => counter.tokensOf(each) * ratio),
        };
        if (isRollBack(entry)) {
          lines.push({ kind: "rolled-back", messages: before.messages.size - view.messages.size });
          break;
        }
        compactions.push(story);
        lines.push({ kind: "compaction", story });
        break;
      }
      case "revert":
        flush();
        counter.recount(view);
        lines.push({ kind: "revert" });
        break;
      case "model-change":
        lines.push({ kind: "model", modelId: entry.modelId });
        break;
      case "attempt":
        break;
      default:
        // The session's start, and later entries of the log: system and tools may have changed.
        counter.recount(view);
    }
  }
  flush();
  return {
    lines,
    calls,
    compactions,
    contextWindowTokens: view.limits?.contextWindowTokens ?? null,
  };
}

interface WorkSoFar extends Omit<WorkStory, "results"> {
  readonly results: ReadonlyMap<string, number>;
}

const NO_WORK_YET: WorkSoFar = { calls: 0, results: new Map(), failures: 0, promptTokens: null };

function withResult(work: WorkSoFar, message: Message): WorkSoFar {
  if (message.role !== "tool-result") return work;
  const results = new Map(work.results).set(message.toolName, (work.results.get(message.toolName) ?? 0) + 1);
  return { ...work, results, failures: work.failures + (message.isError ? 1 : 0) };
}

function workStory({ calls, results, failures, promptTokens }: WorkSoFar): WorkStory {
  const byCount = [...results].map(([toolName, count]) => ({ toolName, count })).sort((a, b) => b.count - a.count);
  return { calls, results: byCount, failures, promptTokens };
}

/** The parts of a context by kind and tool, in estimated tokens. */
export type Composition = ReadonlyMap<string, number>;

/** Adds a composition up. */
export function totalOf(composition: Composition): number {
  return [...composition.values()].reduce((total, tokens) => total + tokens, 0);
}

/** Keeps a composition up to date with a log that is folded. */
interface CompositionCounter {
  tokensOf(message: Message): number;
  add(message: Message): void;
  recount(view: SessionView): void;
  now(): Composition;
}

/** A counter by the default policy's measure, uncalibrated. Each message is measured once. */
export function createCompositionCounter(): CompositionCounter {
  const { measure } = createEstimator(PLIMSOLL_POLICY.estimator, createWorkCounter());
  const sizes = new WeakMap<Message, number>();
  let kinds = new Map<string, number>();
  const tokensOf = (message: Message): number => {
    const known = sizes.get(message) ?? measure.messageTokens(message);
    sizes.set(message, known);
    return known;
  };
  const put = (what: string, tokens: number) => {
    if (tokens > 0) kinds.set(what, (kinds.get(what) ?? 0) + tokens);
  };
  const add = (message: Message) => {
    for (const { what, tokens } of messageShares(message, tokensOf)) put(what, tokens);
  };
  return {
    tokensOf,
    add,
    recount: (view) => {
      kinds = new Map();
      put("system", measure.textTokens(view.system));
      put("tools", view.tools.length === 0 ? 0 : measure.toolsTokens(view.tools));
      for (const message of view.messages) add(message);
    },
    now: () => new Map(kinds),
  };
}
