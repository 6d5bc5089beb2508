import type { AssistantMessage, ModelEvent, ModelRequest, Usage } from "@plimsoll/core";
import type { StopReason, WireRules } from "@plimsoll/core/internal";
import type { Fields } from "../fields.ts";
import type { LoadedImages } from "../wire/images.ts";
import type { FailureSource } from "./failure.ts";

/** One wire behind its SDK. `Body` is the request as the SDK takes it. */
export interface WireDriver<Body> {
  readonly source: FailureSource;
  readonly rules: WireRules;
  /** Longest name of a tool that the wire takes. */
  readonly maximumToolNameChars: number;
  /** Encodes a request whose messages the wire takes; what it throws is a fault of the request and is never retried. */
  encode(request: ModelRequest, images: LoadedImages): Body;
  /** Sends a request and answers with what came back whole. */
  send(body: Body, signal: AbortSignal): PromiseLike<unknown>;
  /** Sends a request and answers with the events as they come. */
  stream(body: Body, signal: AbortSignal): PromiseLike<AsyncIterable<unknown>>;
  decode(answer: Fields): DecodedReply;
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
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** True if the vendor says that the window ended the reply. */
  readonly isWindowFull: boolean;
}
