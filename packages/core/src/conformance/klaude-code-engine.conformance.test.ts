import { describe, expect, test } from "vitest";
import { type EngineSession, engineSession } from "../../testing/engine-session.ts";
import { lettered, shapeOf } from "../../testing/lettered.ts";
import { summaryFiles } from "../../testing/shown-compaction.ts";
import { fires } from "../budget.ts";
import type { FitOutcome } from "../engine/fit-input.ts";
import { type Message, type StopReason, textOf } from "../message/message.ts";
import { KLAUDE_CODE_POLICY, klaudeCodeTrigger } from "../policy/presets/klaude-code.ts";
import { decodeLog, encodeLog } from "../session/codec.ts";
import { EMPTY_VIEW, foldEntry } from "../session/view.ts";
import { assistant, human, reply, result, usageEntry } from "../testing/builders.ts";
import { measuredUsage, usageOf } from "../usage.ts";

const session = (messages: readonly Message[], more: Partial<Parameters<typeof engineSession>[0]> = {}) =>
  engineSession({ policy: KLAUDE_CODE_POLICY, windowTokens: 200_000, messages, ...more });
const shape = ({ manager }: EngineSession) => shapeOf(manager.view().messages);
const reloaded = ({ manager }: EngineSession) =>
  decodeLog(encodeLog(manager.entries()), "log").entries.reduce(foldEntry, EMPTY_VIEW);
const report = (id: string, tokens: { input: number; output: number }, stopReason: StopReason = "end") => ({
  ...usageEntry(id, null, 0),
  usage: measuredUsage(usageOf({ totalInputTokens: tokens.input, outputTokens: tokens.output }), stopReason),
});

function stepsOf(outcome: FitOutcome): readonly string[] {
  const steps = outcome.kind === "compacted" ? outcome.entry.record.steps : [];
  return steps.map(({ strategy, outcome: came, detail }) => `${strategy} ${came}${detail === null ? "" : `: ${detail}`}`);
}

describe("size from usage", () => {
  test("K-t4: the last report, and what came after it", () => {
    const { manager, log, append } = session([human("u", "go")]);
    log(usageEntry("request-a", "u", 1000));
    append(result("r", "c", "x".repeat(10_000)));
    const { expectedTokens } = manager.predict();
    expect(expectedTokens).toBe(3500);
    expect(fires(klaudeCodeTrigger({ tokens: 200 }), expectedTokens, { windowTokens: 2000, inputBudgetTokens: 2000 })).toBe(
      true,
    );
  });

  test("K-e1: what is no message has no size", () => {
    const { manager, log } = session([human("u", "x".repeat(40)), human("v", "x".repeat(8))]);
    log({ type: "model-change", id: "m", modelId: "other", limits: null, atMs: null });
    expect(manager.predict().expectedTokens).toBe(12);
  });

  test("K-e2: a call that was aborted, failed or reported nothing leaves the last good report", () => {
    const { manager, log } = session([human("u", "go")]);
    log(
      report("a", { input: 100, output: 0 }),
      report("b", { input: 300, output: 0 }, "aborted"),
      report("c", { input: 300, output: 0 }, "error"),
    );
    log({ ...usageEntry("d", null, 0), usage: usageOf({}) });
    expect(manager.predict().expectedTokens).toBe(100);
  });

  test.each([
    ["K-e3: no usage: everything is estimated", [], 0],
    ["K-e3: a usage", [report("a", { input: 90_000, output: 10 })], 90_010],
    ["K-e4: context size", [report("a", { input: 1234, output: 0 })], 1234],
    ["K-e4: input and output", [report("a", { input: 4000, output: 321 })], 4321],
  ])("%s", (_, entries, reportedTokens) => {
    const { manager, log } = session(lettered("UAUA", 10));
    log(...entries);
    expect(manager.predict().reportedTokens).toBe(reportedTokens);
  });

  test("K-e3: a usage from before a compaction is stale, one from after it is not", async () => {
    const run = session(lettered("UAUAUAUAUA", 8000));
    run.log(report("a", { input: 160_000, output: 0 }));
    await run.fit();
    expect(run.manager.predict().reportedTokens).toBe(0);
    run.log(report("b", { input: 30_000, output: 0 }));
    expect(run.manager.predict().reportedTokens).toBe(30_000);
  });
});

describe("limits", () => {
  test("K-t6: without any limit nothing is compacted, and that is said once", async () => {
    const run = session(lettered("UAUA", 100_000), { windowTokens: null });
    await run.fit();
    expect(await run.fit()).toEqual({ kind: "unchanged", off: "unknown-window" });
    expect(run.events).toEqual([{ type: "compaction-off", why: "unknown-window" }]);
  });

  test("K-t6: an output as large as the window is an error that names both", async () => {
    const run = session(lettered("UA", 10), { windowTokens: 8000, maxOutputTokens: 8000 });
    await expect(run.fit()).rejects.toThrow(/8000.*8000/);
  });

  test("K-t7: a limit that only the provider has named counts", async () => {
    const run = session(lettered("UAUAUAUAUA", 6000), { windowTokens: null });
    expect(await run.fit({ observedLimitTokens: 70_000 })).toMatchObject({
      kind: "compacted",
      entry: { record: { budgetTokens: 70_000 } },
    });
  });
});

