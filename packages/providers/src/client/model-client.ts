import type { ModelClient, ModelEvent, ModelReply, ModelRequest } from "@plimsoll/core";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import type { WireRules } from "@plimsoll/core/extend";
import { sentModelId, withinReply } from "../catalog/model-limits.ts";
import { createToolNames } from "../wire/tools.ts";
import { checkSendable, type DecodedReply, type DriverEvent, decodedBy, type WireDriver } from "../wire/wire.ts";
import { emptyReply, failureOf, fullWindow } from "./failure.ts";
import type { ClientOptions } from "./options.ts";
import { DEFAULT_RETRY, type Wait, waitAfter, waitByTimer } from "./retry.ts";

/** A model client over one wire: checks, names, attempts, waits, classes of failures and the caller's abort are the same for all of them. */
export function createModelClient<Body>(driver: WireDriver<Body>, options: ClientOptions): ModelClient {
  const { retry = DEFAULT_RETRY, wait = waitByTimer, random = Math.random, idleWait = waitByTimer } = options;
  const renamed = createToolNames(driver.maximumToolNameChars);
  const timeoutMs = options.idleTimeoutMs === undefined ? DEFAULT_IDLE_TIMEOUT_MS : options.idleTimeoutMs;

  const encoded = (asked: ModelRequest, rules: WireRules) => {
    const { request, ownName } = renamed({ ...withinReply(asked), modelId: sentModelId(asked.modelId) });
    checkSendable(request.context.messages, rules);
    return { body: driver.encode(request), ownName };
  };

  async function* attempts(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: (body: Body, linked: ReturnType<typeof linkedAbort>) => AsyncIterable<DriverEvent>,
  ): AsyncGenerator<ModelEvent> {
    throwIfAborted(signal);
    const { body, ownName } = encoded(request, driver.rules);
    for (let count = 1; ; count++) {
      const linked = linkedAbort(signal);
      try {
        for await (const event of attempt(body, linked)) yield told(event, ownName);
        return;
      } catch (thrown) {
        throwIfAborted(signal);
        // An SDK that is not installed will not be there for the next attempt.
        if (isPlimsollError(thrown, "bad-input")) throw thrown;
        const failure = failureOf(thrown, { ...driver.source, request: body });
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

  /** Asked once: without a summary of the vendor's a digest is there at once. */
  const compacted = async (request: ModelRequest, signal: AbortSignal, compact: NonNullable<typeof driver.compact>) => {
    const { body } = encoded(request, { ...driver.rules, lastMessage: "any" });
    try {
      return await compact(body, signal);
    } catch (thrown) {
      throwIfAborted(signal);
      throw isPlimsollError(thrown) ? thrown : failureOf(thrown, { ...driver.source, request: body }).error;
    }
  };
  const { compact } = driver;

  return {
    ...(compact === undefined ? {} : { compact: (request, signal) => compacted(request, signal, compact) }),
    stream: (request, signal) =>
      attempts(request, signal, (body, linked) => {
        const events = streamed(body, linked.signal);
        return timeoutMs === null ? events : endedWhenIdle(events, { timeoutMs, wait: idleWait, abort: linked.abort });
      }),
    complete: async (request, signal) => {
      const events = attempts(request, signal, async function* (body, linked) {
        yield { type: "reply", reply: decodedBy(driver, await driver.send(body, linked.signal)) };
      });
      for await (const event of events) if (event.type === "reply") return event.reply;
      throw new Error("an attempt that did not fail gives a reply");
    },
  };
}

function told(event: DriverEvent, ownName: (wireName: string) => string): ModelEvent {
  if (event.type === "tool-call-start") return { ...event, toolName: ownName(event.toolName) };
  return event.type === "reply" ? { type: "reply", reply: replyOf(event.reply, ownName) } : event;
}

/** The reply with the tools' own names. One that cannot be appended is refused: nothing was said, and nothing says that this was meant. */
function replyOf(decoded: DecodedReply, ownName: (wireName: string) => string): ModelReply {
  const { requestId, modelId, stopReason, usage, saidChars, isWindowFull } = decoded;
  const isEmpty = saidChars === 0;
  if (isEmpty && isWindowFull) throw fullWindow();
  if (isEmpty && stopReason !== "refusal" && stopReason !== "length") throw emptyReply();
  const parts = decoded.parts.map((part) => (part.type === "tool-call" ? { ...part, toolName: ownName(part.toolName) } : part));
  const draft = { role: "assistant", origin: "model", parts, modelId, requestId, stopReason, atMs: null } as const;
  return { requestId, draft, stopReason, usage, saidChars, ...(isWindowFull ? { isWindowFull } : {}) };
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted && !isPlimsollError(signal.reason, "aborted"))
    throw new PlimsollError("aborted", "the request was aborted");
  if (signal.aborted) throw signal.reason;
}

/** A signal for one attempt that aborts with the caller's: SDKs leave listeners on their signals, and a session has one signal. */
function linkedAbort(signal: AbortSignal) {
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

/** Five minutes: reasoning that is not shown can take so long on the OpenAI wires, which send nothing meanwhile; Codex waits as long (`stream_idle_timeout_ms`). */
const DEFAULT_IDLE_TIMEOUT_MS = 300_000;

/** The events, as long as each comes in time; the first is waited for as long as any other. Rejects with the reason `idle-stream`. */
async function* endedWhenIdle<Event>(
  events: AsyncIterable<Event>,
  { timeoutMs, wait, abort }: { readonly timeoutMs: number; readonly wait: Wait; readonly abort: () => void },
): AsyncGenerator<Event> {
  const iterator = events[Symbol.asyncIterator]();
  let isIdle = false;
  try {
    for (;;) {
      const timer = new AbortController();
      const over = wait(timeoutMs, timer.signal).then(
        () => "idle" as const,
        // The wait was ended because an event came.
        () => "ended" as const,
      );
      const next = iterator.next();
      const first = await Promise.race([next, over]).finally(() => timer.abort());
      if (first === "idle") {
        isIdle = true;
        // The request, too, so that nothing goes on behind the failure.
        abort();
        next.catch(() => undefined);
        throw new PlimsollError("provider-failed", `the stream sent nothing for ${timeoutMs} ms`, { reason: "idle-stream" });
      }
      const { done, value } = await next;
      if (done === true) return;
      yield value;
    }
  } finally {
    // A stream that hangs would keep its reader waiting for its end, too.
    if (!isIdle) await iterator.return?.();
  }
}
