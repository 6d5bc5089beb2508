import type { ModelClient, ModelEvent, ModelReply, ModelRequest } from "@plimsoll/core";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import type { LoadImage } from "../wire/images.ts";
import { createToolNames } from "../wire/tool-names.ts";
import type { FailureSource } from "./failure.ts";
import { emptyReply, failureOf, fullWindow } from "./failure.ts";
import { DEFAULT_IDLE_TIMEOUT_MS, endedWhenIdle } from "./idle-stream.ts";
import type { Environment } from "./key.ts";
import type { Random, RetryOptions, Wait } from "./retry.ts";
import { DEFAULT_RETRY, waitAfter, waitByTimer } from "./retry.ts";

/** What every adapter takes. */
export interface ClientOptions {
  /** Address of the server; the vendor's own where it is left out. */
  readonly baseUrl?: string;
  /** Where the key is looked up; the process's environment where it is left out. */
  readonly environment?: Environment;
  readonly retry?: RetryOptions;
  /** Waits between attempts; the platform's timer where it is left out. */
  readonly wait?: Wait;
  /** The chance that shortens waits; `Math.random` where it is left out. */
  readonly random?: Random;
  /** Longest time in which a stream may tell nothing; five minutes where it is left out, `null` for no limit. */
  readonly idleTimeoutMs?: number | null;
  /** Measures that time; the platform's timer where it is left out. */
  readonly idleWait?: Wait;
  readonly loadImage?: LoadImage;
}

/** One wire behind its SDK. `Body` is the request as the SDK takes it. */
export interface WireDriver<Body> {
  readonly source: FailureSource;
  /** Longest name of a tool that the wire takes. */
  readonly maximumToolNameChars: number;
  /** Encodes, with names of tools as the wire takes them; what it throws is a fault of the request and is never retried. */
  encode(request: ModelRequest): Promise<Body>;
  whole(body: Body, signal: AbortSignal): Promise<DecodedReply>;
  /** Deltas, then the decoded reply last. */
  streamed(body: Body, signal: AbortSignal): AsyncIterable<DriverEvent>;
}

/** A delta, or the reply at the end. */
export type DriverEvent =
  | Exclude<ModelEvent, { readonly type: "retry" | "reply" }>
  | ({ readonly type: "reply" } & DecodedReply);

/** A reply as it was decoded; `isWindowFull` where the vendor says that the window ended it. */
export interface DecodedReply {
  readonly reply: ModelReply;
  readonly isWindowFull: boolean;
}

/** A model client over one wire: attempts, waits, classes of failures and the caller's abort are the same for all of them. */
export function createModelClient<Body>(driver: WireDriver<Body>, options: ClientOptions): ModelClient {
  const retry = options.retry ?? DEFAULT_RETRY;
  const { wait = waitByTimer, random = Math.random, idleWait = waitByTimer } = options;
  const renamed = createToolNames(driver.maximumToolNameChars);
  const timeoutMs = options.idleTimeoutMs === undefined ? DEFAULT_IDLE_TIMEOUT_MS : options.idleTimeoutMs;

  async function* attempts(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: (body: Body, linked: LinkedAbort) => AsyncIterable<DriverEvent>,
  ): AsyncGenerator<ModelEvent> {
    throwIfAborted(signal);
    const { request: sent, ownName } = renamed(request);
    const body = await driver.encode(sent);
    for (let count = 1; ; count++) {
      const linked = linkedAbort(signal);
      try {
        for await (const event of attempt(body, linked)) yield told(event, ownName);
        return;
      } catch (thrown) {
        throwIfAborted(signal);
        const failure = failureOf(thrown, driver.source);
        const isOfTheMoment = failure.class === "transient" || failure.class === "rate-limit";
        const waitMs = isOfTheMoment ? waitAfter({ attempt: count, retryAfterMs: failure.retryAfterMs, random }, retry) : null;
        if (waitMs === null) throw failure.error;
        yield { type: "retry", attempt: count, class: failure.class, waitMs };
        await wait(waitMs, signal).catch((error: unknown) => {
          throwIfAborted(signal);
          throw error;
        });
      } finally {
        linked.release();
      }
    }
  }

  return {
    stream: (request, signal) =>
      attempts(request, signal, (body, linked) => {
        const events = driver.streamed(body, linked.signal);
        return timeoutMs === null ? events : endedWhenIdle(events, { timeoutMs, wait: idleWait, abort: linked.abort });
      }),
    complete: async (request, signal) => {
      const events = attempts(request, signal, async function* (body, linked) {
        yield { type: "reply", ...(await driver.whole(body, linked.signal)) };
      });
      for await (const event of events) if (event.type === "reply") return event.reply;
      throw new Error("an attempt that did not fail gives a reply");
    },
  };
}

/** The event with the tools' own names. */
function told(event: DriverEvent, ownName: (wireName: string) => string): ModelEvent {
  if (event.type === "tool-call-start") return { ...event, toolName: ownName(event.toolName) };
  if (event.type !== "reply") return event;
  const parts = event.reply.draft.parts.map((part) =>
    part.type === "tool-call" ? { ...part, toolName: ownName(part.toolName) } : part,
  );
  return replyEvent({ ...event, reply: { ...event.reply, draft: { ...event.reply.draft, parts } } });
}

/** Refuses a reply that cannot be appended: nothing was said, and nothing says that this was meant. */
function replyEvent({ reply, isWindowFull }: DecodedReply): ModelEvent {
  const isEmpty = reply.draft.parts.every(
    (part) => part.type === "reasoning" || (part.type === "text" && part.text.trim() === ""),
  );
  if (isEmpty && isWindowFull) throw fullWindow();
  if (isEmpty && reply.stopReason !== "refusal" && reply.stopReason !== "length") throw emptyReply();
  return { type: "reply", reply };
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted && !isPlimsollError(signal.reason, "aborted"))
    throw new PlimsollError("aborted", "the request was aborted");
  if (signal.aborted) throw signal.reason;
}

/** A signal for one attempt. */
interface LinkedAbort {
  readonly signal: AbortSignal;
  /** Ends this attempt alone. */
  readonly abort: () => void;
  readonly release: () => void;
}

/** A signal for one attempt that aborts with the caller's: SDKs leave listeners on what they are given, and a session has one signal. */
function linkedAbort(signal: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    signal: controller.signal,
    abort: () => controller.abort(),
    release: () => signal.removeEventListener("abort", onAbort),
  };
}