describe("compaction", () => {
  const touching = (id: string, path: string, access: "read" | "modify") =>
    assistant(id, [
      { type: "tool-call", callId: `call-${id}`, toolName: "file", argumentsJson: "{}", paths: [{ path, access }] },
    ]);

  test("K-k7: by hand in a small window, from the middle of a turn", async () => {
    const messages = [
      human("0", "read the notes"),
      touching("1", "docs/a.md", "read"),
      result("2", "call-1", "y".repeat(5000)),
      touching("3", "src/foo.py", "modify"),
      result("4", "call-3", "done"),
      human("5", "now explain"),
      reply("6", "z".repeat(9000)),
    ];
    const run = session(messages, { windowTokens: 3000 });
    await run.fit({ now: { reason: "manual", keep: null } });
    expect(shape(run)).toBe("s 5 6");
    const [summary] = run.manager.view().messages.slice();
    const text = summary === undefined ? "" : textOf(summary);
    expect(summary?.role).toBe("user");
    expect(text).toContain("<read-files>\ndocs/a.md\n</read-files>");
    expect(text).toContain("<modified-files>\nsrc/foo.py\n</modified-files>");
    const asked = run.requests.flatMap(({ context }) => context.messages.map(textOf));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("3000 more characters left out");
    expect(asked[0]).not.toContain("<previous-summary>");
  });

  test("K-k7: the turn's older part is a request of its own if more than its human message goes", async () => {
    const run = session(lettered("UAUACRA", [1000, 1000, 10, 1000, 1000, 1000, 30_000]));
    await run.fit({ now: { reason: "manual", keep: null } });
    expect([shape(run), run.requests.length]).toEqual(["s 2 6", 2]);
  });

  test("K-p1: read and then modified is modified only", () => {
    const run = session([
      touching("1", "a", "read"),
      result("2", "call-1", ""),
      touching("3", "a", "modify"),
      result("4", "call-3", ""),
    ]);
    expect(summaryFiles(run.manager.entries(), null)).toMatchObject({ readFiles: [], modifiedFiles: ["a"] });
  });

  test("K-h1, K-h2: a reload gives the same view; going back before the compaction removes it", async () => {
    const run = session(lettered("UAUA", [30_000, 30_000, 10_000, 10_000]));
    await run.fit({ now: { reason: "manual", keep: { tokens: 20_000 } } });
    run.append(human("4", "and after"));
    expect(shape(run)).toBe("s 2 3 4");
    expect(shapeOf(reloaded(run).messages)).toBe("s 2 3 4");
    await run.manager.undo();
    expect(shapeOf(reloaded(run).messages)).toBe("0 1 2 3 4");
  });

  test("K-h4: after a second compaction and a reload only the live tail is there", async () => {
    const first = session(lettered("UAUA", [30_000, 30_000, 10_000, 10_000]));
    await first.fit({ now: { reason: "manual", keep: { tokens: 20_000 } } });
    const second = session([]);
    second.log(...decodeLog(encodeLog(first.manager.entries()), "log").entries);
    second.append(...lettered("UA", 12_000).map((message) => ({ ...message, id: `later-${message.id}` })));
    await second.fit({ now: { reason: "manual", keep: { tokens: 20_000 } } });
    expect(shapeOf(reloaded(second).messages)).toBe("s later-0 later-1");
  });

  test("K-s2, K-f1: one failing request, two steps that run, one event", async () => {
    const run = session(lettered("UAUAUAUAUA", 15_000), { replies: [new Error("stream error")] });
    const steps = stepsOf(await run.fit());
    expect(steps.slice(0, 2)).toEqual(["summarize failed: stream error", "digest applied"]);
    expect(await run.fit()).toEqual({ kind: "unchanged", off: null });
    expect([run.requests.length, run.events.map(({ type }) => type)]).toEqual([1, ["compaction-start", "compaction-end"]]);
  });

  test("K-f2: nothing to compact is no error", async () => {
    const run = session(lettered("U", 160_000));
    await run.fit();
    await run.fit();
    const outcomes = run.events.flatMap((event) =>
      event.type === "compaction-failed" ? event.steps.map(({ outcome }) => outcome) : [],
    );
    expect(new Set(outcomes)).toEqual(new Set(["not-applicable"]));
    expect(shape(run)).toBe("0");
  });

  test("K-f3: an overflow that nothing can mend is said once", async () => {
    const run = session(lettered("U", 250_000), { replies: [new Error("stream error")] });
    expect(await run.fit({ gate: "on-overflow", recovery: 0 })).toMatchObject({ kind: "irreducible" });
    expect(run.events.filter(({ type }) => type === "context-irreducible")).toHaveLength(1);
  });

  test("K-f4: the live state comes back with the summary", async () => {
    const run = session(lettered("UAUAUAUAUA", 15_000), {
      stateProviders: [() => ({ title: "skills", text: "review, deploy" })],
    });
    await run.fit();
    expect(run.manager.view().messages.slice(0, 1).map(textOf).join()).toContain("review, deploy");
  });

  test("K-o1: a hand-off leaves the summary and the last human message", async () => {
    const run = session(lettered("UAUA", 1000));
    await run.fit({ now: { reason: "hand-off", keep: { messages: 0 } } });
    expect(shape(run)).toBe("s 2");
    expect(run.manager.view().messages.slice(0, 1).map(textOf).join()).toContain("## Goal");
  });

  test("K-o1: an empty history cannot be handed off", async () => {
    expect((await session([]).fit({ now: { reason: "hand-off", keep: { messages: 0 } } })).kind).toBe("failed");
  });

  test("sub-agents leave it to the parent", () => {
    expect(KLAUDE_CODE_POLICY.subAgents).toBe("off");
  });
});
