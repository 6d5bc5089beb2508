import { createHash } from "node:crypto";
import { type Fields, isRecord, recordsAt, stringAt } from "./fields.ts";
import type { SimulatedReply, WireName } from "./reply.ts";
import type { SimulatedRules } from "./rules.ts";

/** A piece of a prompt that a cache distinguishes: a tool, a system block, a content block, an item. */
export interface Segment {
  readonly text: string;
  /** Tokens in addition to its text (images). */
  readonly extraTokens: number;
  /** Time to live of the cache breakpoint at its end; `null` for none. */
  readonly breakpoint: "5m" | "1h" | null;
  /** Tools and system text are never left out by a silent truncation. */
  readonly isOverhead: boolean;
}

/** A request that passed validation, wire by wire the same. */
export interface SimulatedPrompt {
  readonly modelId: string;
  readonly isStreamed: boolean;
  /** Whether usage was asked for. */
  readonly wantsUsage: boolean;
  readonly maxOutputTokens: number | null;
  readonly segments: readonly Segment[];
  readonly messageCount: number;
  readonly toolNames: readonly string[];
  readonly newestText: string;
  /** Parts of the request that the model is not shown. */
  readonly drops: readonly Drop[];
  /** How signed parts of the answer are bound to the request; `null` on wires that bind nothing. */
  readonly binding: PromptBinding | null;
  /** Names of the tools whose calls are in the request, in order. */
  readonly callNames: readonly string[];
  /** Signs the summary that the request asks for in the place of a reply; left out if it asks for a reply. */
  readonly compact?: (text: string) => string;
}

/** A piece of a request that the model is not shown, though the request is answered. */
export interface Drop {
  /** Its place in the request, in the vendor's words. */
  readonly path: string;
  /** The item's own id, on wires that have one. */
  readonly id: string | null;
  readonly reason: "prefix_binding_mismatch" | "model_binding_mismatch" | "prefix_mismatch";
}

/** How the answer to a request signs its reasoning. */
export interface PromptBinding {
  /** The signature of reasoning (its text, or its content if that comes back), given the blocks that come before it in the answer. */
  sign(text: string, before: readonly Fields[]): string;
  /** Whether the answer lists the dropped parts. */
  readonly isTold: boolean;
}

/** An error as the vendor words it. */
export interface WireError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly code: string | null;
  readonly param: string | null;
}

