import { describe, expect, test } from "vitest";
import { parseHandle, parseSpanHandle, partHandle, spanHandle } from "./handle.ts";

describe("a part's handle", () => {
  test.each([
    ["the first part's is the message's id", "id", 0, "id"],
    ["another part's has its index", "id", 3, "id#3"],
    ["an id may hold the mark itself", "a#b", 2, "a#b#2"],
  ])("%s, and is read back", (_, messageId, partIndex, handle) => {
    expect(partHandle(messageId, partIndex)).toBe(handle);
    expect(parseHandle(handle)).toEqual({ messageId, partIndex });
  });

  test.each([
    ["a mark without a number", "a#b"],
    ["a number that is none", "a#1.5"],
  ])("%s is part of the id", (_, handle) => {
    expect(parseHandle(handle)).toEqual({ messageId: handle, partIndex: 0 });
  });
});

describe("a span's handle", () => {
  test("names both ends, and is read back", () => {
    expect(spanHandle({ from: "a", through: "b" })).toBe("a..b");
    expect(parseSpanHandle("a..b")).toEqual({ from: "a", through: "b" });
  });

  test.each([["id"], ["id#1"], ["..b"], [""]])("%j is none", (handle) => {
    expect(parseSpanHandle(handle)).toBeNull();
  });
});
