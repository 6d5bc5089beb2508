import type { FitInput, FitOutcome } from "../src/engine/fit-input.ts";
import type { SessionEntry } from "../src/entry.ts";
import type { Message, StopReason } from "../src/message/message.ts";
import type { Policy } from "../src/policy/policy.ts";
import type { ModelClient, ModelRequest } from "../src/ports.ts";
import type { ContextEvent } from "../src/session/events.ts";
import { createSession } from "../src/session/open-session.ts";
import type { Session, SessionOptions } from "../src/session/session.ts";
import { createModelSummarizer } from "../src/summarizer/model-summarizer.ts";
import { logOf, sessionStart } from "../src/testing/builders.ts";
import { usageOf } from "../src/usage.ts";
import { textOfBytes } from "./lettered.ts";

/** An answer of a scripted model to a request for a summary; a function may look at the request. */
export type ScriptedReply =
  | string
  | Error
  | { readonly text: string; readonly stopReason: StopReason }
  | ((request: ModelRequest) => string);

/** A session on the shipped engine with the model summariser, and its results. */
export interface EngineSession {
  readonly manager: Session;
  readonly events: readonly ContextEvent[];
  /** Requests for summaries, in order. */
  readonly requests: readonly ModelRequest[];
  fit(input?: Partial<FitInput>): Promise<FitOutcome>;
  append(...messages: readonly Message[]): void;
  log(...entries: readonly SessionEntry[]): void;
}

/** Options of a session in a test. Sizes are in tokens. */
export interface EngineSessionOptions
  extends Partial<Pick<SessionOptions, "beforeCompaction" | "hiddenOverheadTokens" | "stateProviders">> {
  readonly policy: Policy;
  readonly windowTokens: number | null;
  readonly maxOutputTokens?: number;
  readonly systemTokens?: number;
  readonly messages: readonly Message[];
  /** Answers in turn, the last one again and again; by default a short summary under the policy's sections. */
  readonly replies?: readonly ScriptedReply[];
}

/** Opens a session over the messages. */
export function engineSession(options: EngineSessionOptions): EngineSession {
  const events: ContextEvent[] = [];
  const requests: ModelRequest[] = [];
  const replies = options.replies ?? [sectionedReply(options.policy.summary.sections)];
  const { beforeCompaction, hiddenOverheadTokens, stateProviders, maxOutputTokens } = options;
  const manager = createSession({
    policy: options.policy,
    summarizer: createModelSummarizer(scriptedClient(replies, requests), { modelId: "test/model" }),
    entries: [
      sessionStart(
        textOfBytes(4 * (options.systemTokens ?? 0))
          .split("word")
          .join("rule"),
      ),
    ],
    onEvent: (event) => events.push(event),
    ...(beforeCompaction === undefined ? {} : { beforeCompaction }),
    ...(stateProviders === undefined ? {} : { stateProviders }),
    ...(hiddenOverheadTokens === undefined ? {} : { hiddenOverheadTokens }),
  });
  for (const entry of logOf(options.messages).slice(1)) manager.append(entry);
  const model = { contextWindowTokens: options.windowTokens, maxOutputTokens: maxOutputTokens ?? null };
  return {
    manager,
    events,
    requests,
    fit: (input = {}) =>
      manager.fit({ gate: "before-step", pending: [], model, nowMs: null, ...input }, new AbortController().signal),
    append: (...messages) => {
      for (const message of messages) manager.append({ type: "message", message });
    },
    log: (...entries) => {
      for (const entry of entries) manager.append(entry);
    },
  };
}

/** A short summary that has every section. */
export function sectionedReply(sections: readonly string[]): string {
  return sections.length === 0 ? "They worked." : sections.map((title) => `## ${title}\n- noted`).join("\n\n");
}

/** A model that answers as scripted and keeps its requests. */
export function scriptedClient(replies: readonly ScriptedReply[], requests: ModelRequest[] = []): ModelClient {
  return {
    complete: (request) => {
      const scripted = replies[Math.min(requests.length, replies.length - 1)] ?? "";
      requests.push(request);
      if (scripted instanceof Error) return Promise.reject(scripted);
      const said = typeof scripted === "function" ? scripted(request) : scripted;
      const { text, stopReason } = typeof said === "string" ? { text: said, stopReason: "end" as const } : said;
      return Promise.resolve({
        requestId: `summary-${requests.length}`,
        draft: {
          role: "assistant",
          origin: "model",
          parts: text === "" ? [] : [{ type: "text", text }],
          modelId: request.modelId,
          requestId: `summary-${requests.length}`,
          stopReason,
          atMs: null,
        },
        stopReason,
        usage: usageOf({ totalInputTokens: 1000, outputTokens: 100 }),
      });
    },
    stream: () => {
      throw new Error("summaries are not streamed");
    },
  };
}
