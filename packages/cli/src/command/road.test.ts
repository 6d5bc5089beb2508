import { copyFileSync } from "node:fs";
import { startAgent } from "@plimsoll/agent";
import { reply } from "@plimsoll/core/testing";
import { fixtureSessions } from "@plimsoll/fixtures";
import { createAnthropicClient } from "@plimsoll/providers/anthropic";
import { repliesOfTranscript, startSimulator } from "@plimsoll/simulator";
import { createFileArtifactStore, createFileSessionStore, loadPolicy } from "@plimsoll/stores";
import { beforeAll, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

const folder = freshFolder(beforeAll);
beforeAll(() => {
  copyFileSync(fixtureSessions()[0]?.path ?? "", folder("session.jsonl"));
});

const run = async (...args: readonly string[]) => {
  const { io, stdout, stderr } = recordedIo(folder());
  expect(await main(args, io), stderr()).toBe(0);
  return stdout();
};

/** Says something long at each turn, so that a small window is full after a few. */
const LONG = "word ".repeat(3_000);

test("the way from a benchmark over a tuned file to an agent that works by it", { timeout: 120_000 }, async () => {
  expect(await run("bench", "session.jsonl", "-p", "none", "-p", "sven", "-w", "32k", "--jobs", "1")).toContain("sven");
  const tuned = ["session.jsonl", "-p", "sven", "-w", "32k", "--jobs", "1", "--write", "plimsoll.yaml"];
  expect(await run("tune", ...tuned)).toContain("Wrote plimsoll.yaml: the best setting tried");

  const { policy, explain } = loadPolicy(folder("plimsoll.yaml"));
  expect(explain("trigger.atLeast.ratio")).toMatch(/^plimsoll\.yaml:\d+$/);
  // The bench replays the very setting that the file holds; its name is wrapped in a table of 80 columns.
  expect(policy.name).toBe("sven (plimsoll.yaml)");
  const replayed = await run("bench", "session.jsonl", "-p", "plimsoll.yaml", "-w", "32k", "--jobs", "1");
  expect(replayed).toMatch(/^sven .*\n\(plimsoll\.yaml\)/m);

  const simulator = await startSimulator({
    replies: repliesOfTranscript(Array.from({ length: 8 }, (_, index) => reply(`a${index}`, LONG))),
    contextWindowTokens: 20_000,
  });
  const compactions: string[] = [];
  const agent = await startAgent({
    session: { kind: "new", sessionId: "road", system: "You are an agent." },
    sessions: createFileSessionStore({ folder: folder("sessions") }),
    artifacts: createFileArtifactStore(folder("artifacts")),
    model: {
      client: createAnthropicClient({ baseUrl: simulator.url, keyVariable: null }),
      modelId: "claude-sonnet-5-5",
      limits: { contextWindowTokens: 20_000, maxOutputTokens: 4_000 },
    },
    policy,
    tools: [],
    nowMs: () => 0,
    onEvent: (event) => {
      if (event.type === "compaction-end") compactions.push(event.entry.record.policy);
    },
  });
  for (let turn = 0; turn < 6; turn++) expect((await agent.submit(`Question ${turn}`)).error).toBeNull();
  await agent.close();
  await simulator.close();
  expect(compactions.length).toBeGreaterThan(0);
  expect(new Set(compactions)).toEqual(new Set([policy.name]));
});
