import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { SVEN_LENGTH_ESTIMATE } from "../policy/presets/sven.ts";
import { assistant, human } from "../testing/builders.ts";
import { createEstimator } from "./built-in-estimators.ts";
import { charsPerToken } from "./chars-per-token.ts";
import { EMPTY_LEDGER } from "./estimator.ts";
import { createWorkCounter } from "./measure.ts";

const spec = SVEN_LENGTH_ESTIMATE;
const sven = charsPerToken(spec, createWorkCounter());

describe("with sven's settings", () => {
  test.each<[string, Message, number]>([
    ["bytes, not characters", human("a", "世世世世"), 3],
    ["an emoji as four bytes", human("a", "😀😀"), 2],
    [
      "the length of all parts together, rounded once",
      assistant("a", [
        { type: "text", text: "123" },
        { type: "reasoning", text: "45678", opaque: null },
      ]),
      2,
    ],
  ])("%s", (_, message, tokens) => {
    expect(sven.messageTokens(message)).toBe(tokens);
  });

  test("each tool is rounded by itself, its name and description together", () => {
    expect(sven.toolsTokens([{ name: "abcd", description: "efgh", parametersJson: "{}" }])).toBe(2);
  });
});

describe("with other systems' settings", () => {
  test.each<[string, Partial<typeof spec>, string, number]>([
    ["characters rounded up", { unit: "code-points", rounding: "ceil" }, "世世世世世", 2],
    ["UTF-16 units rounded up", { unit: "utf16-units", rounding: "ceil" }, "😀😀x", 2],
    ["another divisor", { charsPerToken: 3 }, "123456", 2],
  ])("%s", (_, settings, text, tokens) => {
    expect(charsPerToken({ ...spec, ...settings }, createWorkCounter()).messageTokens(human("a", text))).toBe(tokens);
  });
});

describe("work", () => {
  test("pricing a message again scans nothing", () => {
    const work = createWorkCounter();
    const { measure } = createEstimator(spec, work);
    const message = human("a", "x".repeat(500));
    measure.messageTokens(message);
    const first = work.total();
    measure.messageTokens(message);
    expect(first).toEqual({ charactersScanned: 500, messagesVisited: 1, tokenizerCalls: 0 });
    expect(work.total()).toEqual(first);
  });

  test("a copy of a message is priced anew", () => {
    const work = createWorkCounter();
    const { measure } = createEstimator(spec, work);
    const message = human("a", "12345678");
    measure.messageTokens(message);
    measure.messageTokens({ ...message });
    expect(work.total().charactersScanned).toBe(16);
  });
});

test.each([
  ["counted", undefined, 12],
  ["left out", "left-out", 2],
] as const)("what is sent with the messages is %s", (_, overhead, tokens) => {
  const estimator = createEstimator({ ...spec, overhead }, createWorkCounter(), {});
  const ledger = { ...EMPTY_LEDGER, estimatedTokens: 2 };
  const sent = { system: "12345678", tools: [], dynamicContext: null, hiddenTokens: 8 };
  expect(estimator.predict(ledger, sent).expectedTokens).toBe(tokens);
});
