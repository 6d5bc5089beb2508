import { createDigest, type SessionEntry } from "@plimsoll/core";
import { type Call, CHAT_DOORS, chatAnswer } from "./doors.ts";
import {
  type Answered,
  documentUrl,
  limitsOf,
  type RefusedSession,
  resultText,
  type StepDoor,
  SYSTEM,
} from "./refused-session.ts";

const STUB_CHARS = 150;
const SLACK_TOKENS = 250;

/** The record of a session. */
export interface PlayedRefusals {
  /** The place of its death; `null` if it went on to its end, or only uncuttable parts were too large. */
  readonly dead: {
    readonly step: number;
    readonly why: string;
    readonly floorTokens: number;
    readonly windowTokens: number;
  } | null;
  readonly isIrreducible: boolean;
  readonly requests: number;
  readonly refused: number;
  /** Steps that a caller had to ask for again. */
  readonly thrown: number;
  readonly entries: () => Promise<readonly SessionEntry[]>;
  /** Each request: its step, its true size, and the window then. */
  readonly log: readonly string[];
}

/** Equal tries of one step after which a session is dead. */
const TRIES = 3;

/** A server as the session says, which is asked for one step at a time. */
function serverOf(session: RefusedSession) {
  const { charsPerToken, usage, usageFactor, refusal, reserveTokens, countsReply } = session;
  const seen = { requests: 0, refused: 0, step: 0, sum: 0, isOver: false };
  const told = new Set<number>();
  const log: string[] = [];
  const usageOfPrompt = (tokens: number): number | null => {
    seen.sum += tokens;
    if (usage === "none") return null;
    if (usage === "cumulative") return seen.sum;
    if (usage === "factor") return Math.max(1, Math.round(tokens * usageFactor));
    return usage === "turns-false" && seen.step > 12 ? Math.max(1, Math.round(tokens * usageFactor)) : tokens;
  };
  const answer = (sent: unknown): Answered => {
    seen.requests += 1;
    const step = session.steps[seen.step];
    if (step === undefined) return { text: "Done.", results: [], finish: "stop", promptTokens: null, outputTokens: 1 };
    const text = JSON.stringify(sent);
    const documents = [...text.matchAll(/doc-(\d+)\.pdf/g)].reduce((sum, [, tokens]) => sum + Number(tokens), 0);
    const tokens = Math.ceil(text.length / charsPerToken) + documents + step.addedTokens;
    log.push(`${seen.step}: ${tokens} of ${step.windowTokens}`);
    if (step.refusedOnce !== null && !told.has(seen.step)) {
      told.add(seen.step);
      throw refusalError(400, step.refusedOnce);
    }
    seen.isOver = tokens + (countsReply ? reserveTokens : 0) > step.windowTokens;
    if (!seen.isOver) {
      seen.step += 1;
      const { reply: text, resultChars: results } = step;
      const finish = results.length > 0 ? "tool_calls" : "stop";
      return {
        text,
        results,
        finish,
        promptTokens: usageOfPrompt(tokens),
        outputTokens: Math.ceil(text.length / charsPerToken),
      };
    }
    seen.refused += 1;
    const { windowTokens } = step;
    switch (refusal) {
      case "numbered":
        throw refusalError(
          400,
          `This model's maximum context length is ${windowTokens} tokens. However, you requested ${tokens + (countsReply ? reserveTokens : 0)} tokens. Please reduce the length.`,
        );
      case "known":
        throw refusalError(400, "Prompt exceeds max length");
      case "random":
        throw refusalError(session.refusalStatus, session.refusalWords);
      case "empty":
        throw Object.assign(new Error(`${session.refusalStatus} status code (no body)`), { status: session.refusalStatus });
      case "bytes":
        throw refusalError(413, "Payload Too Large");
      case "cut-off":
        return {
          text: tokens % 2 === 0 ? "" : "wo",
          results: [],
          finish: "length",
          promptTokens: usageOfPrompt(tokens),
          outputTokens: tokens % 2 === 0 ? 0 : 1,
        };
      default:
        return refusal satisfies never;
    }
  };
  return { seen, answer, log };
}

