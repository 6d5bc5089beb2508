import { type ModelLimits, type Policy, PRESETS, type SessionEntry } from "@plimsoll/core";

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

const LETTERS = [..."abcdefghijklmnoprstuvwz"];
const DOORS = ["agent", "session", "send", "recover"] as const;
const REFUSALS = ["numbered", "known", "random", "empty", "bytes", "cut-off"] as const;
const USAGES = ["true", "factor", "cumulative", "none", "turns-false"] as const;

/** One step: the person's words, if any, the model's next calls, and the length of their results. */
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
  /** Words of a refusal that comes once at this step, at any size; `null` for none. */
  readonly refusedOnce: string | null;
}

/** A generated session: the believed limits, the true ones, and the server's words. */
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

/** The session of a seed. */
export function refusedSession(seed: number, policies: readonly Policy[] = SURVIVING): RefusedSession {
  const next = numbersOf(seed);
  const pick = <T>(all: readonly [T, ...T[]] | readonly T[]): T => {
    const found = all[Math.floor(next() * all.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  };
  const between = (low: number, high: number) => low * (high / low) ** next();
  const word = () => Array.from({ length: 2 + Math.floor(next() * 7) }, () => pick(LETTERS)).join("");
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

/** The system text of generated sessions. */
export const SYSTEM: string = "You sail. ".repeat(40);

/** Sends one step through a door; resolves when it was answered and its results are in. */
export interface StepDoor {
  readonly step: (step: ScriptedStep, isAgain: boolean) => Promise<void>;
  readonly entries: () => Promise<readonly SessionEntry[]>;
}

/** Returns the limits that are believed of a session. */
export const limitsOf = ({
  believedTokens,
  reserveTokens,
}: RefusedSession): ModelLimits & { readonly maxOutputTokens: number } => ({
  contextWindowTokens: believedTokens,
  maxOutputTokens: reserveTokens,
});

/** The result of a call, of so many characters: no two begin alike, as those of tools do not. */
export const resultText = (chars: number): string =>
  `${String(chars).slice(-9)} ${"some words of a tool, ".repeat(Math.ceil(chars / 22))}`.slice(0, Math.ceil(chars));

/** The address of a document of so many tokens. */
export const documentUrl = (tokens: number): string => `https://example.com/doc-${tokens}.pdf`;

/** An answer of the server. */
export interface Answered {
  readonly text: string;
  /** Characters of the result of each call. */
  readonly results: readonly number[];
  readonly finish: string;
  readonly promptTokens: number | null;
  readonly outputTokens: number;
}
