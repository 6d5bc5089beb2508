import { describe, expect, test } from "vitest";
import { engineSession, scriptedClient, sectionedReply } from "../../testing/engine-session.ts";
import { lettered, shapeOf } from "../../testing/lettered.ts";
import { compactionFigures, firstKeptId } from "../../testing/shown-compaction.ts";
import { type Message, type StopReason, textOf } from "../message/message.ts";
import { PI_POLICY, piPolicy } from "../policy/presets/pi.ts";
import type { ModelRequest } from "../ports.ts";
import { decodeLog, encodeLog } from "../session/codec.ts";
import { createModelSummarizer } from "../summarizer/model-summarizer.ts";
import { human, reply, result, usageEntry } from "../testing/builders.ts";
import { measuredUsage, usageOf } from "../usage.ts";

const session = (messages: readonly Message[], more: Partial<Parameters<typeof engineSession>[0]> = {}) =>
  engineSession({ policy: PI_POLICY, windowTokens: 200_000, messages, ...more });
const byHand = (tokens: number) => ({ now: { reason: "manual" as const, keep: { tokens } } });
const report = (id: string, input: number, stopReason: StopReason = "end") => ({
  ...usageEntry(id, null, 0),
  usage: measuredUsage(usageOf({ totalInputTokens: input, outputTokens: 0 }), stopReason),
});

describe("usage", () => {
  test.each([
    ["P-1: all four", usageOf({ uncachedTokens: 1000, outputTokens: 500, cacheReadTokens: 200, cacheWriteTokens: 100 }), 1800],
    ["P-1: zeros", usageOf({ uncachedTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }), 0],
  ])("%s", (_, usage, expected) => {
    const { manager, log } = session([]);
    log({ ...usageEntry("a", null, 0), usage });
    expect(manager.predict().reportedTokens).toBe(expected);
  });

  test("P-2: an aborted call's usage is passed over; without any there is none", () => {
    const { manager, log } = session(lettered("U", 10));
    expect(manager.predict()).toMatchObject({ expectedTokens: 10, reportedTokens: 0, estimatedTokens: 10 });
    log(report("a", 100), report("b", 300, "aborted"));
    expect(manager.predict().reportedTokens).toBe(100);
  });

  test("the snapshot at a turn's end", () => {
    const { manager, log, append } = session(lettered("U", 10));
    log(report("a", 5000));
    append(result("r", "c", "x".repeat(400)));
    expect(manager.predict()).toMatchObject({ expectedTokens: 5100, reportedTokens: 5000, estimatedTokens: 100 });
  });

  test("P-3: switched off", async () => {
    const run = session(lettered("UAUAUA", 50_000), { policy: piPolicy({ enabled: false }) });
    expect(await run.fit()).toEqual({ kind: "unchanged", off: "disabled" });
  });

  test.each([
    ["P-24: after a success of 190,000 tokens", [report("a", 190_000), report("b", 0, "error")], "compacted"],
    ["P-24: without a usage before", [report("b", 0, "error")], "unchanged"],
  ])("%s", async (_, entries, kind) => {
    const run = session(lettered("UAUAUAUAUA", 6000));
    run.log(...entries);
    expect((await run.fit()).kind).toBe(kind);
  });

  test("P-24: a usage from before a compaction does not start another", async () => {
    const run = session(lettered("UAUAUAUAUA", 6000));
    run.log(report("a", 190_000));
    await run.fit();
    run.append(human("later", "x".repeat(40_000)));
    expect((await run.fit()).kind).toBe("unchanged");
  });
});

