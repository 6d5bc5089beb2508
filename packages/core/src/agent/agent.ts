import type { FitOutcome } from "../engine/fit-input.ts";
import type { RevertEntry, SessionEntry } from "../entry.ts";
import type { PlimsollError } from "../error.ts";
import type { NewestAmount } from "../keep/keep-rule.ts";
import type { Context, MessageDraft, UserMessage } from "../message/message.ts";
import type { Recalled, RecallRange } from "../session/recall.ts";
import type { UsageTotals } from "../session/session-state.ts";
import type { SetupChange } from "../session/view.ts";
import type { AgentModel } from "./agent-options.ts";
import type { ContextUsage } from "./context-usage.ts";
import type { AgentListener, EndReason } from "./events.ts";

/** A message of the person: text, or parts with images. */
export type UserInput = string | UserMessage["parts"];

/** The end of a run: `steps` counts its model calls, `text` is the model's last text, and `error` is `null` unless the reason is `failed`. */
export interface RunOutcome {
  readonly reason: EndReason;
  readonly steps: number;
  readonly text: string;
  readonly error: PlimsollError | null;
}

/** How an agent is, at any moment from its start on. */
export interface AgentState {
  readonly sessionId: string;
  readonly status: "idle" | "running" | "compacting" | "closed";
  readonly mode: string;
  readonly modelId: string;
  readonly policy: string;
  /** Model calls of the run that goes on, or of the last one. */
  readonly step: number;
  /** Messages that wait for the next step. */
  readonly waiting: number;
  readonly context: ContextUsage;
  readonly totals: UsageTotals;
}

/** A compaction that a person asks for. `keep` is what stays verbatim; `null` leaves it to the policy. */
export interface CompactRequest {
  readonly keep?: NewestAmount | null;
  readonly focus?: string | null;
}

/** Runs a model with tools, one run at a time, and logs the session. When a promise resolves, everything that happened is in the log. */
export interface Agent {
  readonly sessionId: string;
  /** Place and size of the incomplete last line that a crash left in the log, which opening removed; `null` if there was none. */
  readonly cutOff: { readonly line: number; readonly bytes: number } | null;
  /** How system text and tools differ from those in the log of a resumed session; `null` if they do not. The log records the new ones. */
  readonly setupChange: SetupChange | null;
  /**
   * Appends a person's message and runs until the model makes no more tool calls. A provider's failure is an outcome and no rejection. Rejects
   * with `bad-input` for empty input, or during a run or compaction; also if the log cannot be written, or for a bug in Plimsoll.
   */
  submit(input: UserInput): Promise<RunOutcome>;
  /** Replaces the whole history by the messages given, and submits. The log keeps what was there. */
  replaceHistoryAndSubmit(history: readonly MessageDraft[], input: UserInput): Promise<RunOutcome>;
  /** Adds a message to the current run, before its next step. Throws `bad-input` for empty input, or if there is no run. */
  steer(input: UserInput): void;
  /** Cancels the current run or compaction; its open tool calls get error results. Does nothing if there is none. */
  cancel(): void;
  /** Compacts now, or before the next step of the current run. Rejects with `aborted` if it is cancelled. */
  compact(request?: CompactRequest): Promise<FitOutcome>;
  /** Undoes the newest compaction. Rejects with `bad-input` if there is none, or during a run or compaction. */
  undo(): Promise<RevertEntry>;
  /** Switches to another model, and compacts first if the context is too large for its window. Rejects with `bad-input` during a run or compaction. */
  switchModel(model: AgentModel): Promise<FitOutcome>;
  /** Sets the mode, which decides which tools may be used. Throws `bad-input` for a mode other than `default` and those of the options. */
  setMode(mode: string): void;
  state(): AgentState;
  /** Returns the context that the next request would send, without dynamic context. */
  context(): Context;
  /** The whole log, read from the store. */
  entries(): Promise<readonly SessionEntry[]>;
  recall(handle: string, range: RecallRange): Promise<Recalled | null>;
  /** Calls the listener with every event from now on. Returns the function that ends the subscription. */
  subscribe(listener: AgentListener): () => void;
  /** Cancels, waits for the end of the run, and releases the log. What is asked for later rejects or throws `closed`; state and log can be looked at. */
  close(): Promise<void>;
}
