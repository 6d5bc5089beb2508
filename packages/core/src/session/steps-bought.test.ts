import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { isHuman, type Message } from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import type { Policy } from "../policy/policy.ts";
import { PLIMSOLL_ECONOMY_POLICY, PLIMSOLL_MODEL_POLICY, PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { calling, human, never, result, sessionStart, usageEntry } from "../testing/builders.ts";
import { createSession } from "./open-session.ts";
import type { SessionInput } from "./session.ts";

const WINDOW_TOKENS = 128_000;
const LIMITS = { contextWindowTokens: WINDOW_TOKENS, maxOutputTokens: null } as const;
const STEPS = 60;
const wordsOf = (tokens: number) => "some words of a text ".repeat(Math.round((tokens * 4) / 21));

/** Lines of code with names and errors of their own, which digests quote and which are recalled. */
function linesOf(step: number, tokens: number): string {
  const chars = tokens * 4;
  const error = (line: number) =>
    `Error: cannot read src/part${step % 7}/module-${step}.ts:${line}: expected Date${step * line}`;
  const code = (line: number) => `export const value${step}_${line} = compute(${step}, ${(line * 31) % 97}); // line ${line}`;
  return Array.from({ length: Math.ceil(chars / 40) }, (_, line) => [code, code, code, error][line % 4]?.(line))
    .join("\n")
    .slice(0, chars);
}

/** Shares of a window that system text and the first message fill. */
interface Filled {
  readonly system?: number;
  readonly asked?: number;
  readonly window?: number;
}

/** Sixty steps of so many tokens each, beside system text and a first message that fill so much of the window. */
async function played(policy: Policy, filled: Filled, stepTokens: number) {
  const { window = WINDOW_TOKENS } = filled;
  const model = { contextWindowTokens: window, maxOutputTokens: null };
  const system = wordsOf(window * (filled.system ?? 0));
  const manager = createSession({
    policy,
    summarizer: async () => ({ text: "## Goal\n\nDates are mended.", usage: null, stopReason: "end" }),
    entries: [sessionStart(system)],
  });
  const append = (message: Message) => manager.append({ type: "message", message });
  append(human("u", `Mend the parser of dates. ${wordsOf(window * (filled.asked ?? 0))}`));
  const counts = { cuts: 0, refused: 0, withoutNewest: 0 };
  for (let step = 0; step < STEPS; step += 1) {
    const fitted = await manager.fit({ gate: "before-step", pending: [], model, nowMs: null }, never);
    const { messages } = manager.context();
    const tokens = messages.reduce((sum, message) => sum + messageChars(message) / 4, system.length / 4);
    counts.refused += tokens > window ? 1 : 0;
    manager.append(usageEntry(`q${step}`, messages.at(-1)?.id ?? null, Math.round(tokens)));
    if (fitted.kind === "compacted") {
      counts.cuts += 1;
      counts.withoutNewest += messages.some((each) => each.id === `r${step - 1}` && messageChars(each) > stepTokens) ? 0 : 1;
      expect(messages.some(isHuman)).toBe(true);
    }
    append(calling(`a${step}`, [`c${step}`]));
    append(result(`r${step}`, `c${step}`, linesOf(step, stepTokens)));
  }
  return counts;
}

/** A policy whose line is far below the budget. */
const EARLY: Policy = { ...PLIMSOLL_POLICY, trigger: { atLeast: { ratio: 0.5, of: "input-budget" } } };

test.each<[string, Policy, Parameters<typeof played>[1], number, number]>([
  ["90%", PLIMSOLL_POLICY, { system: 0.9 }, 400, 6],
  ["90%", PLIMSOLL_POLICY, { system: 0.9 }, 1200, 6],
  ["96%", PLIMSOLL_POLICY, { system: 0.96 }, 100, 6],
  ["96%", PLIMSOLL_POLICY, { system: 0.96 }, 400, 6],
  ["96%", PLIMSOLL_ECONOMY_POLICY, { system: 0.96 }, 400, 6],
  ["98%", PLIMSOLL_POLICY, { system: 0.98 }, 200, 6],
  ["98%, of 200,000,", PLIMSOLL_POLICY, { system: 0.98, window: 200_000 }, 400, 6],
  ["98%, of 200,000,", PLIMSOLL_POLICY, { system: 0.98, window: 200_000 }, 600, 9],
  ["95%, of 16,000,", PLIMSOLL_POLICY, { system: 0.95, window: 16_000 }, 60, 8],
  ["99%", PLIMSOLL_POLICY, { system: 0.99 }, 50, 6],
  ["99%", PLIMSOLL_POLICY, { system: 0.99 }, 100, 6],
  ["60%, above the line,", EARLY, { system: 0.6 }, 400, 6],
  ["60%, above the line,", EARLY, { system: 0.6 }, 3000, 6],
  // Room for four steps: every other one has to be made.
  ["90%", PLIMSOLL_POLICY, { system: 0.9 }, 3000, 15],
  ["96%", PLIMSOLL_POLICY, { system: 0.96 }, 1200, 15],
  // Room for three steps, and the newest of them stays with a notice: every other one has to be made, too.
  ["99%", PLIMSOLL_POLICY, { system: 0.99 }, 400, 30],
])(
  "where rules and tools fill %s of the window few cuts are made, and each keeps what came last",
  async (_, policy, filled, stepTokens, most) => {
    const { cuts, refused, withoutNewest } = await played(policy, filled, stepTokens);
    expect({ cuts: cuts <= most ? "few" : cuts, refused, withoutNewest }).toEqual({
      cuts: "few",
      refused: 0,
      withoutNewest: 0,
    });
  },
);

test("where a message of the person fills it few cuts are made, too", async () => {
  const { cuts, refused } = await played(PLIMSOLL_POLICY, { asked: 0.95 }, 400);
  expect({ cuts: cuts <= 6 ? "few" : cuts, refused }).toEqual({ cuts: "few", refused: 0 });
});

test("where little fills the window the line counts as it did", async () => {
  const without = { ...PLIMSOLL_POLICY, progress: { ...PLIMSOLL_POLICY.progress, minimumSteps: undefined } };
  const filled = { system: 0.1 };
  expect(await played(PLIMSOLL_POLICY, filled, 9000)).toEqual(await played(without, filled, 9000));
});

test("a documented preset keeps its own: sven makes five cuts where tools and rules fill 96%", async () => {
  expect((await played(SVEN_POLICY, { system: 0.96 }, 400)).cuts).toBe(5);
});

describe("a cut that does not pay", () => {
  const summarizer = async () => ({ text: "## Goal\n\nDates are mended.", usage: null, stopReason: "end" as const });
  const opened = (entries: readonly SessionEntry[]) => createSession({ policy: PLIMSOLL_MODEL_POLICY, summarizer, entries });

  /** Steps of 1,500 tokens, a second each, up to the gate that finds it. */
  async function unpaid() {
    const manager = opened([sessionStart("rules"), { type: "message", message: human("u", "Mend the parser of dates.") }]);
    let nowMs = 0;
    const fit = async (more: Partial<SessionInput> = {}, of = manager) =>
      (await of.fit({ gate: "before-step", pending: [], model: LIMITS, nowMs, ...more }, never)).kind;
    const step = () => {
      const { messages } = manager.context();
      const tokens = messages.reduce((sum, message) => sum + messageChars(message) / 4, 0);
      manager.append({ ...usageEntry(`q${nowMs}`, messages.at(-1)?.id ?? null, Math.round(tokens)), atMs: nowMs });
      for (const message of [calling(`a${nowMs}`, [`c${nowMs}`]), result(`r${nowMs}`, `c${nowMs}`, wordsOf(1500))])
        manager.append({ type: "message", message });
      nowMs += 1000;
    };
    while ((await fit()) !== "cancelled") step();
    return { manager, fit, step, afterMs: (pauseMs: number) => nowMs + pauseMs };
  }

  test.each([
    ["is not planned again before enough is new", 0, "unchanged"],
    ["is made after a pause, when the cache has expired", 3_600_000, "compacted"],
  ])("%s, and the log has none of it", async (_, pauseMs, kind) => {
    const { manager, fit, step, afterMs } = await unpaid();
    step();
    expect(await fit({ nowMs: afterMs(pauseMs) })).toBe(kind);
    expect(manager.entries().filter(({ type }) => type === "attempt")).toEqual([]);
  });

  test.each<[string, number, SessionInput["model"], string]>([
    ["is not planned again", 0, LIMITS, "unchanged"],
    ["is made when the cache has expired", 3_600_000, LIMITS, "compacted"],
    ["is made for a window that it fills", 0, { ...LIMITS, contextWindowTokens: 100_000 }, "compacted"],
  ])("while nothing is new %s, and a reopened session sends the same", async (_, pauseMs, model, kind) => {
    const { manager, fit, afterMs } = await unpaid();
    const reopened = opened([...manager.entries()]);
    const now = { nowMs: afterMs(pauseMs), model };
    expect(await fit(now)).toBe(kind);
    await fit(now, reopened);
    expect(reopened.context()).toEqual(manager.context());
  });
});
