import { describe, expect, test } from "vitest";
import type { ToolResultMessage } from "../message/message.ts";
import { absentImage, result } from "../testing/builders.ts";
import { truncateMessage } from "./truncate-text.ts";

function withTexts(texts: readonly string[]): ToolResultMessage {
  return { ...result("r1", "c1", ""), parts: [...texts.map((text) => ({ type: "text", text }) as const), absentImage()] };
}

describe("truncateMessage", () => {
  test.each([
    ["without a cap", "x".repeat(10_000), null],
    ["with a cap of 0", "x".repeat(10_000), { capTokens: 0 }],
    ["within the cap", "x".repeat(400), { capTokens: 100 }],
  ])("gives the message itself %s", (_rule, text, truncation) => {
    const message = withTexts([text]);
    expect(truncateMessage(message, truncation).message).toBe(message);
  });

  test("a result in which something reads as ours is quoted once: it gives the same value again", () => {
    const message = withTexts(["[Compacted: it]"]);
    const { message: quoted } = truncateMessage(message, { capTokens: 100 });
    expect(quoted.parts[0]).toEqual({ type: "text", text: "\\[Compacted: it]" });
    expect(truncateMessage(message, { capTokens: 200 }).message).toBe(quoted);
  });

  test("cuts text alone, and counts", () => {
    const cut = truncateMessage(withTexts(["ab\n".repeat(1000)]), { capTokens: 100 }, { hint: "a hint" });
    expect(cut.message.parts).toEqual([
      { type: "text", text: `${"ab\n".repeat(116)}[… 884 lines / 2652 bytes omitted]\n[… a hint]` },
      absentImage(),
    ]);
    expect(cut).toMatchObject({ isTruncated: true, omittedLines: 884, omittedBytes: 2652 });
  });

  test("parts share the cap: small ones stay whole", () => {
    const small = "kept";
    const { message } = truncateMessage(withTexts(["x".repeat(5000), small, "y".repeat(5000)]), { capTokens: 1000 });
    const sizes = message.parts.map((part) => (part.type === "text" ? part.text.length : 0));
    expect(message.parts[1]).toEqual({ type: "text", text: small });
    expect(sizes).toEqual([1987, 4, 1987, 0]);
  });
});
