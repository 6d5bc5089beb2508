import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionStore } from "@plimsoll/core";
import { createFileSessionStore, createMemorySessionStore } from "@plimsoll/stores";
import { closeContract } from "@plimsoll/stores/testing";
import { describe, test } from "vitest";
import { agentSetup, agentTool, echoCalls } from "../testing/agent-setup.ts";

const CLOSING = closeContract("an agent", async (sessions) => {
  const during = { call: async () => {} };
  const echo = agentTool("echo", async (_, { callId }) => {
    await during.call();
    return { text: `result of ${callId}`, isError: false };
  });
  const setup = agentSetup(() => ({ text: "the answer", ...echoCalls("c1", "c2") }), { sessions, tools: [echo] });
  const agent = await setup.start();
  return {
    hold: (fail) => {
      during.call = async () => {
        fail();
        agent.steer("steered while it works");
        agent.cancel();
      };
      return agent.submit("go").catch(() => undefined);
    },
    close: agent.close,
    held: [
      "the answer",
      '"callId":"c1","toolName":"echo","isError"',
      '"callId":"c2","toolName":"echo","isError"',
      "steered while it works",
    ],
  };
});

describe.each<[string, () => SessionStore]>([
  ["in memory", createMemorySessionStore],
  ["in files", inFiles],
])("%s", (_, store) => {
  test.each(CLOSING)("$rule", ({ run }) => run(async () => store()));
});

function inFiles(): SessionStore {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-close-"));
  return createFileSessionStore({ folder });
}
