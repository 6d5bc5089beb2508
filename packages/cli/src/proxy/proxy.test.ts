import type { SimulatedReply } from "@plimsoll/simulator";
import { describe, expect, test } from "vitest";
import { AGENT_WIRES, startAgent } from "../../testing/proxy-agent.ts";
import { callOn, compactionsIn, prefixBreaks, startSetting } from "../../testing/proxy-setting.ts";

const cells = AGENT_WIRES.flatMap((wire) => [[wire, "streamed"] as const, [wire, "whole"] as const]);

describe("a session many times the window", () => {
  test.each(cells)("%s, %s: nothing is refused, and each cut breaks the prefix once", async (wire, form) => {
    const { url, simulator, stdout } = await startSetting();
    const agent = startAgent({ wire, url, form, headers: { "x-session-id": "one" } });
    const answers = await agent.say("Look at every part, and never touch the harbour.", 25);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const exchanges = simulator.exchanges();
    const compactions = compactionsIn(stdout());
    expect(compactions).toBeGreaterThan(1);
    expect(prefixBreaks(exchanges)).toBe(compactions);
    expect(Math.max(...exchanges.map(({ promptTokens }) => promptTokens ?? 0))).toBeLessThan(11_000);
    expect(stdout()).not.toContain("problem");
  });
});

describe("an answer that the window ended is asked for again with less:", () => {
  const ends: readonly (readonly [string, SimulatedReply])[] = [
    ["after a word", { parts: [{ type: "text", text: "Wo" }], stop: "length" }],
    ["after nothing", { parts: [], stop: "length" }],
    ["after nothing, as if it were whole", { parts: [] }],
    ["where the vendor says so", { parts: [{ type: "text", text: "Wo" }], stop: "window-full" }],
  ];
  test.each(cells.flatMap((cell) => ends.map((end) => [...cell, ...end] as const)))(
    "%s, %s, %s",
    async (wire, form, _, end) => {
      let cuts = 0;
      const { url, simulator, stdout } = await startSetting({
        contextWindowTokens: 100_000,
        proxy: { window: "60k" },
        replies: (request) => {
          const isCut = request.promptTokens > 12_000;
          cuts += isCut ? 1 : 0;
          return isCut ? end : callOn(request);
        },
      });
      const answers = await startAgent({ wire, url, form }).say("Look at every part.", 25);
      // It goes on as long as the answers call tools.
      expect(answers).toHaveLength(25);
      expect(cuts).toBeGreaterThan(0);
      expect(simulator.exchanges()).toHaveLength(25 + cuts);
      expect(compactionsIn(stdout())).toBeGreaterThanOrEqual(cuts);
    },
  );

  test.each(cells)("%s, %s: not a short one", async (wire, form) => {
    const { url, simulator } = await startSetting({ replies: [{ parts: [{ type: "text", text: "Yes" }] }] });
    expect(await startAgent({ wire, url, form }).say("Is it so?", 1)).toHaveLength(1);
    expect(simulator.exchanges()).toHaveLength(1);
  });
});

test.each(AGENT_WIRES)("%s: what fills the window is named once, by server and file", async (wire) => {
  const { url, stdout } = await startSetting({ contextWindowTokens: 20_000, proxy: { window: "20k" } });
  const texts = ["Contents of AGENTS.md:", "Never touch the harbour. ".repeat(2_200)].join("\n");
  const agent = startAgent({ wire, url, form: "whole", system: texts });
  await agent.say("Look at every part.", 3);
  const lines = stdout()
    .split("\n")
    .filter((line) => line.includes("no compaction takes"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/AGENTS\.md [\d.]+k/);
});