describe("compaction", () => {
  const said = (id: string, chars: number): Message =>
    Number(id) % 2 === 0 ? human(id, `said-${id}. ${"x".repeat(chars)}`) : reply(id, `said-${id}. ${"x".repeat(chars)}`);

  test("P-20: what the first compaction kept is in the second summary's request", async () => {
    const run = session(Array.from({ length: 6 }, (_, index) => said(String(index), index === 2 ? 30_000 : 1000)));
    await run.fit(byHand(5000));
    expect(shapeOf(run.manager.view().messages)).toBe("s 2 3 4 5");
    expect(firstKeptId(run.manager.entries(), run.manager.view().activeCompactions.at(-1)?.id ?? "")).toBe("2");
    run.append(...Array.from({ length: 8 }, (_, index) => said(String(index + 6), 8000)));
    await run.fit(byHand(5000));
    expect(shapeOf(run.manager.view().messages)).toBe("s 11 12 13");
    const second = run.requests
      .slice(1)
      .flatMap(({ context }) => context.messages.map(textOf))
      .join();
    expect(["said-2.", "said-3.", "said-4.", "said-5.", "said-10."].filter((text) => !second.includes(text))).toEqual([]);
    expect(second).toContain("<previous-summary>");
  });

  test("P-22: an overflow is recovered from once; the second recovery asks no model", async () => {
    expect(PI_POLICY.overflow.maxRecoveries).toBe(1);
    const run = session(lettered("UAUAUAUAUAUA", 15_000));
    await run.fit({ gate: "on-overflow", recovery: 0 });
    const asked = run.requests.length;
    await run.fit({ gate: "on-overflow", recovery: 1 });
    expect([asked, run.requests.length]).toEqual([1, 1]);
  });

  test("P-25: after a compaction the session goes on at once", async () => {
    const run = session(lettered("UAUAUAUAUA", 6000));
    run.log(report("a", 190_000));
    const pending = [human("queued", "and this")];
    expect((await run.fit({ pending })).kind).toBe("compacted");
    expect(await run.fit({ pending })).toEqual({ kind: "unchanged", off: null });
  });

  test.each<[string, { readonly reasoning?: "high" }, Partial<ModelRequest>]>([
    ["P-26: a model that reasons", { reasoning: "high" }, { reasoning: "high" }],
    ["P-26: another", {}, {}],
  ])("%s", async (_, options, expected) => {
    const requests: ModelRequest[] = [];
    const summarize = createModelSummarizer(scriptedClient([sectionedReply(PI_POLICY.summary.sections)], requests), {
      modelId: "m",
      ...options,
    });
    const parts = [{ promptId: "checkpoint", messages: lettered("UAUA", 100) }];
    await summarize({ ...PI_POLICY.summary, parts, focus: null }, new AbortController().signal);
    expect(requests.map((request) => Object.hasOwn(request, "reasoning"))).toEqual([Object.hasOwn(expected, "reasoning")]);
    expect(requests[0]).toMatchObject(expected);
  });

  test("P-27: each request has its own budget", async () => {
    const run = session(lettered("UAUACRA", [1000, 1000, 10, 1000, 1000, 1000, 30_000]));
    await run.fit({ now: { reason: "manual", keep: null } });
    expect(run.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([13_107, 8192]);
  });

  test("the log says which prompts, by version, wrote a summary", async () => {
    const run = session(lettered("UAUACRA", [1000, 1000, 10, 1000, 1000, 1000, 30_000]));
    const outcome = await run.fit({ now: { reason: "manual", keep: null } });
    expect(outcome).toMatchObject({ entry: { edits: [{ prompts: ["checkpoint@1", "turn-prefix@1"] }] } });
    expect(decodeLog(encodeLog(run.manager.entries()), "log").entries).toEqual(run.manager.entries());
  });

  test("the figures of a compaction", async () => {
    const run = session(lettered("UAUAUAUAUA", 6000));
    run.log(report("a", 190_000));
    const outcome = await run.fit();
    const figures = outcome.kind === "compacted" ? compactionFigures(outcome.entry) : null;
    expect(figures).toEqual({ tokensBefore: 190_000, tokensAfter: run.manager.predict().expectedTokens, messagesRemoved: 6 });
  });
});

describe("P-28: a hook", () => {
  const run = (beforeCompaction: NonNullable<Parameters<typeof engineSession>[0]["beforeCompaction"]>) => {
    const opened = session(lettered("UAUAUAUAUA", 6000), { beforeCompaction });
    opened.log(report("a", 190_000));
    return opened;
  };

  test("may cancel", async () => {
    const opened = run(() => Promise.resolve({ kind: "cancel", why: "Compaction cancelled" }));
    expect(await opened.fit()).toMatchObject({ kind: "cancelled", why: "Compaction cancelled" });
    expect(shapeOf(opened.manager.view().messages)).toBe("0 1 2 3 4 5 6 7 8 9");
  });

  test("may supply the summary, which is used word for word", async () => {
    const opened = run(() => Promise.resolve({ kind: "summary", text: "What I know." }));
    expect(await opened.fit()).toMatchObject({ kind: "compacted", entry: { record: { tokensBefore: 190_000 } } });
    expect(opened.manager.view().messages.slice(0, 1).map(textOf).join()).toContain("What I know.");
    expect(opened.requests).toEqual([]);
  });

  test("that throws leaves it to the default", async () => {
    const opened = run(() => Promise.reject(new Error("broken hook")));
    expect((await opened.fit()).kind).toBe("compacted");
    expect(opened.requests).toHaveLength(1);
  });
});
