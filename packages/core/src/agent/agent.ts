import type { SetupChange } from "../conversation/setup-change.ts";
import type { UsageTotals } from "../conversation/tally.ts";
import type { FitOutcome } from "../engine/fit-input.ts";
import type { RevertEntry, SessionEntry } from "../entry.ts";
import type { PlimsollError } from "../error.ts";
import type { NewestAmount } from "../keep/keep-rule.ts";
import type { MessageDraft } from "../message/ids.ts";
import type { Context, UserMessage } from "../message/message.ts";
import type { Recalled, RecallRange } from "../session/recall.ts";
import type { AgentModel } from "./agent-options.ts";
import type { ContextUsage } from "./context-usage.ts";
import type { AgentListener, EndReason } from "./events.ts";

/** A message of the person: text, or parts with images. */
export type UserInput = string | UserMessage["parts"];

/** How a run ended. `text` is the model's last words; `error` is there if the reason is `failed`. */
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

/** A session with a model, tools and a log. One run at a time; everything that happened is in the log when a promise resolves. */
export interface Agent {
  readonly sessionId: string;
  /** The part of a last line that a crash left when the log was opened; `null` if there was none. */
  readonly cutOff: { readonly line: number; readonly bytes: number } | null;
  /** The set-up that a resumed session states anew, if system text or tools differ from its log; `null` if they do not. */
  readonly setupChange: SetupChange | null;
  /**
   * Appends a human message and works until the model has no more calls. A provider's failure is an outcome; what rejects is a log that
   * cannot be written, `bad-input` for input without content or while a run goes on, and faults of ours.
   */
  submit(input: UserInput): Promise<RunOutcome>;
  /** Replaces the whole history by the messages given, and submits. The log keeps what was there. */
  replaceHistoryAndSubmit(history: readonly MessageDraft[], input: UserInput): Promise<RunOutcome>;
  /** Sends a message into the run that goes on: it enters at the next step. Rejects with `bad-input` if none does. */
  steer(input: UserInput): void;
  /** Ends the run that goes on, or the compaction; open calls get error results. Nothing if none does. */
  cancel(): void;
  /** Compacts now, or before the next step of the run that goes on. Rejects with `aborted` if it is cancelled. */
  compact(request?: CompactRequest): Promise<FitOutcome>;
  /** Undoes the newest compaction. Rejects with `bad-input` if there is none, or while a run goes on. */
  undo(): Promise<RevertEntry>;
  /** Goes on with another model, compacted first if its window is too small for what is there. Rejects while a run goes on. */
  switchModel(model: AgentModel): Promise<FitOutcome>;
  /** Throws `bad-input` for a mode that was not declared. */
  setMode(mode: string): void;
  state(): AgentState;
  /** Returns the context that the next request would send, without dynamic context. */
  context(): Context;
  /** The whole log, read from the store. */
  entries(): Promise<readonly SessionEntry[]>;
  recall(handle: string, range: RecallRange): Promise<Recalled | null>;
  /** Answers with the function that ends the subscription. */
  subscribe(listener: AgentListener): () => void;
  /** Cancels, waits for the end of the run, and releases the log. What is asked for later rejects or throws `closed`; state and log can be looked at. */
  close(): Promise<void>;
}
