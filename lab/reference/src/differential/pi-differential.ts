import { cellOf, drive, type PreparedSession, type ReplayedCall } from "@plimsoll/bench/internal";
import { type CompactionEntry, isHuman, type Message, textOf } from "@plimsoll/core";
import type { EnginePolicy } from "@plimsoll/core/build";
import { MODEL_CATALOG } from "@plimsoll/providers";
import type { PiModule, PiPreparation } from "../pi/pi-module.ts";
import { createPiSession, type PiSession } from "../pi/pi-session.ts";
import type { Compared } from "./compared.ts";
import { comparedCuts, tailOf } from "./pi-cuts.ts";
import { listedFiles, listsOf } from "./pi-files.ts";

/** The input of a comparison: a policy of ours on a session, call by call, with the program at the same state. */
export interface PiDifferential {
  readonly session: PreparedSession;
  readonly policy: EnginePolicy;
  readonly module: PiModule;
  readonly roomTokens: number;
}

/**
 * Replays a session under our policy, and asks the program at each gate what it would do there: with the same messages, the same reports, and
 * our compactions so far as its own. What one of them did earlier is thus never counted twice.
 */
export async function comparePi(differential: PiDifferential): Promise<readonly Compared[]> {
  const { session, policy, module, roomTokens } = differential;
  const cell = cellOf(session, { policy, window: { kind: "working-room", tokens: roomTokens }, catalog: MODEL_CATALOG });
  if (cell.why !== null) return [];
  const calls: ReplayedCall[] = [];
  await drive(session, cell, (call) => calls.push(call));
  const asked = createAsked(module, cell.contextWindowTokens);
  const lineTokens = cell.contextWindowTokens - module.DEFAULT_COMPACTION_SETTINGS.reserveTokens;
  const found: Compared[] = [];
  const log: Message[] = [];
  let view: readonly Message[] = [];
  let call = 0;
  for (const entry of session.entries) {
    if (entry.type === "message") {
      if (isHuman(entry.message)) await asked.beforeSubmit();
      asked.append(entry.message);
      log.push(entry.message);
      view = [...view, entry.message];
    }
    if (entry.type !== "usage") continue;
    const sent = calls[call];
    if (sent === undefined) break;
    const theirs = await asked.beforeStep();
    const at = { session: session.transcript.name, call };
    const ours = sent.compactions.find(({ record }) => record.reason === "threshold");
    // After a lost call the two know different sizes: a session ends there.
    const isKnown = calls[call - 1]?.lost !== true;
    const before = calls[call - 1];
    const usedTokens = (before?.promptTokens ?? 0) + (before?.recorded.usage.output.totalTokens ?? 0);
    if (isKnown && (ours !== undefined || theirs !== null))
      found.push({ ...at, aspect: "trigger", kind: kindOfTrigger({ ours, theirs, sent, usedTokens, lineTokens }) });
    if (ours !== undefined && theirs !== null) {
      const cuts = comparedCuts({ ours, theirs, sent, view, log, policy, session, module, pi: asked.pi });
      found.push(...cuts.map((each) => ({ ...at, ...each })));
    }
    if (sent.compactions.length > 0) mirror(sent, theirs, { log, pi: asked.pi });
    view = sent.context.slice();
    asked.answered(sent);
    call += 1;
  }
  return found;
}

/** The program's session, which is asked what it would do, and never does it. */
interface Asked {
  readonly pi: PiSession;
  append(message: Message): void;
  /** A request was answered: the next reply has its report. */
  answered(sent: ReplayedCall): void;
  beforeSubmit(): Promise<void>;
  /** The program's action before this step, or when the person's message came; `null` for nothing. */
  beforeStep(): Promise<PiPreparation | null>;
}

function createAsked(module: PiModule, contextWindowTokens: number): Asked {
  const prepared: { now: PiPreparation | null } = { now: null };
  const pi = createPiSession({
    module,
    contextWindowTokens,
    answer: () => ({ result: () => Promise.reject(new Error("no summary is asked for here")) }),
    onPreparation: (preparation) => {
      prepared.now = preparation;
      return false;
    },
  });
  let reported: { readonly promptTokens: number; readonly outputTokens: number } | null = null;
  const looksAtSteps = pi.methods._compactBeforeNextAssistantResponse !== undefined;
  return {
    pi,
    append: (message) => {
      pi.append(message, message.role === "assistant" ? reported : null);
      if (message.role === "assistant") reported = null;
    },
    answered: ({ lost, promptTokens, recorded }) => {
      reported = lost ? null : { promptTokens, outputTokens: recorded.usage.output.totalTokens ?? 0 };
    },
    beforeSubmit: async () => {
      const reply = pi.lastReply();
      if (!looksAtSteps && reply !== null) await pi.methods._checkCompaction(reply, false);
    },
    beforeStep: async () => {
      await pi.methods._compactBeforeNextAssistantResponse?.({});
      const { now } = prepared;
      prepared.now = null;
      return now;
    },
  };
}

/** One moment, seen by both. */
interface Moment {
  readonly ours: CompactionEntry | undefined;
  readonly theirs: PiPreparation | null;
  readonly sent: ReplayedCall;
  /** Reported for the request before, with its reply. */
  readonly usedTokens: number;
  readonly lineTokens: number;
}

/** Both count to the token, but not the same reports: chosen. */
const NEAR_RATIO = 0.005;

/**
 * `no-room`: what is kept exceeds the line by itself, so that each acts or not at every step as there happens to be something left to cut;
 * `near-line`: ours is over it by next to nothing; `trailing`: ours is over it with what came after the report.
 */
function kindOfTrigger({ ours, theirs, sent, usedTokens, lineTokens }: Moment): string | null {
  if ((ours !== undefined) === (theirs !== null)) return null;
  if (sent.promptTokens > lineTokens || sent.failedCompactions > 0) return "no-room";
  if (ours === undefined) return "theirs-alone";
  if ((ours.record.tokensBefore ?? 0) <= lineTokens * (1 + NEAR_RATIO)) return "near-line";
  return usedTokens <= lineTokens ? "trailing" : "ours-alone";
}

/** Our compaction as the program's own, so that both go on from the same state. Where the program would not have acted, the lists are ours, too. */
function mirror(
  sent: ReplayedCall,
  theirs: PiPreparation | null,
  { log, pi }: { readonly log: readonly Message[]; readonly pi: PiSession },
): void {
  const context = sent.context.slice();
  const [first] = tailOf(context, log);
  const id = first === undefined ? undefined : pi.entryIdOf(first);
  if (id === undefined) return;
  const summary = context.find((message) => message.role !== "tool-result" && message.origin === "summary");
  const text = summary === undefined ? "" : textOf(summary);
  pi.store.appendCompaction(text, id, 0, theirs === null ? listedFiles(text) : listsOf(theirs));
}
