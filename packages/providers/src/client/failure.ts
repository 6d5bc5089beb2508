import { isPlimsollError, PlimsollError, type Session, type SessionView, type Usage } from "@plimsoll/core";
import type { Rejection } from "@plimsoll/core/extend";
import { isRecord, rejectedUsage, rejectionIn, shortHash } from "@plimsoll/core/extend";
import { type Fields, jsonValueOf, numberAt, recordAt, stringAt } from "../fields.ts";
import type { ProviderErrorClass } from "../overflow.ts";
import { classifyProviderError, namedPromptTokens, outcomeOf } from "../overflow.ts";

/**
 * How a request failed.
 *
 * - `status`: the provider answered with an error status
 * - `stream-error`: it reported an error inside a stream that had begun
 * - `connection`: no answer came
 * - `cut-stream`: the answer ended before it was whole
 * - `idle-stream`: a stream sent nothing for longer than the limit
 * - `empty-reply`: the answer was whole and empty
 */
type FailureReason = "status" | "stream-error" | "connection" | "cut-stream" | "idle-stream" | "empty-reply";

interface Failure {
  readonly class: ProviderErrorClass;
  /** The outcome of the request; `null` if no answer came, or it broke off. */
  readonly outcome: Rejection["outcome"] | null;
  readonly retryAfterMs: number | null;
  readonly error: PlimsollError;
}

/** The caller that failed, and the secret that no message may show. */
export interface FailureSource {
  readonly provider: string;
  readonly key: string;
  /** The provider's address, for an error that names it if nothing answers there. */
  readonly address?: string;
  /** The sent body, or its items; the body in the AI SDK's errors goes before it. */
  readonly request?: unknown;
}

/** An answer that stopped before it was whole. The same request may pass when it is sent again. */
export function cutStream(): PlimsollError {
  return new PlimsollError("provider-failed", "the stream ended before the reply was whole", { reason: "cut-stream" });
}

/** An answer without text and calls. It is no reply: a message without content is rejected by the next request. */
export function emptyReply(): PlimsollError {
  return new PlimsollError("provider-failed", "the reply was empty", { reason: "empty-reply" });
}

/** An answer to a request for a summary that has none: its usage was paid for. */
export function noSummary(why: string, usage: Usage): PlimsollError {
  return new PlimsollError("summary-failed", why, { usage: jsonValueOf(usage) });
}

/** An answer that stopped because the window was full before anything was written. */
export function fullWindow(): PlimsollError {
  return new PlimsollError("provider-failed", "model_context_window_exceeded", { reason: "stream-error" });
}

/**
 * Classifies an error that an SDK threw. The SDK's own error is not passed on as the cause: it may hold headers, and a proxy's echo of the request.
 * Of the provider's words only those about wrong parameters are kept, without the key.
 */
export function failureOf(thrown: unknown, source: FailureSource): Failure {
  // The AI SDK's errors name the status and the body in their own ways.
  const status = numberAt(thrown, "status") ?? numberAt(thrown, "statusCode");
  const reason = reasonOf(thrown, status);
  const message = thrown instanceof Error ? thrown.message : "";
  const body = isRecord(thrown) ? (thrown.error ?? thrown.responseBody) : undefined;
  const request = (isRecord(thrown) ? thrown.requestBodyValues : undefined) ?? source.request;
  const failure = { status, message, code: stringAt(thrown, "code"), body, request };
  const isSaid = reason === "status" || reason === "stream-error";
  const found = classifyProviderError(failure);
  const classified = !isSaid && found.class === "other" ? ({ ...found, class: "transient" } as const) : found;
  const promptTokens = classified.class === "context-overflow" ? namedPromptTokens(failure) : null;
  const retryAfterMs = retryAfterOf(isRecord(thrown) ? thrown.headers : null);
  const hasWords = classified.class === "other" || classified.class === "reasoning-refused";
  const vendors = stringAt(recordAt(body, "error"), "message") ?? stringAt(body, "message");
  const shortened = (words: string) => words.split(source.key).join("[key]").slice(0, MAXIMUM_WORDS_CHARS);
  const words = hasWords && vendors !== null ? shortened(vendors) : null;
  const isSilent = reason === "empty-reply";
  const outcome = isSilent ? ({ kind: "unknown" } as const) : isSaid ? outcomeOf(failure, classified.class) : null;
  const isUnknown = outcome?.kind === "unknown" || (outcome?.kind === "overload" && outcome.isUnsaid === true);
  const facts = { ...classified, outcome, promptTokens, status, reason, provider: source.provider, retryAfterMs };
  const details = isUnknown ? { ...facts, words: shortened(vendors ?? message) } : facts;
  const code = classified.class === "context-overflow" ? "context-overflow" : "provider-failed";
  const isUnanswered = reason === "connection" && source.address !== undefined;
  const how = status === null ? reason : `status ${status}`;
  const more = isUnanswered ? `nothing answers at ${source.address}` : words;
  const line = `${source.provider}: ${classified.class} (${how})${more === null ? "" : `: ${more}`}`;
  return { class: classified.class, outcome, retryAfterMs, error: new PlimsollError(code, line, details) };
}

