import type { Program, ProgramMoment } from "@plimsoll/bench";
import { cellOf, drive, type PreparedSession, type ReplayedCall } from "@plimsoll/bench/internal";
import type { Message } from "@plimsoll/core";
import { createEstimator, createWorkCounter, EMPTY_LEDGER, type EnginePolicy, triggerTokens } from "@plimsoll/core/build";
import { MODEL_CATALOG } from "@plimsoll/providers";
import type { Compared } from "./compared.ts";
import { tailOf } from "./pi-cuts.ts";

/** The input of a comparison: a policy of ours on a session, call by call, with a program that is asked about the same context. */
export interface ProgramDifferential {
  readonly session: PreparedSession;
  readonly policy: EnginePolicy;
  readonly program: Program;
  readonly roomTokens: number;
}

/** Both count, but not the same: chosen. */
const NEAR_RATIO = 0.1;

/**
 * Replays a session under our policy, and asks the program before each call what it would do with our context and the newest report. It begins anew
 * each time, so that what one of them did earlier is never counted twice.
 */
export async function compareProgram({
  session,
  policy,
  program,
  roomTokens,
}: ProgramDifferential): Promise<readonly Compared[]> {
  const cell = cellOf(session, { policy, window: { kind: "working-room", tokens: roomTokens }, catalog: MODEL_CATALOG });
  if (cell.why !== null) return [];
  const calls: ReplayedCall[] = [];
  await drive(session, cell, (call) => calls.push(call));
  const { contextWindowTokens, inputBudgetTokens, maxOutputTokens, overheadTokens } = cell;
  const limits = { contextWindowTokens, maxOutputTokens };
  const lineTokens = triggerTokens(policy.trigger, { windowTokens: contextWindowTokens, inputBudgetTokens });
  const found: Compared[] = [];
  const log: Message[] = [];
  let view: readonly Message[] = [];
  let reported: ProgramMoment["reported"] = null;
  let call = 0;
  for (const entry of session.entries) {
    if (entry.type === "message") {
      log.push(entry.message);
      view = [...view, entry.message];
    }
    if (entry.type !== "usage") continue;
    const sent = calls[call];
    if (sent === undefined) break;
    // After a lost call the two know different sizes: the program is not asked.
    const isKnown = calls[call - 1]?.lost !== true;
    const theirs = isKnown ? await askedAbout({ program, view, reported, setting: { limits, overheadTokens } }) : null;
    const ours = sent.compactions.find(({ record }) => record.reason === "threshold");
    const at = { session: session.transcript.name, call };
    if (isKnown && (ours !== undefined || theirs !== null)) {
      const measured = ours?.record.tokensBefore ?? sent.prediction.expectedTokens;
      found.push({
        ...at,
        aspect: "trigger",
        kind: kindOfTrigger({ acts: ours !== undefined, theirs, measured, lineTokens, sent }),
      });
      if (ours !== undefined && theirs !== null)
        found.push(
          ...comparedContexts({ ours: sent.context.slice(), theirs, view, log, policy }).map((each) => ({ ...at, ...each })),
        );
    }
    view = sent.context.slice();
    reported = sent.lost
      ? reported
      : { promptTokens: sent.promptTokens, outputTokens: sent.recorded.usage.output.totalTokens ?? 0 };
    call += 1;
  }
  return found;
}

/** The messages that the program would send in the context's place, and those that it showed its model; `null` if it would do nothing. */
interface Answer {
  readonly messages: readonly Message[];
  readonly shown: readonly Message[] | null;
}

async function askedAbout({
  program,
  view,
  reported,
  setting,
}: {
  readonly program: Program;
  readonly view: readonly Message[];
  readonly reported: ProgramMoment["reported"];
  readonly setting: Pick<Parameters<Program["start"]>[0], "limits" | "overheadTokens">;
}): Promise<Answer | null> {
  const shown: (readonly Message[])[] = [];
  const summarize = ({ messages }: { readonly messages: readonly Message[] }) => {
    shown.push(messages);
    return Promise.resolve("A summary.");
  };
  const run = await program.start({ ...setting, summarize });
  const messages = await run.at({ gate: "before-step", messages: view, pending: [], reported, nowMs: null });
  const isSame = messages.length === view.length && messages.every((message, place) => message === view[place]);
  return isSame ? null : { messages, shown: shown[0] ?? null };
}

