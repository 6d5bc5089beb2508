import { expect, test } from "vitest";
import type { PiPreparation } from "../pi/pi-module.ts";
import { filesDifference, listedFiles, listsOf } from "./pi-files.ts";

const theirs: PiPreparation = {
  firstKeptEntryId: "e",
  messagesToSummarize: [],
  turnPrefixMessages: [],
  isSplitTurn: false,
  tokensBefore: 0,
  fileOps: { read: new Set(["b.ts", "a.ts", "c.ts"]), written: new Set(["c.ts"]), edited: new Set(["0.ts"]) },
};
const listing = (read: readonly string[], modified: readonly string[]) =>
  `summary\n<read-files>\n${read.join("\n")}\n</read-files>\n\n<modified-files>\n${modified.join("\n")}\n</modified-files>`;

test.each([
  ["no difference", listing(["a.ts", "b.ts"], ["0.ts", "c.ts"]), null],
  ["another order", listing(["b.ts", "a.ts"], ["0.ts", "c.ts"]), "order"],
  ["files of the kept tail, too", listing(["a.ts", "b.ts", "k.ts"], ["0.ts", "c.ts"]), "whole-log"],
  ["a file that is missing", listing(["a.ts"], ["0.ts", "c.ts"]), "files"],
  ["a count of what had no room", listing(["(1 earlier not shown)", "b.ts"], ["0.ts", "c.ts"]), "room"],
])("lists show %s", (_, summary, kind) => {
  expect(filesDifference([summary], theirs, "pi")).toBe(kind);
});

test("what a summary lists is read as the program lists it", () => {
  expect(listedFiles(listing(["a.ts", "b.ts"], ["0.ts", "c.ts"]))).toEqual(listsOf(theirs));
  expect(listedFiles("nothing")).toEqual({ readFiles: [], modifiedFiles: [] });
});
