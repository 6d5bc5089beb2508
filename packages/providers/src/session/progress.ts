import type { SessionView } from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import type { MessageDraft } from "@plimsoll/core/internal";
import type { OpenCall } from "./reply-draft.ts";

/** Where a session is between two requests. Transitions give a new record; misuse throws a PlimsollError `bad-input`. */
export interface Progress {
  /** What the person said and the log does not have yet. */
  readonly waiting: readonly MessageDraft[];
  readonly open: readonly OpenCall[];
  /** What the newest request sent, if nothing answered it yet. */
  readonly sent: SessionView | null;
  /** True while a request is being made or sent. */
  readonly isBusy: boolean;
  /** What could not be written after its caller had gone on: the next request throws it. */
  readonly failure: { readonly error: unknown } | null;
}

/** A session that was just opened. */
export const NOTHING_YET: Progress = { waiting: [], open: [], sent: null, isBusy: false, failure: null };

/** A request begins. */
export function begun(progress: Progress): Progress {
  if (progress.isBusy) throw misuse("a request of this session is being made; wait for it, or open another session");
  return { ...progress, isBusy: true, sent: null };
}

/** Throws what the log could not take, and names calls that have no result: no vendor takes the request then. */
export function checkAnswered({ failure, open }: Progress): void {
  if (failure !== null) throw failure.error;
  if (open.length === 0) return;
  const callIds = open.map(({ call }) => call.callId);
  throw misuse(`no result was given for: ${callIds.join(", ")}`, { callIds });
}

/** The newest request's answer came, and its calls are open. */
export function replied(progress: Progress, open: readonly OpenCall[]): Progress {
  return { ...progress, open, sent: null };
}

/** What the newest request sent. Throws if it was answered, or if there was none. */
export function awaited({ sent }: Progress): SessionView {
  if (sent === null) throw misuse("no request waits for an answer");
  return sent;
}

/** A call got its result. It can be named by its own id or by the answer's. */
export function resulted(progress: Progress, callId: string): { readonly progress: Progress; readonly call: OpenCall } {
  const call =
    progress.open.find((open) => open.call.callId === callId) ?? progress.open.find(({ givenId }) => givenId === callId);
  if (call === undefined) throw misuse(`no call ${JSON.stringify(callId)} waits for a result`, { callIds: [callId] });
  return { call, progress: { ...progress, open: progress.open.filter((open) => open !== call) } };
}

function misuse(message: string, details: { readonly callIds?: readonly string[] } = {}): PlimsollError {
  return new PlimsollError("bad-input", message, details);
}
