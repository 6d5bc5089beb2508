import { describe, expect, test } from "vitest";
import { assistant, human, reply } from "../testing/builders.ts";
import type { PathAccess } from "../tool.ts";
import { accessesOf, fileOperations } from "./facts.ts";

const read = (path: string): PathAccess => ({ path, access: "read" });
const modify = (path: string): PathAccess => ({ path, access: "modify" });

describe("fileOperations", () => {
  test.each<[string, readonly PathAccess[], readonly (readonly [string, string])[]]>([
    ["nothing", [], []],
    [
      "least recently touched first",
      [read("a"), read("b"), read("a")],
      [
        ["b", "read"],
        ["a", "read"],
      ],
    ],
    ["read, then modified, is modified", [read("a"), modify("a")], [["a", "modify"]]],
    ["modified, then read, is modified", [modify("a"), read("a")], [["a", "modify"]]],
    [
      "paths are names: nothing is resolved",
      [read("a"), read("./a")],
      [
        ["a", "read"],
        ["./a", "read"],
      ],
    ],
  ])("%s", (_, accesses, files) => {
    expect([...fileOperations(accesses)]).toEqual(files);
  });
});

describe("accessesOf", () => {
  const call = (callId: string, paths: readonly PathAccess[]) =>
    ({ type: "tool-call", callId, toolName: "tool", argumentsJson: "{}", paths }) as const;

  test("the paths of all calls, in order", () => {
    expect(accessesOf(assistant("a", [call("c", [read("x"), modify("y")]), call("d", [read("z")])]))).toEqual([
      read("x"),
      modify("y"),
      read("z"),
    ]);
  });

  test.each([
    ["a reply without calls", reply("a", "text")],
    ["a human message", human("u", "src/a.ts")],
  ])("none in %s", (_, message) => {
    expect(accessesOf(message)).toEqual([]);
  });
});
