import type { Transcript } from "../transcript.ts";
import { errorsOf, type PredictionErrors } from "./errors.ts";
import type { Method, PredictedCall } from "./predict-calls.ts";
import { predictCalls } from "./predict-calls.ts";

/** One session under several methods. */
export interface CalibratedSession {
  readonly file: string;
  readonly format: string;
  readonly modelIds: readonly string[];
  /** In the order of the methods that were asked for. */
  readonly methods: readonly CalibratedMethod[];
}

/** One method's predictions of a session's calls. */
export interface CalibratedMethod {
  readonly method: string;
  readonly calls: readonly PredictedCall[];
}

/** What kind of call: errors of the kinds are not alike and are told apart. */
export type CallKind = "first" | "after-cut" | "after-switch" | "fell" | "calm";

/** Predicts every call of a session by every method; `kinds` are the calls' own, one a call. */
export function calibrateSession(
  transcript: Transcript,
  methods: readonly Method[],
): { readonly session: CalibratedSession; readonly kinds: readonly CallKind[] } {
  const modelIds = transcript.entries.flatMap((entry) => (entry.type === "usage" ? [entry.modelId] : []));
  const session: CalibratedSession = {
    file: transcript.name,
    format: transcript.format,
    modelIds: [...new Set(modelIds)],
    methods: methods.map((method) => ({ method: method.name, calls: predictCalls(transcript, method) })),
  };
  return { session, kinds: callKinds(transcript) };
}

/** The kind of each reported call, by the log: an unmarked fall is told from the reports themselves, afterwards. */
export function callKinds({ entries }: Transcript): readonly CallKind[] {
  const kinds: CallKind[] = [];
  let lastTokens: number | null = null;
  let lastModelId: string | null = null;
  let wasCut = false;
  for (const entry of entries) {
    if (entry.type === "compaction" || entry.type === "revert") wasCut = true;
    if (entry.type !== "usage") continue;
    const tokens = entry.usage.input.totalTokens ?? 0;
    if (tokens <= 0) continue;
    if (lastTokens === null) kinds.push("first");
    else if (wasCut) kinds.push("after-cut");
    else if (lastModelId !== entry.modelId) kinds.push("after-switch");
    else kinds.push(tokens < lastTokens ? "fell" : "calm");
    lastTokens = tokens;
    lastModelId = entry.modelId;
    wasCut = false;
  }
  return kinds;
}

/** Calls of one method over sessions, with their kinds. */
export interface MethodCalls {
  readonly method: string;
  readonly calls: readonly (PredictedCall & { readonly kind: CallKind })[];
}

/** The calls of each method, all sessions together. */
export function byMethod(
  sessions: readonly { readonly session: CalibratedSession; readonly kinds: readonly CallKind[] }[],
): readonly MethodCalls[] {
  const methods = sessions[0]?.session.methods ?? [];
  return methods.map(({ method }, index) => ({
    method,
    calls: sessions.flatMap(({ session, kinds }) =>
      (session.methods[index]?.calls ?? []).map((call) => ({ ...call, kind: kinds[call.call] ?? "calm" })),
    ),
  }));
}

/** Errors of the calls of some kinds. */
export function errorsOfKinds({ calls }: MethodCalls, kinds: readonly CallKind[]): PredictionErrors {
  return errorsOf(calls.filter(({ kind }) => kinds.includes(kind)));
}
