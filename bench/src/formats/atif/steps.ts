import { UNREPORTED_USAGE, type Usage, type UserMessage } from "@plimsoll/core";
import type { MessageDraft } from "@plimsoll/core/extend";
import { type Fields, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import { type LogItem, type ReplyItem, type ReplyPart, replyItem, resultItem, userItem } from "../log-items.ts";
import { messageParts } from "../reply-parts.ts";
import { callParts, contentOf, ownExtra, replyParts, resultsOf, usageIn } from "./contents.ts";

/** The system text: the first step, if it is one that says nothing else. */
export function systemOf(steps: readonly Fields[]): string {
  const [first] = steps;
  return first?.source === "system" && managementOf(first) === null ? textOf(first.message) : "";
}

/** The items of a trajectory's steps. `modelId` is the model of steps that name none. */
export function itemsOf(steps: readonly Fields[], modelId: string | null): readonly LogItem[] {
  const items: LogItem[] = [];
  const hasMetrics = steps.some((step) => recordAt(step, "metrics") !== null);
  let reply: GrowingReply | null = null;
  for (let at = steps[0]?.source === "system" && managementOf(steps[0]) === null ? 1 : 0; at < steps.length; at++) {
    const step = steps[at] ?? {};
    const atMs = timeMsAt(step, "timestamp");
    const boundary = boundaryOf(steps, at);
    if (step.source === "agent") {
      if (reply !== null && hasMetrics && isMoreOfCall(step)) reply.parts.push(...newParts(step, reply.parts));
      else {
        reply = replyOf(step, { modelId, hasMetrics });
        items.push(reply.item);
      }
      for (const { callId, isError, parts } of resultsOf(step))
        items.push(callId === null ? userItem("injected", parts, { atMs }) : resultItem(callId, parts, { isError }));
      continue;
    }
    reply = null;
    if (boundary !== null) {
      items.push(boundary.item);
      at += boundary.stepCount - 1;
    } else items.push(...spokenOf(step, atMs));
  }
  return items;
}

/** A reply whose parts grow by the steps that belong to the same call. */
interface GrowingReply {
  readonly item: ReplyItem;
  readonly parts: ReplyPart[];
}

function replyOf(step: Fields, run: { readonly modelId: string | null; readonly hasMetrics: boolean }): GrowingReply {
  const parts = [...replyParts(step)];
  const limits = recordAt(ownExtra(step), "limits");
  const item = replyItem(parts, callUsage(step, run.hasMetrics), {
    modelId: stringAt(step, "model_name") ?? run.modelId,
    stopReason: callParts(step).length > 0 ? "tool-calls" : "end",
    atMs: timeMsAt(step, "timestamp"),
  });
  const contextWindowTokens = numberAt(limits, "context_window_tokens");
  if (contextWindowTokens === null) return { item, parts };
  const maxOutputTokens = numberAt(limits, "max_output_tokens");
  return { item: { ...item, limits: { contextWindowTokens, maxOutputTokens } }, parts };
}

/** `null` for what was no call of this run: a copied step, a dispatch without a model, and one that its producer says had none. */
function callUsage(step: Fields, hasMetrics: boolean): Usage | null {
  if (isCopied(step) || isAlone(step) || step.llm_call_count === 0) return null;
  const usage = usageIn(step);
  if (usage !== null) return usage;
  return hasMetrics && numberAt(step, "llm_call_count") === null ? null : UNREPORTED_USAGE;
}

/**
 * Converters give the text and the calls of one reply a step each, and the report to the first of them (read in Harbor's adapter of
 * Forge): if calls are reported, an agent's step without a report, right behind another, is more of that call.
 */
function isMoreOfCall(step: Fields): boolean {
  return recordAt(step, "metrics") === null && numberAt(step, "llm_call_count") === null && !isCopied(step) && !isAlone(step);
}

/** Finds the parts that a further step of a call adds: its reasoning is that of the whole reply, said again. */
function newParts(step: Fields, known: readonly ReplyPart[]): readonly ReplyPart[] {
  const reasonings = new Set(known.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])));
  return replyParts(step).filter((part) => part.type !== "reasoning" || !reasonings.has(part.text));
}

/** Set by our writer: a reply of which no call was reported, and no part of the call before it. */
function isAlone(step: Fields): boolean {
  return ownExtra(step)?.is_alone === true;
}

function isCopied(step: Fields): boolean {
  return step.is_copied_context === true;
}

