import type { Message, ModelClient, ModelEvent, ModelReply, ModelRequest } from "@plimsoll/core";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import type { WireRules } from "@plimsoll/core/internal";
import { checkMessages, isRecord } from "@plimsoll/core/internal";
import { createToolNames } from "../wire/identifiers.ts";
import { loadImages } from "../wire/images.ts";
import { emptyReply, failureOf, fullWindow } from "./failure.ts";
import { DEFAULT_IDLE_TIMEOUT_MS, endedWhenIdle } from "./idle-stream.ts";
import type { ClientOptions } from "./options.ts";
import { DEFAULT_RETRY, waitAfter, waitByTimer } from "./retry.ts";
import type { DecodedReply, DriverEvent, WireDriver } from "./wire-driver.ts";

/** A model client over one wire: checks, names, attempts, waits, classes of failures and the caller's abort are the same for all of them. */
export function createModelClient<Body>(driver: WireDriver<Body>, options: ClientOptions): ModelClient {
  const { retry = DEFAULT_RETRY, wait = waitByTimer, random = Math.random, idleWait = waitByTimer } = options;
  const renamed = createToolNames(driver.maximumToolNameChars);
  const timeoutMs = options.idleTimeoutMs === undefined ? DEFAULT_IDLE_TIMEOUT_MS : options.idleTimeoutMs;

  async function* attempts(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: (body: Body, linked: LinkedAbort) => AsyncIterable<DriverEvent>,
  ): AsyncGenerator<ModelEvent> {
    throwIfAborted(signal);
    const { request: sent, ownName } = renamed(request);
    checkSendable(sent.context.messages, driver.rules);
    const body = driver.encode(sent, await loadImages(sent.context, options.loadImage ?? null));
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

  async function* streamed(body: Body, signal: AbortSignal): AsyncGenerator<DriverEvent> {
    yield* driver.decodeStream(await driver.stream(body, signal));
  }

  return {
    stream: (request, signal) =>
      attempts(request, signal, (body, linked) => {
        const events = streamed(body, linked.signal);
        return timeoutMs === null ? events : endedWhenIdle(events, { timeoutMs, wait: idleWait, abort: linked.abort });
      }),
    complete: async (request, signal) => {
      const events = attempts(request, signal, async function* (body, linked) {
        const answer = await driver.send(body, linked.signal);
        if (!isRecord(answer)) throw emptyReply();
        yield { type: "reply", reply: driver.decode(answer) };
      });
      for await (const event of events) if (event.type === "reply") return event.reply;
      throw new Error("an attempt that did not fail gives a reply");
    },
  };
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

/** The event with the tools' own names. */
function told(event: DriverEvent, ownName: (wireName: string) => string): ModelEvent {
  if (event.type === "tool-call-start") return { ...event, toolName: ownName(event.toolName) };
  return event.type === "reply" ? { type: "reply", reply: replyOf(event.reply, ownName) } : event;
}

/** The reply with the tools' own names. One that cannot be appended is refused: nothing was said, and nothing says that this was meant. */
function replyOf(decoded: DecodedReply, ownName: (wireName: string) => string): ModelReply {
  const { requestId, modelId, stopReason, usage, isWindowFull } = decoded;
  const isEmpty = decoded.parts.every((part) => part.type === "reasoning" || (part.type === "text" && part.text.trim() === ""));
  if (isEmpty && isWindowFull) throw fullWindow();
  if (isEmpty && stopReason !== "refusal" && stopReason !== "length") throw emptyReply();
  const parts = decoded.parts.map((part) => (part.type === "tool-call" ? { ...part, toolName: ownName(part.toolName) } : part));
  const draft = { role: "assistant", origin: "model", parts, modelId, requestId, stopReason, atMs: null } as const;
  return { requestId, draft, stopReason, usage };
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
  /** Stops listening to the caller's signal. */
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
