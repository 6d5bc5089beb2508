import { startSimulator } from "@plimsoll/simulator";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { work } from "../../examples/shortest-agent.ts";
import { freshFolder } from "../../testing/fresh-folder.ts";

const folder = freshFolder(beforeEach);
beforeEach(() => {
  vi.stubEnv("ANTHROPIC_API_KEY", "test");
});
afterEach(() => void vi.unstubAllEnvs());

test("the shortest program works on a task", async () => {
  const simulator = await startSimulator({
    contextWindowTokens: 1_000_000,
    replies: [
      {
        parts: [{ type: "tool-call", toolName: "run_terminal_command", argumentsJson: '{"command":"echo hello > made.txt"}' }],
      },
      { parts: [{ type: "tool-call", toolName: "read_file", argumentsJson: '{"path":"made.txt"}' }] },
      { parts: [{ type: "text", text: "It says hello." }] },
    ],
  });
  expect(await work("make a file", folder(), simulator.url)).toBe("It says hello.");
  expect(simulator.exchanges().map(({ outcome }) => outcome)).toEqual(["answered", "answered", "answered"]);
  await simulator.close();
});
