import type { Policy, SessionEntry } from "@plimsoll/core";
import { PRESETS } from "@plimsoll/core";
import { openDoor, SYSTEM } from "./refused-doors.ts";

/** Numbers from 0 up to 1, the same for the same seed. */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const DOORS = ["agent", "session", "send", "recover"] as const;
const REFUSALS = ["numbered", "known", "random", "empty", "bytes", "cut-off"] as const;
const USAGES = ["true", "factor", "cumulative", "none", "turns-false"] as const;

/** One step: what the person says, if it does, the calls that the model makes then, and how long their results are. */
export interface ScriptedStep {
  readonly said: string | null;
  readonly reply: string;
  readonly resultChars: readonly number[];
  /** True tokens of a document that the person attaches; `null` for none. */
  readonly documentTokens: number | null;
  /** The true window from this step on. */
  readonly windowTokens: number;
  /** Tokens that the server adds to this request by itself: pages of a search. */
  readonly addedTokens: number;
  /** Words of a refusal that comes once at this step, whatever its size; `null` for none. */
  readonly refusedOnce: string | null;
}

/** A generated session: what is believed, what is true, and what the server says. */
export interface RefusedSession {
  readonly seed: number;
  readonly policy: Policy;
  readonly door: (typeof DOORS)[number];
  readonly believedTokens: number;
  readonly reserveTokens: number;
  /** Whether the server counts the reply that is asked for. */
  readonly countsReply: boolean;
  readonly charsPerToken: number;
  readonly usage: (typeof USAGES)[number];
  readonly usageFactor: number;
  readonly refusal: (typeof REFUSALS)[number];
  readonly refusalStatus: number;
  readonly refusalWords: string;
  readonly steps: readonly ScriptedStep[];
}

const SURVIVING: readonly Policy[] = PRESETS.filter(({ enabled, fallback }) => enabled && fallback !== null);
const STUB_CHARS = 150;
const SLACK_TOKENS = 250;

/** The session of a seed. */
export function refusedSession(seed: number, policies: readonly Policy[] = SURVIVING): RefusedSession {
  const next = numbersOf(seed);
  const pick = <T>(all: readonly [T, ...T[]] | readonly T[]): T => {
    const found = all[Math.floor(next() * all.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  };
  const between = (low: number, high: number) => low * (high / low) ** next();
  const word = () => Array.from({ length: 2 + Math.floor(next() * 7) }, () => pick([..."abcdefghijklmnoprstuvwz"])).join("");
  const words = (chars: number) => {
    let text = "";
    while (text.length < chars) text += `${word()} `;
    return text.slice(0, Math.max(1, Math.floor(chars))).trim() || "so";
  };
  const believedTokens = Math.floor(between(3_000, 32_000));
  const charsPerToken = between(2, 6);
  let windowTokens = Math.floor(believedTokens * between(0.25, 1.2));
  let said = true;
  const hasDocuments = next() < 0.3;
  const steps = Array.from({ length: 24 + Math.floor(next() * 16) }, (): ScriptedStep => {
    if (next() < 0.07) windowTokens = Math.floor(believedTokens * between(0.12, 1.5));
    const asks = said;
    const calls = next() < 0.6 ? 1 + Math.floor(next() * 2) : 0;
    said = calls === 0;
    const chars = windowTokens * charsPerToken;
    return {
      said: asks ? words(between(20, 0.06 * chars)) : null,
      reply: words(between(5, 0.06 * chars)),
      resultChars: Array.from({ length: calls }, () => between(30, (next() < 0.15 ? 0.5 : 0.15) * chars)),
      documentTokens: asks && hasDocuments && next() < 0.2 ? Math.floor(between(100, windowTokens * 0.5)) : null,
      windowTokens,
      addedTokens: next() < 0.04 ? Math.floor(between(50, windowTokens * 0.4)) : 0,
      refusedOnce: next() < 0.03 ? words(60) : null,
    };
  });
  return {
    seed,
    policy: pick(policies),
    door: pick(DOORS),
    believedTokens,
    reserveTokens: Math.floor(between(64, believedTokens * 0.15)),
    countsReply: next() < 0.5,
    charsPerToken,
    usage: pick(USAGES),
    usageFactor: between(0.05, 20),
    refusal: pick(REFUSALS),
    refusalStatus: pick([400, 422, 500, 502]),
    refusalWords: words(between(8, 120)),
    steps,
  };
}

/** What came of a session. */
export interface PlayedRefusals {
  /** Where it died; `null` if it went on to its end, or only what cannot be cut was too large. */
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

export interface Answered {
  readonly text: string;
  /** Characters of the result of each call. */
  readonly results: readonly number[];
  readonly finish: string;
  readonly promptTokens: number | null;
  readonly outputTokens: number;
}

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

/** Plays a generated session through its door. */
export async function playRefused(session: RefusedSession): Promise<PlayedRefusals> {
  const server = serverOf(session);
  const door = await openDoor(session, server.answer);
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

/** What nothing can cut, in true tokens: system text, the newest question, and the open step with stubs for its results. */
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
