import { describe, expect, test } from "vitest";
import { type EngineSession, engineSession } from "../../testing/engine-session.ts";
import { lettered, shapeOf } from "../../testing/lettered.ts";
import { summaryFiles } from "../../testing/shown-compaction.ts";
import { type Message, textOf } from "../message/message.ts";
import { NONE_POLICY } from "../policy/presets/none.ts";
import { OPAL_POLICY } from "../policy/presets/opal.ts";
import { EMPTY_VIEW, foldEntry } from "../session/view.ts";
import { assistant, callPart, human, reply, result, usageEntry } from "../testing/builders.ts";

const byHand = (tokens: number) => ({ now: { reason: "manual" as const, keep: { tokens } } });
const session = (messages: readonly Message[], more: Partial<Parameters<typeof engineSession>[0]> = {}) =>
  engineSession({ policy: OPAL_POLICY, windowTokens: 128_000, messages, ...more });
const shape = ({ manager }: EngineSession) => shapeOf(manager.view().messages);
const firstText = ({ manager }: EngineSession) => manager.view().messages.slice(0, 1).map(textOf).join();
const TEN = Array.from({ length: 10 }, (_, index) => human(String(index), `msg ${index} ${"x".repeat(200)}`));

describe("compaction", () => {
  test("O-c2, O-s2: without a model, the notice counts by role", async () => {
    const run = session(TEN, { replies: [new Error("no provider")] });
    await run.fit(byHand(200));
    expect(shape(run)).toBe("n 6 7 8 9");
    expect(run.manager.view().messages.at(0)?.role).toBe("user");
    expect(firstText(run)).toContain("[Compacted 6 messages: 6 user");
  });

  test("O-s2: with a model, its sections", async () => {
    const run = session(TEN);
    await run.fit(byHand(200));
    expect(firstText(run)).toContain("## Goal");
    expect(run.manager.view().messages.at(0)).toMatchObject({ role: "user", origin: "summary" });
  });

  test("O-c4: a cut at a human message has no turn context", async () => {
    const run = session(lettered("UAUAUAUAUAUA", 50));
    await run.fit(byHand(300));
    expect(shape(run)).toBe("s 6 7 8 9 10 11");
    expect(firstText(run)).not.toContain("Turn Context");
  });

  test("O-c6: an overflow compacts all but the newest two if there is no cut", async () => {
    const run = session(lettered("UAUAU", 500));
    const outcome = await run.fit({ gate: "on-overflow", recovery: 0 });
    expect([outcome.kind, shape(run)]).toEqual(["compacted", "s 3 4"]);
  });

  test.each([
    ["O-c1", "UA", 100],
    ["O-c8, O-c9", "UAUAUA", 10_000_000],
    ["O-c11", "U", 1],
    ["O-c12", "", 200],
  ])("%s: nothing to compact changes nothing", async (_, letters, keep) => {
    const messages = lettered(letters, 5);
    const run = session(messages);
    const outcome = await run.fit(byHand(keep));
    expect(["failed", "unchanged"]).toContain(outcome.kind);
    expect(run.manager.view().messages.slice()).toEqual(messages);
  });

  test("O-c10: with nothing to keep, the last human message stays with the newest message", async () => {
    const run = session(lettered("UAUAUA", 300));
    await run.fit(byHand(0));
    expect(shape(run)).toBe("s 4 5");
  });

  test("O-c13: messages without content do not stop it", async () => {
    const run = session([
      { ...reply("0", ""), parts: [{ type: "reasoning", text: "y".repeat(4000), opaque: null }] },
      human("1", "x".repeat(507)),
    ]);
    await expect(run.fit(byHand(50))).resolves.toHaveProperty("kind");
  });

  test("O-c17: a split turn of five or more is summarised apart", async () => {
    const run = session(lettered(`UAU${"CR".repeat(20)}`, 55));
    await run.fit(byHand(500));
    expect(shape(run).startsWith("s 2 35 36")).toBe(true);
    expect(run.requests).toHaveLength(2);
    expect(firstText(run)).toContain("Turn Context");
  });

  test("a split turn of fewer than five is summarised with the rest", async () => {
    const run = session(lettered("UAUAUACRA", [400, 400, 400, 400, 400, 40, 40, 40, 400]));
    await run.fit(byHand(300));
    expect(run.requests).toHaveLength(1);
    expect(firstText(run)).not.toContain("Turn Context");
  });

  test("O-c20, O-f1: files are listed with the summary, and as data", async () => {
    const reads = assistant("1", [
      { type: "text", text: "x".repeat(507) },
      callPart("c", "read", { paths: [{ path: "lib/app.ex", access: "read" }] }),
    ]);
    const run = session([
      human("0", "read it"),
      reads,
      result("r", "c", "done"),
      human("2", "and then"),
      reply("3", "x".repeat(502)),
    ]);
    await run.fit(byHand(100));
    expect(shape(run)).toBe("s 2 3");
    expect(firstText(run)).toContain("<read-files>\nlib/app.ex\n</read-files>");
    expect(summaryFiles(run.manager.entries(), null)).toEqual({
      type: "compaction-summary",
      readFiles: ["lib/app.ex"],
      modifiedFiles: [],
    });
  });

  test("a second compaction brings the first summary up to date", async () => {
    const run = session(TEN);
    await run.fit(byHand(200));
    run.append(...lettered("UAUA", 200).map((message) => ({ ...message, id: `later-${message.id}` })));
    await run.fit(byHand(300));
    const texts = run.requests.map(({ context }) => context.messages.map(textOf).join());
    expect(texts.map((text) => text.includes("<previous-summary>"))).toEqual([false, true]);
  });

  test("O-t6: a report above the trigger starts it; the list is the session's fold", async () => {
    const run = session(lettered("UAUAUAUAUA", 9000));
    run.log(usageEntry("call", "9", 110_000));
    const outcome = await run.fit();
    expect(run.events.map(({ type }) => type)).toEqual(["compaction-start", "compaction-end"]);
    expect(outcome).toMatchObject({ kind: "compacted", entry: { record: { tokensBefore: 110_000 } } });
    expect(run.manager.predict().expectedTokens).toBeLessThan(110_000);
    expect(run.manager.context().messages).toEqual(run.manager.entries().reduce(foldEntry, EMPTY_VIEW).messages.slice());
  });

  test("an unknown window counts as 128,000", async () => {
    const run = session(lettered("UAUAUAUAUA", 11_000), { windowTokens: null });
    expect(await run.fit()).toMatchObject({ kind: "compacted", entry: { record: { budgetTokens: 128_000 } } });
  });

  test("O-s4: with compaction off an overflow is the caller's", async () => {
    const run = session(lettered("UAUA", 100), { policy: NONE_POLICY });
    expect(await run.fit({ gate: "on-overflow", recovery: 0 })).toEqual({ kind: "unchanged", off: "disabled" });
    expect(run.events).toEqual([]);
  });
});