interface Moment {
  readonly acts: boolean;
  readonly theirs: Answer | null;
  /** The context by the policy's own measure. */
  readonly measured: number;
  readonly lineTokens: number;
  readonly sent: ReplayedCall;
}

/**
 * `near-line`: the policy's measure is close to the line; `no-room`: an attempt of ours failed, or changed nothing; `every-call`: there is no
 * line, and ours waits until something is worth it.
 */
function kindOfTrigger({ acts, theirs, measured, lineTokens, sent }: Moment): string | null {
  if (acts === (theirs !== null)) return null;
  if (lineTokens === 0) return "every-call";
  if (!acts && sent.failedCompactions > 0) return "no-room";
  if (Math.abs(measured - lineTokens) <= NEAR_RATIO * lineTokens) return "near-line";
  if (!acts && measured > lineTokens) return "no-room";
  return acts ? "ours-alone" : "theirs-alone";
}

interface Contexts {
  readonly ours: readonly Message[];
  readonly theirs: Answer;
  readonly view: readonly Message[];
  readonly log: readonly Message[];
  readonly policy: EnginePolicy;
}

/** Compares what stayed and what went, by messages and by the measure of the cut. */
function comparedContexts({ ours, theirs, view, log, policy }: Contexts): readonly Pick<Compared, "aspect" | "kind">[] {
  const [ourFirst] = tailOf(ours, log);
  const [theirFirst] = tailOf(theirs.messages, log);
  const isSummarised = theirs.shown !== null;
  const gone = takenFrom(view, ours);
  const theirGone = takenFrom(view, theirs.messages);
  const size = sizeOf(policy);
  const kept = [ours, theirs.messages].map((messages) => size(messages.filter((message) => view.includes(message))));
  const [ourSize = 0, theirSize = 0] = kept;
  return [
    ...(isSummarised ? [{ aspect: "first-kept", kind: cutDifference(ourFirst, theirFirst, log) } as const] : []),
    { aspect: "taken", kind: setDifference(gone, theirGone) },
    ...(theirs.shown === null ? [] : [{ aspect: "shown", kind: shownDifference(gone, theirs.shown) } as const]),
    {
      aspect: "size-after",
      kind: ourSize === theirSize ? null : Math.abs(ourSize - theirSize) <= NEAR_RATIO * theirSize ? "near" : "size",
    },
  ];
}

/** Messages of the view that are not sent as they were. */
function takenFrom(view: readonly Message[], sent: readonly Message[]): readonly string[] {
  const stays = new Set(sent);
  return view.filter((message) => !stays.has(message)).map(({ id }) => id);
}

function cutDifference(ours: Message | undefined, theirs: Message | undefined, log: readonly Message[]): string | null {
  if (ours?.id === theirs?.id) return null;
  const placeOf = (message: Message | undefined) =>
    message === undefined ? log.length : log.findIndex(({ id }) => id === message.id);
  const distance = placeOf(theirs) - placeOf(ours);
  if (distance > 0) return distance <= STEP_MESSAGES ? "a-step-more" : "ours-keeps-more";
  return -distance <= STEP_MESSAGES ? "a-step-less" : "ours-keeps-less";
}

/** A reply and the results of a few calls: what one decision about one step can differ by. Chosen. */
const STEP_MESSAGES = 6;

function setDifference(ours: readonly string[], theirs: readonly string[]): string | null {
  const [own, other] = [new Set(ours), new Set(theirs)];
  const ourOnly = ours.some((id) => !other.has(id));
  const theirOnly = theirs.some((id) => !own.has(id));
  if (!ourOnly && !theirOnly) return null;
  return ourOnly && theirOnly ? "others" : ourOnly ? "ours-takes-more" : "theirs-takes-more";
}

/** Whether the model is shown all that it takes the place of. */
function shownDifference(gone: readonly string[], shown: readonly Message[]): string | null {
  const ids = new Set(shown.map(({ id }) => id));
  const missing = gone.filter((id) => !ids.has(id)).length;
  return missing === 0 ? null : "trimmed";
}

function sizeOf(policy: EnginePolicy): (messages: readonly Message[]) => number {
  const estimator = createEstimator(policy.cutEstimator ?? policy.estimator, createWorkCounter(), {});
  return (messages) => messages.reduce((sum, message) => sum + estimator.messageTokens(message, EMPTY_LEDGER), 0);
}
