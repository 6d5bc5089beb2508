import { describe, expect, test } from "vitest";
import { utf8Bytes } from "../text.ts";
import type { OutputCategory } from "../tool.ts";
import { truncateToolResult } from "../truncation/truncate-text.ts";

describe("truncation: what the truncation's own tests leave", () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join("\n");
  test.each<[string, string, OutputCategory, number]>([
    ["X-12", numbered(200), "generic", 50],
    ["X-13", numbered(200), "head-tail", 20],
    ["X-22", numbered(1000), "generic", 400],
    ["X-32", "x".repeat(16_001), "head-tail", 4000],
    ["X-33: file content", "x".repeat(16_001), "file-content", 4000],
    ["X-33: match list", "x".repeat(16_001), "match-list", 4000],
    ["X-33: generic", "x".repeat(16_001), "generic", 4000],
    ["X-34", `${"x".repeat(8000)}\n${"y".repeat(8000)}`, "head-tail", 4000],
    ["X-35", `${"x".repeat(8001)}\n${"y".repeat(8001)}`, "head-tail", 4000],
    ["X-42", `${"\n".repeat(30)}${"x".repeat(30)}`, "match-list", 10],
  ])("%s: no more than the cap with its notice, counted truthfully, never all lost", (_, content, category, capTokens) => {
    const cut = truncateToolResult(content, { category, capTokens });
    const kept = cut.text.split("\n").filter((line) => !line.startsWith("[… "));
    expect(utf8Bytes(cut.text)).toBeLessThanOrEqual(capTokens * 4);
    expect(kept.join("\n").length).toBeGreaterThan(0);
    expect(cut.omittedBytes).toBeGreaterThan(0);
    expect(Math.abs(utf8Bytes(content) - cut.omittedBytes - utf8Bytes(kept.join("\n")))).toBeLessThanOrEqual(2);
  });
});