function refusalError(status: number, message: string): Error {
  return Object.assign(new Error(`${status} ${message}`), { status, error: { message } });
}

/** The door of a generated session. */
async function openDoor(session: RefusedSession, answer: (sent: unknown) => Answered): Promise<StepDoor> {
  const open = CHAT_DOORS[session.door === "recover" && session.refusal === "cut-off" ? "send" : session.door];
  let sizes: readonly number[] = [];
  let answers = 0;
  const call: Call = async ({ messages }) => {
    const { results, promptTokens, ...said } = answer(messages);
    sizes = results;
    return chatAnswer(`r${answers++}`, promptTokens, { ...said, calls: results.length });
  };
  const resultOf = (at: number) => resultText(sizes[at] ?? 10);
  const { say, send, entries } = await open(session.policy, limitsOf(session), {
    ...{ system: SYSTEM, summarizer: createDigest(), resultOf },
  });
  return {
    entries,
    step: async ({ said, documentTokens }, isAgain) => {
      if (said !== null && !isAgain) say(said, documentTokens === null ? [] : [documentUrl(documentTokens)]);
      await send(call);
    },
  };
}

/** Plays a generated session through its door, or through another. */
export async function playRefused(
  session: RefusedSession,
  open: (session: RefusedSession, answer: (sent: unknown) => Answered) => StepDoor | Promise<StepDoor> = openDoor,
): Promise<PlayedRefusals> {
  const server = serverOf(session);
  const door = await open(session, server.answer);
  let thrown = 0;
  const ended = (dead: PlayedRefusals["dead"], isIrreducible = false): PlayedRefusals => ({
    dead,
    isIrreducible,
    thrown,
    requests: server.seen.requests,
    refused: server.seen.refused,
    entries: door.entries,
    log: server.log,
  });
  for (let tries = 1; server.seen.step < session.steps.length; ) {
    const index = server.seen.step;
    const { [index]: step } = session.steps;
    if (step === undefined) break;
    server.seen.isOver = false;
    const failure = await door.step(step, tries > 1).then(
      () => null,
      (error: unknown) => error,
    );
    const { step: at, isOver } = server.seen;
    if (failure === null && !isOver) {
      tries = 1;
      continue;
    }
    thrown += 1;
    tries = at > index ? 2 : tries + 1;
    const windowTokens = session.steps[at]?.windowTokens ?? 0;
    const floorTokens = floorTokensAt(session, at);
    if (floorTokens > windowTokens) return ended(null, true);
    const why = failure === null ? "a reply that the window ended was taken" : String(failure);
    if (failure === null || tries > TRIES) return ended({ step: at, why, floorTokens, windowTokens });
  }
  return ended(null);
}

/** Counts the true tokens that nothing can cut: system text, the newest question, and the open step with stubs for its results. */
function floorTokensAt({ steps, charsPerToken, countsReply, reserveTokens }: RefusedSession, at: number): number {
  const asked = steps.slice(0, at + 1).findLastIndex(({ said }) => said !== null);
  const before = at === asked ? null : steps[at - 1];
  const open =
    before === undefined || before === null
      ? 0
      : before.resultChars.length * (STUB_CHARS + 200) + Math.min(before.reply.length, STUB_CHARS) + 200;
  const chars = SYSTEM.length + (steps[asked]?.said?.length ?? 0) + 250 + open;
  const { documentTokens = 0 } = steps[asked] ?? {};
  const added = (documentTokens ?? 0) + (steps[at]?.addedTokens ?? 0);
  return Math.ceil(chars / charsPerToken) + added + SLACK_TOKENS + (countsReply ? reserveTokens : 0);
}
