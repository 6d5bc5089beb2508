import type {
  ModelLimits,
  PathAccess,
  Policy,
  Session,
  SessionOptions,
  SessionStore,
  ToolCallPart,
  ToolResultMessage,
  UserMessage,
} from "@plimsoll/core";
import { isRecord, option, type recallArtifact } from "@plimsoll/core/extend";
import { z } from "zod";
import type { CompactorOptions } from "../drop-in/request.ts";
import type { FitReport } from "../fit-report.ts";

type ContextOptions = Pick<
  SessionOptions,
  | "kinds"
  | "summarizer"
  | "redact"
  | "onEvent"
  | "tokenizers"
  | "pinned"
  | "stateProviders"
  | "fileTracker"
  | "beforeCompaction"
>;

/** Options of every session. All of it has a default: the policy is `PLIMSOLL_POLICY`, and summaries are a digest that asks no model. */
export interface SdkSessionOptions extends Partial<ContextOptions>, Pick<CompactorOptions, "artifacts" | "categoryOf"> {
  /** A policy, or the name of a preset. */
  readonly policy?: Policy | string;
  /** System text, sent before the messages. */
  readonly system?: string;
  /** The model's window and largest reply; by default the window from `limitsOf` and the reply that the request asks for. */
  readonly limits?: ModelLimits;
  /** Finds the limits of the request's model, `null` for an unknown one; the catalogue's by default. */
  readonly limitsOf?: (modelId: string) => ModelLimits | null;
  /** The name of the session's log; a new one by default. */
  readonly sessionId?: string;
  /** The store of the log, so that the session of that name continues after a restart; only memory by default. */
  readonly sessions?: SessionStore;
  /** The files that a call touches; by default those that its arguments name (`paths`). */
  readonly pathsOf?: (call: Pick<ToolCallPart, "toolName" | "argumentsJson" | "paths">) => readonly PathAccess[];
  /** The clock; the system's by default. */
  readonly nowMs?: () => number;
}

const { fn, object, text } = option;

/** Schemas of {@link SdkSessionOptions}, and of the request of all vendors. */
export const SESSION_KEYS: Parameters<typeof option.schema<SdkSessionOptions & { readonly request: never }>>[0] = {
  request: option.kind((value) => isRecord(value) && typeof value.model === "string", "a request with a model"),
  limits: option.limits.optional(),
  sessions: option.having("create", "open", "read").optional(),
  artifacts: option.having("put", "get").optional(),
  pinned: z.array(text).readonly().optional(),
  stateProviders: z.array(fn).readonly().optional(),
  policy: option.policy.optional(),
  kinds: option.kinds.optional(),
  tokenizers: object.optional(),
  ...option.optional(text, "system", "sessionId"),
  ...option.optional(fn, "limitsOf", "summarizer", "redact", "onEvent", "fileTracker"),
  ...option.optional(fn, "beforeCompaction", "categoryOf", "pathsOf", "nowMs"),
};

interface ResultOptions {
  readonly isError?: boolean;
  /** The tool's advice on how to see the rest of an output that is cut. */
  readonly hint?: string;
}

/**
 * One conversation of a caller's own loop, on one vendor's wire. `Request` is the vendor's SDK's request, `Answer` its answer.
 *
 * `user`, `reply` and `result` take effect at once and are written in that order; if the store fails to write, the next request
 * rejects. Misuse throws a PlimsollError `bad-input`.
 */
export interface SdkSession<Request, Answer> {
  readonly sessionId: string;
  /** The report of the newest fit; `null` before the first. */
  readonly last: FitReport | null;
  /** The calls of the newest reply that have no result yet, in order. */
  readonly calls: readonly ToolCallPart[];
  /** Adds a message of the person: text, or parts with images. It goes out with the next request. Throws for input without content. */
  user(input: string | UserMessage["parts"]): void;
  /**
   * Makes everything fit and gives the request to send. A request that failed can be asked for again.
   *
   * Rejects with `bad-input` if another request is being made, a call has no result, or there is nothing to send; with `unsendable` for a request
   * that the wire would reject; with `context-overflow` and the parts if no cut can make it fit the limits of the options. `send` sends it all the
   * same, once.
   */
  request(signal?: AbortSignal): Promise<Request>;
  /** Takes the answer to the newest request and gives the calls to run. Throws if no request waits for an answer; `provider-failed` for an answer that failed. */
  reply(answer: Answer): readonly ToolCallPart[];
  /** Adds the result of a call, cut to the policy's cap. Throws for a call that is unknown or has its result. */
  result(callId: string, output: string | ToolResultMessage["parts"], options?: ResultOptions): void;
  /**
   * Makes the request, sends it by `call` and takes the answer. If the vendor says that the prompt does not fit, or refuses it in unknown
   * words, compacts further and sends again as often as the policy allows. Every other error reaches the caller unchanged, and `send` can be called again.
   */
  send<Own extends Answer>(call: (request: Request) => PromiseLike<Own>, signal?: AbortSignal): Promise<Own>;
  /** A piece of the text behind a notice's handle; `null` for an unknown handle. A tool of yours can offer it to the model. */
  recall(handle: string, range: Parameters<typeof recallArtifact>[1]): ReturnType<typeof recallArtifact>;
  /** Answers a call of a context tool, and logs it. `contextTools` makes the calls. */
  contextCall: Session["contextCall"];
  /** The session of the engine under it: its totals, undo, and compaction by hand. */
  readonly conversation: Session;
  /**
   * Releases the log, once all messages are written and a running `send` has its answer, also in the log: a `call` must not wait for it. Later
   * requests reject or throw `closed`, and so does a `send` that would have to send again, before it does. If the store fails, it rejects and keeps all; call it
   * again. It also rejects, once, for a result that could not be kept.
   */
  close(): Promise<void>;
}
