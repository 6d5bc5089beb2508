import { expect, test } from "vitest";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { calling, human, never, result, sessionStart, usageEntry } from "../testing/builders.ts";
import type { WindowFilledEvent } from "./events.ts";
import { createSession } from "./open-session.ts";

const LIMITS = { contextWindowTokens: 40_000, maxOutputTokens: 8_000 } as const;

/** Returns the events of five steps beside a system text of so many characters, with so many more tokens reported for each request. */
async function toldOf(systemChars: number, { reportedMore = 0, enabled = true } = {}) {
  const told: WindowFilledEvent[] = [];
  const manager = createSession({
    policy: { ...PLIMSOLL_POLICY, enabled },
    summarizer: async () => Promise.reject(new Error("not asked")),
    entries: [sessionStart(`You help.\n# AGENTS.md\n${"some words ".repeat(systemChars / 11)}`)],
    onEvent: (event) => void (event.type === "window-filled" ? told.push(event) : undefined),
  });
  manager.append({ type: "message", message: human("u", "Mend the parser.") });
  for (let step = 0; step < 5; step += 1) {
    await manager.fit({ gate: "before-step", pending: [], model: LIMITS, nowMs: null }, never);
    const { expectedTokens } = manager.predict();
    const sent = manager.context().messages.at(-1)?.id ?? null;
    manager.append(usageEntry(`q${step}`, sent, expectedTokens + (step === 0 ? reportedMore : 0)));
    manager.append({ type: "message", message: calling(`a${step}`, [`c${step}`]) });
    manager.append({ type: "message", message: result(`r${step}`, `c${step}`, "done ".repeat(50)) });
  }
  return told;
}

test("what fills the window is told once, by name, before anything is sent", async () => {
  const told = await toldOf(100_000);
  expect(told).toHaveLength(1);
  expect(told[0]?.budgetTokens).toBe(32_000);
  expect(told[0]?.parts[0]).toMatchObject({ what: "instructions", name: "AGENTS.md" });
  const sum = told[0]?.parts.reduce((total, { tokens }) => total + tokens, 0) ?? 0;
  expect(Math.abs(sum - (told[0]?.overheadTokens ?? 0))).toBeLessThanOrEqual(2);
});

test("nothing is told of a system text that leaves room, nor if nothing is compacted", async () => {
  expect(await toldOf(20_000)).toEqual([]);
  expect(await toldOf(100_000, { enabled: false })).toEqual([]);
});

test("what only the provider counts is told when it reports it", async () => {
  const told = await toldOf(1_000, { reportedMore: 24_000 });
  expect(told.map(({ parts }) => parts[0]?.what)).toEqual(["not-in-log"]);
});
