import { describe, expect, test } from "vitest";
import { type HostOptions, ModHost, makeSteps, type Step } from "../../testing/mod-host.ts";
import { type ClaudeCodeOn, createClaudeCodeMod } from "./claude-code.ts";

const hosted = (options: Partial<HostOptions> = {}, register: (on: ClaudeCodeOn) => void = createClaudeCodeMod()) =>
  new ModHost({ mod: { register }, contextWindow: 24_000, ...options });

const steps = (count: number, seed = 11) => makeSteps(count, seed);
const after = (all: readonly Step[], every: number, step: Step) =>
  all.flatMap((each, index) => (index % every === every - 1 ? [each, step] : [each]));
const look = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    kind: "tools" as const,
    text: `I count ${index}.`,
    calls: [{ tool: "Bash", input: { command: `count ${index}` }, result: `boat ${index} of the harbour\n`.repeat(60) }],
  }));

describe("a mod over 200 steps, in a host that follows what is published", () => {
  test.each([
    ["auto and manual", {}, steps(200)],
    ["with compactions ahead of their time", { precomputeAt: 0.7 }, steps(200)],
    ["with another plugin's", {}, after(steps(200, 2), 40, { kind: "plugin-compact", instructions: "the paths" })],
  ])("%s: every compaction is ours, smaller, and nothing is refused", async (_, options, played) => {
    const { compactions, refused, problems } = await hosted(options).play(played);
    expect({ refused, problems }).toEqual({ refused: [], problems: [] });
    expect(compactions.length).toBeGreaterThan(6);
    expect(compactions.filter(({ by }) => by !== "mod" && by !== "skip")).toEqual([]);
    expect(compactions.flatMap((each) => each.problems)).toEqual([]);
    const made = compactions.filter(({ by }) => by === "mod");
    expect(made.filter(({ tokensBefore, tokensAfter, handled }) => tokensAfter >= tokensBefore || handled === 0)).toEqual([]);
  });

  test("sub-agents stand apart", async () => {
    const host = hosted();
    const agent = { kind: "agent", prompt: "Count the boats.", steps: look(60) } as const;
    const { compactions, refused } = await host.play([{ kind: "user", text: "Never touch the pier." }, agent, ...steps(40)]);
    expect(refused).toEqual([]);
    const ofAgent = compactions.filter(({ agentId }) => agentId !== null);
    expect(ofAgent.length).toBeGreaterThan(0);
    expect(new Set(ofAgent.map(({ by }) => by))).toEqual(new Set(["mod"]));
    expect(JSON.stringify(host.transcript(ofAgent[0]?.agentId))).not.toContain("Never touch the pier");
  });

  const RESUMES = ["none", "dropped-return", "duplicates"].flatMap((fault) =>
    ["kept", "anew"].flatMap((handles) => [true, false].map((inProcess) => ({ fault, handles, inProcess }))),
  );
  test.each(RESUMES)("resumed: $fault, handles $handles, in the process $inProcess", async (resume) => {
    const { compactions, refused, problems } = await hosted().play(after(steps(100), 45, { kind: "resume", ...resume }));
    expect(refused).toEqual([]);
    expect(problems).toEqual([]);
    expect(compactions.filter(({ by }) => by !== "mod" && by !== "skip")).toEqual([]);
  });
});

describe("a failure of ours is the agent's own compaction", () => {
  const never = () => new Promise(() => undefined);
  test.each<[string, HostOptions["ops"] | undefined, ((on: ClaudeCodeOn) => void) | undefined]>([
    ["what we ask for fails", { "session.id": () => expect.fail("no id") }, undefined],
    ["a hook hangs", undefined, (on) => on("session.compact", never)],
    ["a hook throws", undefined, (on) => on("session.compact", () => Promise.reject(new Error("no")))],
  ])("%s", async (_, ops, mod) => {
    const host = hosted(ops === undefined ? {} : { ops }, mod);
    const { compactions, problems } = await host.play(steps(60));
    expect(problems).toEqual([]);
    expect(compactions.length).toBeGreaterThan(1);
    expect(compactions.filter(({ by }) => by !== "own" && by !== "mod-over-own")).toEqual([]);
  });

  test.each<[string, Partial<HostOptions>]>([
    ["full", { store: new Map([["taken of another day", JSON.stringify("x".repeat(4_194_304 - 20_000))]]) }],
    ["full of what is another's", { store: new Map([["other", JSON.stringify("x".repeat(4_194_304 - 20_000))]]) }],
    ["not there", { ops: { "store.set": () => expect.fail("no store"), "store.get": () => expect.fail("no store") } }],
  ])("a store that is %s stops no compaction", async (_, options) => {
    const host = hosted(options);
    const { compactions, refused } = await host.play(steps(60));
    expect(refused).toEqual([]);
    expect(compactions.filter(({ by }) => by !== "mod" && by !== "skip")).toEqual([]);
    expect(await host.runCommand("plimsoll", "undo")).toBe("The newest compaction is undone.");
  });
});

describe("what a mod took", () => {
  const cut = async () => {
    const host = hosted({ contextWindow: 200_000 });
    await host.play([{ kind: "user", text: "Look at every part, and never touch the pier." }, ...look(60)]);
    return host;
  };
  test("is told", async () => {
    const host = await cut();
    await host.compact("manual");
    expect(await host.runCommand("plimsoll", "what did you drop?")).toContain("- results of Bash: ");
    expect(host.ui[0]?.text).toMatch(/^plimsoll compacted \d+ messages: about \d+ to \d+ tokens; no model was asked/);
  });

  test("comes back by undo, once for each compaction, also after a resume", async () => {
    const host = await cut();
    const before = host.transcript();
    await host.compact("manual");
    await host.play([
      { kind: "resume", handles: "anew", inProcess: false, fault: "none" },
      { kind: "user", text: "Go on." },
      ...look(30),
    ]);
    await host.compact("manual");
    await host.play([{ kind: "user", text: "plimsoll: undo" }]);
    await host.play([{ kind: "user", text: "plimsoll: undo" }]);
    expect(host.transcript().slice(0, before.length)).toEqual(before);
    expect(JSON.stringify(host.transcript())).toContain("Go on.");
    expect((await host.play([])).refused).toEqual([]);
    expect(await host.runCommand("plimsoll", "undo")).toBe("There is no compaction to undo.");
  });

  test("what is to be kept stands in every later transcript", async () => {
    const host = await cut();
    await host.play([{ kind: "user", text: "plimsoll: keep this: the harbour is at 54°N" }]);
    await host.compact("manual");
    await host.play([{ kind: "user", text: "Go on." }, ...look(60)]);
    await host.compact("manual");
    expect(JSON.stringify(host.transcript())).toContain("the harbour is at 54°N");
  });

  test("is nothing for a precompute", async () => {
    const host = await cut();
    const before = host.transcript();
    await host.compact("precompute");
    expect(host.transcript()).toEqual(before);
    expect(host.ui).toEqual([]);
  });
});