/** Sizes of an answered request. `promptTokens = readTokens + writeTokens + uncachedTokens`. */
export interface Counts {
  readonly promptTokens: number;
  readonly readTokens: number;
  readonly writeTokens: number;
  /** The part of `writeTokens` that was written for an hour. */
  readonly writeOneHourTokens: number;
  readonly uncachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** An answer before it is written in a wire's form. `counts` is `null` if no usage is reported. */
export interface Answer {
  readonly serial: number;
  readonly modelId: string;
  readonly reply: SimulatedReply;
  readonly counts: Counts | null;
  readonly createdSeconds: number;
  readonly drops: readonly Drop[];
  readonly binding: PromptBinding | null;
  /** Signs the reply as a summary of the request; left out for an ordinary reply. */
  readonly compact?: (text: string) => string;
  /** The id of the call at the part; the one that is given where ids are not used again. */
  callId(partIndex: number, ownId: string): string;
}

/** One event of a stream; `name` is `null` for wires whose events have none. */
export interface WireEvent {
  readonly name: string | null;
  readonly data: Fields | "[DONE]";
}

/** An event that is named by its type. */
export function named(data: Fields): WireEvent {
  return { name: stringAt(data, "type"), data };
}

/** An event in the form of a stream. */
export function written({ name, data }: WireEvent): string {
  const text = data === "[DONE]" ? data : JSON.stringify(data);
  return name === null ? `data: ${text}\n\n` : `event: ${name}\ndata: ${text}\n\n`;
}

/** Limits that a request is measured against while it is read. */
export interface WireLimits {
  /** Largest reply of the model. */
  maximumOutputTokensOf(modelId: string): number;
  readonly models: readonly string[] | null;
  /** Whether a request may end with the beginning of a reply. */
  readonly prefill: "accept" | "reject";
  /** Whether a Chat Completions server takes roles in any order, or wants person and model in turn. */
  readonly roles: "any" | "alternate";
  readonly rules: SimulatedRules;
  readonly headers: Headers;
}

/** The headers of a request as Node gives them, names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The values of a header that lists some. */
export function headerValues(headers: Headers, name: string): readonly string[] {
  const value = headers[name] ?? "";
  return (typeof value === "string" ? [value] : value).flatMap((each) => each.split(",")).map((each) => each.trim());
}

/** The key of a request under the vendor's own header, or as a bearer's; `null` for none. */
export function keyIn(headers: Headers, name: string): string | null {
  const key = [headers[name], headers.authorization].find((value) => typeof value === "string");
  return typeof key === "string" ? key.replace(/^Bearer /, "") : null;
}

/** A prompt that does not fit. */
interface Excess {
  readonly promptTokens: number;
  readonly maxOutputTokens: number;
  readonly windowTokens: number;
}

/** One wire: how it reads and refuses requests, and how it writes answers. Throws {@link Refusal} for requests that the vendor refuses. */
export interface SimulatedWire {
  readonly name: WireName;
  /** The key of the request's headers; `null` for none. */
  keyOf(headers: Headers): string | null;
  keyError(key: string | null): WireError;
  /** Checks the other headers; `null` if they are right. */
  headerError(headers: Headers): WireError | null;
  /** The body is no JSON, or has half a surrogate pair in it. */
  bodyError(): WireError;
  read(body: unknown, limits: WireLimits): SimulatedPrompt;
  /** The answer to a request to count. */
  countBody(tokens: number): Fields;
  overflow(excess: Excess): WireError;
  /** The vendor's error for a status that has nothing to do with the request. */
  faultError(status: number): WireError;
  errorBody(error: WireError): Fields;
  whole(answer: Answer): Fields;
  events(answer: Answer, options: { readonly wantsUsage: boolean }): readonly WireEvent[];
  errorEvent(error: WireError): WireEvent;
}

/** Thrown while reading a request that the vendor refuses; caught by the server, which answers with it. */
export class Refusal extends Error {
  readonly wireError: WireError;

  constructor(wireError: WireError) {
    super(wireError.message);
    this.wireError = wireError;
  }
}

/** The vendor's facts about an error, where it gives any. */
type ErrorFacts = Partial<Readonly<Record<"code" | "param", string>>>;

/** An error without the facts that are left out. */
export function wireError(status: number, type: string, message: string, facts: ErrorFacts = {}): WireError {
  return { status, type, message, code: null, param: null, ...facts };
}

/** A refusal of a request that is wrong in itself. */
export function invalid(message: string, { status = 400, ...facts }: ErrorFacts & { readonly status?: number } = {}): Refusal {
  return new Refusal(wireError(status, "invalid_request_error", message, facts));
}

/** A piece without a mark, with so many tokens of images. */
export function segmentOf(text: string, part: "overhead" | "message", extraTokens = 0): Segment {
  return { text, extraTokens, breakpoint: null, isOverhead: part === "overhead" };
}

/** The text of a content, an output or parts, which may come in pieces. */
export function textAt(fields: unknown, key: "content" | "output" | "parts"): string {
  const pieces = () => recordsAt(fields, key).map((piece) => stringAt(piece, "text") ?? "");
  return stringAt(fields, key) ?? pieces().join("\n");
}

/** True for a role in which an agent speaks for itself. */
export function isInstruction({ role }: Fields): boolean {
  return role === "system" || role === "developer";
}

/** Tokens of an image of unknown size: 85 and four tiles of 170, platform.openai.com/docs/guides/images-vision. */
export const IMAGE_TOKENS = 765;

/** Whether the request asks for a stream. */
export function isStreamed(body: unknown): boolean {
  return isRecord(body) && body.stream === true;
}

/** The text in two pieces, so that a reader of a stream has something to join; nothing for empty text. */
export function halves(text: string): readonly string[] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}

/** The signature of a reasoning text. It depends on nothing else, so that it can be checked when it comes back. */
export function signatureOf(text: string): string {
  return createHash("sha256").update("simulated signature\n").update(text).digest("base64");
}

/** A hash of plain data. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
