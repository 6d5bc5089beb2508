import { COLUMNS } from "@plimsoll/bench/terminal";
import { type Context, PLIMSOLL_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { contextTable } from "./context-table.ts";

const text = (chars: number) => [{ type: "text", text: "word ".repeat(chars / 5) }] as const;
const CONTEXT: Context = {
  system: "You are an agent. ".repeat(20),
  tools: [{ name: "look", description: "looks", parametersJson: '{"type":"object"}' }],
  dynamicContext: null,
  messages: [
    { role: "user", id: "u", origin: "human", parts: text(400), atMs: null },
    {
      ...{ role: "assistant", id: "a", origin: "model", modelId: null, requestId: null, stopReason: null, atMs: null },
      parts: [{ type: "tool-call", callId: "c", toolName: "look", argumentsJson: "{}", paths: [] }],
    },
    {
      ...{ role: "tool-result", id: "r", callId: "c", toolName: "look", isError: false, category: "generic", atMs: null },
      parts: text(4000),
    },
  ],
};
const tokensIn = (line: string) => Number(/ (\d+) +\d+%$/.exec(line)?.[1]);

test("the shares add up to what the next request is expected to take, system and tools to the overhead", () => {
  const expected = { usedTokens: 900, overheadTokens: 300, estimator: "ledger" };
  const lines = contextTable(CONTEXT, { policy: PLIMSOLL_POLICY, expected }, COLUMNS).split("\n");
  const row = (what: string) => tokensIn(lines.find((line) => line.startsWith(what)) ?? "");
  expect(row("all")).toBe(900);
  expect(Math.abs(row("system") + row("tools") - 300)).toBeLessThanOrEqual(1);
  expect(Math.abs(row("results of look") + row("calls of look") + row("your messages") - 600)).toBeLessThanOrEqual(2);
  const none = contextTable(CONTEXT, { policy: PLIMSOLL_POLICY, expected: { ...expected, overheadTokens: 0 } }, COLUMNS);
  expect(tokensIn(/^tools.*/m.exec(none)?.[0] ?? "")).toBeGreaterThan(0);
  const logged = contextTable({ ...CONTEXT, system: "", tools: [] }, { policy: PLIMSOLL_POLICY, expected }, COLUMNS);
  expect(logged).toMatch(/^not logged: system prompt and tools +300 +33%\n(?:.*\n)+all +3 +900 +100%$/m);
  expect(lines.at(-1)).toBe("Estimates, scaled to the expected size of the next request.");
});

test("an empty context is said to be empty", () => {
  expect(
    contextTable({ system: "", tools: [], messages: [], dynamicContext: null }, { policy: PLIMSOLL_POLICY }, COLUMNS),
  ).toBe("The context is empty.");
});
