import { expect, test } from "vitest";
import { createFileTouches } from "./units.ts";

test("a file is known from its first touch on, with how long ago it was touched and written", () => {
  const files = createFileTouches();
  expect(files.facts("a", { textAtChars: 0, nowAtChars: 10 })).toBeNull();
  files.add({ path: "a", access: "read" }, 100);
  expect(files.facts("a", { textAtChars: 0, nowAtChars: 130 })).toEqual({
    reads: 1,
    writes: 0,
    sinceTouchChars: 30,
    sinceWriteChars: null,
    isWrittenSince: false,
  });
  files.add({ path: "a", access: "modify" }, 200);
  files.add({ path: "a", access: "read" }, 250);
  expect(files.facts("a", { textAtChars: 100, nowAtChars: 300 })).toEqual({
    reads: 2,
    writes: 1,
    sinceTouchChars: 50,
    sinceWriteChars: 100,
    isWrittenSince: true,
  });
  expect(files.facts("a", { textAtChars: 200, nowAtChars: 300 })?.isWrittenSince).toBe(false);
  expect(files.facts("b", { textAtChars: 0, nowAtChars: 300 })).toBeNull();
});

test("what was never written is not written since, wherever the text stands", () => {
  const files = createFileTouches();
  files.add({ path: "a", access: "read" }, 100);
  expect(files.facts("a", { textAtChars: -1, nowAtChars: 130 })?.isWrittenSince).toBe(false);
});
