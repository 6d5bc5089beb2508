import { describe, expect, test } from "vitest";
import { createClaudeCodeHost } from "../../testing/claude-code-host.ts";
import { createClaudeCodeMod } from "./claude-code.ts";

const RESULT = Array.from({ length: 120 }, (_, line) => `src/file-${line}.ts: line ${line * 7} is as it was`).join("\n");

/** Two hundred steps with sub-agents, and a resume in the middle. */
async function played(how: "once" | "twice", failing?: (count: number) => boolean) {
  const host = createClaudeCodeHost(createClaudeCodeMod(), failing === undefined ? {} : { failing });
  await host.start();
  await host.say("Look at every part, and never touch the harbour.");
  await host.say("You are a helper: count the boats.");
  for (let step = 0; step < 200; step++) {
    await host.step(`I look at part ${step}.`, `${step}\n${RESULT}`);
    if (step % 20 === 0) await host.say("Count the boats.", "agent-1");
    await host.step(`I count ${step}.`, `boat ${step}\n${RESULT}`, "agent-1");
    if (step === 100) await host.resume(how, createClaudeCodeMod());
    if (step === 150) await host.compact("manual", undefined, "the harbour");
  }
  return host;
}

describe("a mod over 200 steps", () => {
  test.each(["once", "twice"] as const)("resumed %s: every compaction is ours, and nothing is refused", async (how) => {
    const host = await played(how);
    expect(host.problems).toEqual([]);
    expect(host.compactions.length).toBeGreaterThan(6);
    expect(new Set(host.compactions.map(({ by }) => by))).toEqual(new Set(["mod"]));
    expect(host.compactions.every(({ kept }) => kept > 0)).toBe(true);
    expect(JSON.stringify(host.transcript())).toContain("never touch the harbour");
    expect(host.thinkingCount()).toBeGreaterThan(0);
  });

  test("sub-agents stand apart", async () => {
    const host = await played("once");
    expect(JSON.stringify(host.transcript())).not.toMatch(/boat \d/);
    expect(JSON.stringify(host.transcript("agent-1"))).not.toContain("never touch the harbour");
    expect(new Set(host.compactions.map(({ agentId }) => agentId))).toEqual(new Set([null, "agent-1"]));
  });

  test("a dispatch that we cannot read is Claude Code's own, and says so", async () => {
    const host = await played("once", (count) => count % 2 === 0);
    expect(host.problems).toEqual([]);
    expect(new Set(host.compactions.map(({ by }) => by))).toEqual(new Set(["mod", "core"]));
  });
});

describe("what a mod took", () => {
  const cut = async () => {
    const host = createClaudeCodeHost(createClaudeCodeMod());
    await host.start();
    await host.say("Look at every part, and never touch the harbour.");
    for (let step = 0; step < 60; step++) await host.step(`I look at part ${step}.`, `${step}\n${RESULT}`);
    return host;
  };

  test("is told, and a handle of the summary brings it back", async () => {
    const host = await cut();
    await host.compact("manual");
    expect(host.log.at(-1)).toMatch(/^plimsoll compacted \d+ messages: about \d+ to \d+ tokens; no model was asked/);
    expect(await host.command("what did you drop?")).toContain("- results of Bash: ");
    const handle = /handle ([0-9a-f]{8,})/.exec(JSON.stringify(host.transcript()))?.[1] ?? expect.fail("no handle");
    expect(await host.recall(handle)).toContain("look ");
    expect(await host.recall("other")).toBe("This conversation has no such handle.");
  });

  test("comes back by undo, also after a resume", async () => {
    const host = await cut();
    const before = host.transcript();
    await host.compact("manual");
    await host.resume("once", createClaudeCodeMod());
    await host.step("I go on.", "the newest result");
    expect(await host.say("plimsoll: undo")).toBe("The newest compaction is undone.");
    const after = host.transcript();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(JSON.stringify(after.at(-1))).toContain("the newest result");
    expect(host.problems).toEqual([]);
  });

  test("what is to be kept stands in every later transcript", async () => {
    const host = await cut();
    expect(await host.say("plimsoll: keep this: the harbour is at 54°N")).toContain("Kept word for word");
    await host.compact("manual");
    await host.compact("manual");
    expect(JSON.stringify(host.transcript())).toContain("the harbour is at 54°N");
  });

  test("is nothing for a precompute", async () => {
    const host = await cut();
    const before = host.transcript();
    await host.compact("precompute");
    expect(host.transcript()).toEqual(before);
    expect(host.log).toEqual([]);
  });
});
