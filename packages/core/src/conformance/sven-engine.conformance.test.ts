import { describe, expect, test } from "vitest";
import { engineSession } from "../../testing/engine-session.ts";
import { type GateRow, played } from "../../testing/gate-row.ts";
import { lettered, shapeOf, textOfBytes } from "../../testing/lettered.ts";
import { cutAtBoundary } from "../cut-point.ts";
import { textOf } from "../message/message.ts";
import { SVEN_POLICY, svenPolicy } from "../policy/presets/sven.ts";
import { assistant, human, result } from "../testing/builders.ts";
import { utf8Bytes } from "../text.ts";
import { truncateMessage } from "../truncation/truncate-text.ts";

describe("gate and split, through the engine", () => {
  const LOOP = "CR".repeat(8);
  const FAILING = { more: { replies: [new Error("stream error")] } };
  test.each<[string, GateRow, string]>([
    [
      "G-1: a short history is summarised whole; its last human message stays",
      { letters: "UAUA", tokens: 200, windowTokens: 1600, keep: 2, threshold: 0.5 },
      "structured: s 2",
    ],
    [
      "G-2: the newest two stay word for word",
      { letters: "UAUAUA", tokens: [300, 300, 300, 300, 200, 200], windowTokens: 4000, keep: 2, threshold: 0.4 },
      "structured: s 4 5",
    ],
    ["G-3", { letters: "UA", tokens: 300, windowTokens: 2000, keep: 0, threshold: 0.3, reserve: 0 }, "structured: 0 s"],
    [
      "G-3: narrative",
      { letters: "UA", tokens: 300, windowTokens: 2000, keep: 0, threshold: 0.3, reserve: 0, strategy: "narrative" },
      "narrative: 0 s",
    ],
    ["G-4: twelve, keep six", { letters: "UAUAUAUAUAUA", tokens: 300, windowTokens: 4500, keep: 6 }, "structured: s 10"],
    [
      "G-4: one more: the newest six stay",
      { letters: "UAUAUAUAUAUAU", tokens: 300, windowTokens: 4500, keep: 6 },
      "structured: s 7 8 9 10 11 12",
    ],
    ["G-7: back from a call to the human message", { letters: "UAUCR", windowTokens: 6000, keep: 2 }, "structured: s 2 3 4"],
    [
      "G-11: not seventeen messages above the trigger, but the newest batches",
      { letters: `UAU${LOOP}`, windowTokens: 22_000, keep: 6 },
      "structured: s 2 13 14 15 16 17 18",
    ],
    [
      "G-12: no emergency; the human message stays",
      { letters: `U${LOOP}`, windowTokens: 20_000, keep: 6 },
      "structured: 0 s 11 12 13 14 15 16",
    ],
    [
      "G-14: the emergency is decided on the whole context",
      { letters: "UAUAUAU", tokens: [1800, 1800, 1800, 1800, 1800, 200], systemTokens: 500, windowTokens: 10_000, keep: 2 },
      "emergency: n 5 6",
    ],
    [
      "G-16: above the window is an emergency",
      { letters: "UAUAUA", tokens: [500, 500, 500, 500, 5000, 4000], windowTokens: 10_000, keep: 2 },
      "emergency: n 4 5",
    ],
    [
      "G-18: overhead counts",
      {
        letters: "UAUAUA",
        tokens: [1000, 1000, 1000, 1000, 500, 500],
        systemTokens: 1000,
        windowTokens: 100_000,
        keep: 2,
        more: { hiddenOverheadTokens: 70_000 },
      },
      "structured: s 4 5",
    ],
    ["G-19: a result stays with its call", { letters: "UAUACARU", windowTokens: 9000, keep: 2 }, "structured: s 3 4 5 6 7"],
    ["G-20: a summary that fails", { letters: "UAUAUA", windowTokens: 7500, keep: 2, ...FAILING }, "emergency: n 4 5"],
    ["G-21: an empty summary", { letters: "UAUAUA", windowTokens: 7500, keep: 2, more: { replies: [""] } }, "emergency: n 4 5"],
  ])("%s", async (_, row, came) => {
    const run = await played(row);
    expect(`${run.kind}: ${run.shape}`).toBe(came);
    expect([...run.session.manager.view().messages].every(({ parts }) => parts.length > 0)).toBe(true);
  });

  test.each([
    ["G-7", "UAUCR", 3, 2],
    ["G-11", `UAU${LOOP}`, 13, 2],
    ["G-12", `U${LOOP}`, 11, 0],
    ["G-19", "UAUACARU", 6, 3],
  ])("%s: where the split lands", (_, letters, wanted, expected) => {
    expect(cutAtBoundary(lettered(letters, 10), wanted, "not-in-tool-batch")).toBe(expected);
  });

  test.each([
    ["G-13: six parallel results fire, and nothing is lost", 6, "failed"],
    ["G-13: five do not fire", 5, "unchanged"],
  ])("%s", async (_, results, kind) => {
    const callIds = Array.from({ length: results }, (_each, index) => `c${index}`);
    const calls = callIds.map(
      (callId) => ({ type: "tool-call", callId, toolName: "tool", argumentsJson: textOfBytes(76), paths: [] }) as const,
    );
    const messages = [
      human("u", textOfBytes(200)),
      assistant("a", calls),
      ...callIds.map((callId) => result(`r-${callId}`, callId, textOfBytes(16_000))),
    ];
    const session = engineSession({
      policy: SVEN_POLICY,
      windowTokens: 32_768,
      maxOutputTokens: 4096,
      systemTokens: 500,
      messages,
    });
    const outcome = await session.fit({ gate: "after-tool-batch", step: 1 });
    expect(outcome.kind).toBe(kind);
    expect(session.manager.view().messages.slice()).toEqual(messages);
  });

  test("G-1: after submit and reply", async () => {
    const { session } = await played({ letters: "UAUA", tokens: 200, windowTokens: 1600, keep: 2, threshold: 0.5 });
    session.append(human("new", "go on"), assistant("reply", [{ type: "text", text: "done" }]));
    expect(shapeOf(session.manager.view().messages)).toBe("s 2 new reply");
    expect(session.manager.view().messages.at(0)).toMatchObject({ role: "assistant", origin: "summary" });
  });

  test("G-20: the failure is in the record, and the turn goes on", async () => {
    const { outcome } = await played({ letters: "UAUAUA", windowTokens: 7500, keep: 2, ...FAILING });
    expect(outcome).toMatchObject({
      entry: {
        record: {
          reason: "threshold",
          steps: [
            { strategy: "summarize", outcome: "failed", detail: "stream error" },
            { strategy: "drop-oldest", outcome: "applied" },
          ],
        },
      },
    });
  });

  test("G-22: a result is capped before it enters the session", () => {
    const policy = svenPolicy({ tool_result_token_cap: 100 });
    const { message } = truncateMessage(result("r", "c", "x".repeat(12_000)), { capTokens: policy.truncation?.capTokens ?? 0 });
    expect(utf8Bytes(textOf(message))).toBeLessThan(2000);
  });
});