function reasonOf(thrown: unknown, status: number | null): FailureReason {
  if (isPlimsollError(thrown)) {
    const { reason } = thrown.details;
    return reason === "empty-reply" || reason === "stream-error" || reason === "idle-stream" ? reason : "cut-stream";
  }
  if (status !== null) return "status";
  if (isRecord(thrown) && isRecord(thrown.error)) return "stream-error";
  const name = thrown instanceof Error ? thrown.constructor.name : "";
  // Of an error event with its fields at the top level, as on the Responses wire, the SDK keeps only the words.
  if (name === "APIError") return "stream-error";
  return name.startsWith("APIConnection") ? "connection" : "cut-stream";
}

/** Longest part of a provider's words that is kept; chosen. */
const MAXIMUM_WORDS_CHARS = 300;

const MS_PER_SECOND = 1_000;

/** `retry-after-ms`, or `retry-after` in seconds or as a date, which is taken against the answer's own `date`: our clock may differ. */
function retryAfterOf(headers: unknown): number | null {
  if (!(headers instanceof Headers)) return null;
  const told = headers.get("retry-after") ?? "";
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  const seconds = Number(told === "" ? Number.NaN : told);
  const untilMs = Date.parse(told) - Date.parse(headers.get("date") ?? "");
  return [ms, seconds * MS_PER_SECOND, untilMs].find((waitMs) => Number.isFinite(waitMs) && waitMs >= 0) ?? null;
}

/** An error that a provider reported inside an answer with a good status, in the shape of one that came with a bad one. */
export class ReportedError extends Error {
  readonly error: Fields;
  readonly code: string | null;

  constructor(error: Fields) {
    super(stringAt(error, "message") ?? "the provider reported an error");
    this.error = error;
    this.code = stringAt(error, "code");
  }
}

/** The caller's client has the key; only the failure's class is used. The text is one that no message holds. */
const UNKNOWN_SOURCE = { provider: "provider", key: "\u0000" } as const;

/** Reads from an SDK's error how the request was refused, whose body is `request` if it is known; `null` for every other failure. */
export function sdkRejection(thrown: unknown, request?: unknown): Rejection | null {
  return rejectionIn(failureOf(thrown, { ...UNKNOWN_SOURCE, request }).error);
}

/** The size of a prompt that was rejected: it measures the sent request, although nothing came back. The limit is reported if nothing is cut for it. */
export function rejectedReport(
  { lastEntryId, modelId }: SessionView,
  promptTokens: number,
  limitTokens: number | null = null,
): Parameters<Session["report"]>[1] {
  const requestId = `rejected-${shortHash(`${lastEntryId ?? ""}\n${promptTokens}`)}`;
  return { requestId, modelId: modelId ?? "unknown", usage: rejectedUsage(promptTokens, limitTokens) };
}
