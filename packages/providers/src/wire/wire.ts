import type { AssistantMessage, BoundReasoning, Message, ModelEvent, ModelRequest, ToolSpec, Usage } from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import { checkMessages, isRecord, type WireRules } from "@plimsoll/core/extend";
import { emptyReply, type FailureSource } from "../client/failure.ts";
import type { Fields, VendorSummary } from "../fields.ts";

interface Wire {
  readonly rules: WireRules;
  readonly maximumToolNameChars: number;
  decode(answer: Fields): DecodedReply;
}

/** One wire behind its SDK. `Body` is the request as the SDK takes it. */
export interface WireDriver<Body> extends Wire {
  readonly source: FailureSource;
  /** Encodes a request whose messages the wire takes; an error is a fault of the request and is never retried. */
  encode(request: ModelRequest): Body;
  /** Sends a request and answers with the whole answer. */
  send(body: Body, signal: AbortSignal): PromiseLike<unknown>;
  /** Sends a request and answers with the events as they come. */
  stream(body: Body, signal: AbortSignal): PromiseLike<AsyncIterable<unknown>>;
  /** Has the vendor summarise a request's messages. Left out where it has no such request. */
  compact?(body: Body, signal: AbortSignal): Promise<VendorSummary>;
  /** Deltas, then the decoded reply last. */
  decodeStream(events: AsyncIterable<unknown>): AsyncIterable<DriverEvent>;
}

/** A delta, or the reply at the end. */
export type DriverEvent =
  | Exclude<ModelEvent, { readonly type: "retry" | "reply" }>
  | { readonly type: "reply"; readonly reply: DecodedReply };

/** A reply as it was decoded. */
export interface DecodedReply {
  readonly requestId: string;
  readonly modelId: string | null;
  readonly parts: AssistantMessage["parts"];
  readonly stopReason: NonNullable<AssistantMessage["stopReason"]>;
  readonly usage: Usage;
  /** Characters of text in the whole answer; `null` if it holds anything else beside reasoning, known or not. */
  readonly saidChars: number | null;
  /** True if the vendor says that the window ended the reply. */
  readonly isWindowFull: boolean;
}

/** One vendor's side of a session: the fixed parameters of its requests, and how they and its answers are written. */
export interface SessionWire<Request> extends Wire {
  /** `host/model`, as the catalogue reads it. */
  readonly modelReference: string;
  readonly modelId: string;
  /** The largest reply that a request asks for; `null` if it does not say. */
  readonly maxOutputTokens: number | null;
  /** The shortest reply that a request may ask for; left out for any. */
  readonly leastOutputTokens?: number;
  readonly tools: readonly ToolSpec[];
  /** The treatment of bound reasoning; left out for the log's value. A wire that cannot ask its vendor to drop it says "leaves". */
  readonly boundReasoning?: BoundReasoning | undefined;
  /** Writes a request whose messages the wire takes. Its tools are the wire's own. */
  encode(request: ModelRequest, boundReasoning: BoundReasoning): Request;
  /** Has the vendor summarise a request's messages; `undefined` if its caller does not. */
  readonly compact?: ((body: Request) => Promise<VendorSummary>) | undefined;
}

/** An answer's reply. Throws for an answer that is none, or that failed. */
export function decodedBy(wire: Pick<Wire, "decode">, answer: unknown): DecodedReply {
  if (!isRecord(answer)) throw emptyReply();
  return wire.decode(answer);
}

/**
 * Refuses messages that the wire would reject and that encoding cannot put right.
 *
 * @throws PlimsollError `unsendable`, with the code, place and subject of each violation (at most the first ten).
 */
export function checkSendable(messages: readonly Message[], rules: WireRules): void {
  const encoded: WireRules = { ...rules, firstMessage: "any", sameRole: "accept", callIds: "any", resultImages: "accept" };
  const violations = checkMessages(messages, { ...encoded, malformedText: "accept", maximumCallIdChars: null });
  const [first] = violations;
  if (first === undefined) return;
  throw new PlimsollError("unsendable", `the ${rules.name} wire would reject message ${first.index}: ${first.code}`, {
    wire: rules.name,
    violations: violations.slice(0, 10).map(({ code, index, subject }) => ({ code, index, subject })),
  });
}