/** A user's step, or one of the system's that adds to the context. One that only points at a subagent's trajectory reached no model. */
function spokenOf(step: Fields, atMs: number | null): readonly LogItem[] {
  if (step.source === "user") return [userItem(originOf(step), contentOf(step.message), { atMs })];
  const results = resultsOf(step).flatMap(({ parts }) => parts);
  if (managementOf(step) !== null) return results.length === 0 ? [] : [userItem("injected", results, { atMs })];
  const isPointer = results.length === 0 && refsOf(step).length > 0;
  return isPointer ? [] : [userItem("injected", [...contentOf(step.message), ...results], { atMs })];
}

const ORIGINS: readonly UserMessage["origin"][] = ["human", "injected", "summary"];

function originOf(step: Fields): UserMessage["origin"] {
  const own = stringAt(ownExtra(step), "origin");
  return ORIGINS.find((origin) => origin === own) ?? "human";
}

function textOf(content: unknown): string {
  return contentOf(content)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
}

/** How a step says that it changed the context (RFC 0001, section VII, since 1.7). */
function managementOf(step: Fields): Fields | null {
  return recordAt(recordAt(step, "extra"), "context_management");
}

function refsOf(step: Fields): readonly Fields[] {
  return recordsAt(recordAt(step, "observation"), "results").flatMap((result) => recordsAt(result, "subagent_trajectory_ref"));
}

/** How Terminus 2 begins the step of its summaries; before 2026-08 it declared nothing (Harbor's pull request 1844). */
const TERMINUS_SUMMARY = "Performed context summarization";

/** True if what stood before the step is out of the context. Of a trimmed context it is known what stayed if copied steps tell. */
function isReplacing(step: Fields, next: Fields | undefined): boolean {
  if (step.source !== "system") return false;
  const management = managementOf(step);
  if (management === null) return (stringAt(step, "message") ?? "").startsWith(TERMINUS_SUMMARY) && refsOf(step).length > 0;
  if (management.boundary === "truncate") return next !== undefined && isCopied(next);
  return management.boundary === "replace" || (management.boundary === undefined && management.type === "compaction");
}

/**
 * The compaction that a step tells of, with the number of steps it takes: what the step observed is the context from then on, and
 * copied steps right behind it are what stayed. If subagents wrote the summary and the step does not hold it, the user's step behind it does.
 */
function boundaryOf(steps: readonly Fields[], at: number): { readonly item: LogItem; readonly stepCount: number } | null {
  const step = steps[at] ?? {};
  if (!isReplacing(step, steps[at + 1])) return null;
  const rest = steps.slice(at + 1);
  const end = rest.findIndex((next) => !isCopied(next));
  const copied = end < 0 ? rest : rest.slice(0, end);
  const parts = resultsOf(step).flatMap((result) => result.parts);
  const [next] = rest;
  const handoff = parts.length === 0 && refsOf(step).length > 0 && next?.source === "user" ? contentOf(next.message) : null;
  const isHandoff = handoff !== null && copied.length === 0;
  const summaryParts = isHandoff ? handoff : parts;
  const atMs = timeMsAt(step, "timestamp");
  const item: LogItem = {
    kind: "boundary",
    summary: summaryParts.length === 0 ? null : userItem("summary", summaryParts, { atMs }),
    kept: { kind: "history", drafts: copied.flatMap(draftsOf) },
    tokensBefore: numberAt(managementOf(step), "tokens_before"),
    line: null,
    sourceId: null,
    atMs,
  };
  return { item, stepCount: 1 + copied.length + (isHandoff ? 1 : 0) };
}

/** The messages of a copied step. */
function draftsOf(step: Fields): readonly MessageDraft[] {
  const atMs = timeMsAt(step, "timestamp");
  if (step.source !== "agent") {
    const origin = step.source === "user" ? originOf(step) : "injected";
    return [{ role: "user", origin, parts: contentOf(step.message), atMs }];
  }
  const calls = new Map(callParts(step).map((call) => [call.callId, call] as const));
  const parts = messageParts(replyParts(step));
  const results = resultsOf(step).flatMap(({ callId, isError, parts: output }): readonly MessageDraft[] => {
    const call = calls.get(callId ?? "");
    if (call === undefined) return [];
    const { toolName, category } = call;
    return [{ role: "tool-result", callId: call.callId, toolName, isError, category, parts: output, atMs: null }];
  });
  const modelId = stringAt(step, "model_name");
  return [{ role: "assistant", origin: "model", parts, modelId, requestId: null, stopReason: null, atMs }, ...results];
}
