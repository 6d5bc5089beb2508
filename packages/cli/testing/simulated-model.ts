import { PLIMSOLL_POLICY } from "@plimsoll/core";
import type { Fault, SimulatedReply, SimulatedRequest, Simulator } from "@plimsoll/simulator";
import { startSimulator } from "@plimsoll/simulator";

/** A model for end-to-end tests, on this machine. */
export interface SimulatedModel {
  readonly simulator: Simulator;
  /** Returns the simulator's counts of each request for the agent's next step, in order: not of those for summaries. */
  steps(): readonly CountedStep[];
  /** From here on requests for a summary get "come again later", or they are answered. */
  holdSummaries(hold: boolean): void;
}

/** The counts that the status line must show of a request. */
export interface CountedStep {
  readonly sentTokens: number;
  readonly cachePercent: number;
}

/** The window of {@link CONFIG}. */
const WINDOW_TOKENS = 24_000;

/** A person's own settings for this model. */
export const CONFIG: string = `model: anthropic/claude-simulated\ncontext_window: ${WINDOW_TOKENS}\nmax_output_tokens: 2000\n`;

/** One that takes this model for another, whose reply is by itself longer than the window of this one. */
export const CONFIG_OF_A_LARGER_MODEL: string =
  "model: anthropic/claude-simulated\ncontext_window: 200000\nmax_output_tokens: 30000\n";

/** Messages of the person that make the model do something; to any other it says a few words. */
export const ASKS = {
  look: "look at the log",
  wait: "run what does not end",
  think: "think for ever",
  speak: "speak for ever",
} as const;

/** Makes a client wait: longer than the test takes, shorter than a client's limit. */
const BUSY: Fault = { kind: "status", status: 529, retryAfterSeconds: 29 };
const NEVER = new Promise<void>(() => undefined);
/** Events that a reply sends before its words are held: the beginning of the message and of its first words. */
const EVENTS_BEFORE_HOLD = 3;
/** About 6,000 tokens. */
const LOG_COMMAND = "seq -f 'line %g of the log' 1 1200";

/** Starts it. Its words, calls and silences depend on the person's words. */
export async function startSimulatedModel(): Promise<SimulatedModel> {
  const stepIndexes: number[] = [];
  let areSummariesHeld = false;
  const simulator = await startSimulator({
    contextWindowTokens: WINDOW_TOKENS,
    replies: (request) => {
      if (!isForSummary(request)) stepIndexes.push(request.index);
      return replyTo(request);
    },
    faults: (request) => (areSummariesHeld && isForSummary(request) ? BUSY : faultFor(request)),
  });
  return {
    simulator,
    steps: () =>
      stepIndexes.map((index) => {
        const { promptTokens, cacheReadTokens } = simulator.exchanges()[index] ?? {};
        const sentTokens = promptTokens ?? 0;
        return { sentTokens, cachePercent: Math.round((100 * (cacheReadTokens ?? 0)) / sentTokens) };
      }),
    holdSummaries: (hold) => {
      areSummariesHeld = hold;
    },
  };
}

/** A summary is asked for behind the conversation, with its tools: the request is known by its first words. */
const SUMMARY_REQUEST = "[Request of the program that keeps this session";

function isForSummary({ newestText }: SimulatedRequest): boolean {
  return newestText.includes(SUMMARY_REQUEST);
}

function replyTo(request: SimulatedRequest): SimulatedReply {
  if (isForSummary(request))
    return words(`## ${PLIMSOLL_POLICY.summary.sections[0]}\nThe person wants to know what stands in the log.`);
  // Unanswered messages come before the newest one in the same message of the wire.
  if (request.newestText.endsWith(ASKS.look)) return calling(LOG_COMMAND);
  if (request.newestText.endsWith(ASKS.wait)) return calling("echo begun > begun.txt; sleep 60");
  return words("All is well as far as I can see.");
}

function faultFor({ newestText }: SimulatedRequest): Fault | null {
  if (newestText.endsWith(ASKS.think)) return heldAt(0);
  return newestText.endsWith(ASKS.speak) ? heldAt(EVENTS_BEFORE_HOLD) : null;
}

function heldAt(event: number): Fault {
  return { kind: "slow-stream", pause: (index) => (index < event ? Promise.resolve() : NEVER) };
}

function words(text: string): SimulatedReply {
  return { parts: [{ type: "text", text }] };
}

function calling(command: string): SimulatedReply {
  return { parts: [{ type: "tool-call", toolName: "run_terminal_command", argumentsJson: JSON.stringify({ command }) }] };
}
