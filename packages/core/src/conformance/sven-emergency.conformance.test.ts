import { describe, expect, test } from "vitest";
import { type GateRow, played } from "../../testing/gate-row.ts";
import { textOf } from "../message/message.ts";
import { utf8Bytes } from "../text.ts";

describe("emergency, through the engine", () => {
  const row = (letters: string, keep: number, more: Partial<GateRow> = {}): GateRow => {
    return { letters, systemTokens: 1000, windowTokens: letters.length * 1000 + 1100, keep, ...more };
  };
  test.each<[string, GateRow, string]>([
    ["M-1: the notice and the newest two", row("UAUA", 2), "n 2 3"],
    ["M-5: keep nothing: the last human message stays", row("UAUA", 0), "n 2"],
    ["M-7: the open step stays, and the human message with it", row("UACR", 2), "0 n 2 3"],
  ])("%s", async (_, each, shape) => {
    const run = await played(each);
    expect([run.kind, run.shape]).toEqual(["emergency", shape]);
    expect(run.outcome).toMatchObject({ entry: { record: { reason: "emergency" } } });
  });

  test("M-2: the system text stays first, outside the messages", async () => {
    const { session } = await played(row("UAUA", 2));
    const { system, messages } = session.manager.context();
    expect([utf8Bytes(system), messages[0]]).toMatchObject([4000, { origin: "notice" }]);
  });

  test("M-3, M-10: the notice says so, and is short", async () => {
    const { session } = await played(row("UAUA", 2));
    const [notice] = session.manager.view().messages.slice();
    expect(notice?.parts.map((part) => (part.type === "text" ? part.text : ""))[0]).toContain("emergency-compacted");
    expect(
      notice?.parts.slice(0, 1).reduce((sum, part) => sum + (part.type === "text" ? utf8Bytes(part.text) / 4 : 0), 0),
    ).toBeLessThan(100);
  });

  test("M-8: a human message larger than the window is irreducible", async () => {
    const run = await played({ letters: "U", tokens: 5000, systemTokens: 0, windowTokens: 100, keep: 6 });
    expect([run.kind, run.shape]).toEqual(["irreducible", "0"]);
    expect(run.session.events.at(-1)).toMatchObject({ type: "context-irreducible", budgetTokens: 100 });
  });

  test("M-9: nothing to drop: the context stays as it is, and fits", async () => {
    const run = await played({
      letters: "UCR",
      tokens: [50, 20, 5500],
      systemTokens: 500,
      windowTokens: 8192,
      keep: 6,
      more: { maxOutputTokens: 2048 },
    });
    expect([run.kind, run.shape]).toEqual(["failed", "0 1 2"]);
  });
});

describe("prompts, through the engine", () => {
  test("N-1: one user message without the session's system text", async () => {
    const { session } = await played({ letters: "UAUA", tokens: 200, windowTokens: 1600, keep: 2, threshold: 0.5 });
    const requests = session.requests.map(({ context }) => context);
    expect(requests).toMatchObject([{ tools: [], messages: [{ role: "user" }] }]);
    const system = session.manager.context().system;
    expect(requests.flatMap(({ messages }) => messages.map(textOf)).join()).not.toContain(system);
    expect(requests[0]?.system).not.toContain(system);
  });
});
