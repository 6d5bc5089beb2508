import { describe, expect, test } from "vitest";
import { type Action, type Agreement, actionOf, agreementOf, mainPath, normalisedPath } from "./agreement.ts";

const call = (toolName: string, args: unknown): Action => ({
  toolName,
  argumentsJson: typeof args === "string" ? args : JSON.stringify(args),
});
const NO_CALL = actionOf([]);
const SAME = { tool: true, arguments: true } as const;
const PATCH = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-one\n+two\n*** End Patch";

describe("agreementOf", () => {
  test.each<[rule: string, one: Action, other: Action, agreement: Agreement]>([
    ["equal calls", call("read", { path: "a.ts" }), call("read", { path: "a.ts" }), { ...SAME, path: true }],
    ["two replies without a call", NO_CALL, NO_CALL, { ...SAME, path: null }],
    ["a call and none", call("read", { path: "a.ts" }), NO_CALL, { tool: false, path: false, arguments: false }],
    [
      "another tool on the same file agrees on the path alone",
      call("read", { path: "a.ts" }),
      call("edit", { path: "a.ts", old_string: "x" }),
      { tool: false, path: true, arguments: false },
    ],
    [
      "names of tools are compared as they are",
      call("Read", { path: "a.ts" }),
      call("read", { path: "a.ts" }),
      { tool: false, path: true, arguments: false },
    ],
    ["the order of arguments does not count", call("f", { a: 1, b: 2 }), call("f", { b: 2, a: 1 }), { ...SAME, path: null }],
    [
      "nor the order in objects inside",
      call("f", { x: [{ a: 1, b: 2 }] }),
      call("f", { x: [{ b: 2, a: 1 }] }),
      { ...SAME, path: null },
    ],
    ["an argument of null is none", call("f", { a: "x", b: null }), call("f", { a: "x" }), { ...SAME, path: null }],
    ["a number and its text", call("f", { line: 12 }), call("f", { line: "12" }), { ...SAME, path: null }],
    [
      "white space at the ends of lines does not count",
      call("f", { text: "a  \r\nb\n" }),
      call("f", { text: "a\nb" }),
      { ...SAME, path: null },
    ],
    [
      "what tells a person why does not count",
      call("shell", { command: "npm test", description: "Runs the tests" }),
      call("shell", { command: "npm test", description: "Check" }),
      { ...SAME, path: null },
    ],
    [
      "but it counts if it is all that there is",
      call("say", { description: "one" }),
      call("say", { description: "two" }),
      { tool: true, path: null, arguments: false },
    ],
    [
      "white space inside a text counts",
      call("f", { text: "a b" }),
      call("f", { text: "a  b" }),
      { tool: true, path: null, arguments: false },
    ],
    [
      "arguments that nest without end",
      call("f", `{"a":${"[".repeat(9_000)}${"]".repeat(9_000)}}`),
      call("f", `{"a":${"[".repeat(8_000)}${"]".repeat(8_000)}}`),
      { ...SAME, path: null },
    ],
    ["a text that is no JSON is one argument", call("patch", PATCH), call("patch", { input: PATCH }), { ...SAME, path: true }],
  ])("%s", (_, one, other, agreement) => {
    expect(agreementOf(one, other)).toEqual(agreement);
    expect(agreementOf(other, one)).toEqual(agreement);
  });

  test.each([
    ["from the root and from the working folder", "/home/me/project/src/a.ts", "src/a.ts", true],
    ["with and without a leading point", "./src/a.ts", "src/a.ts", true],
    ["with a detour", "src/x/../a.ts", "src/a.ts", true],
    ["with the other slash", "src\\a.ts", "src/a.ts", true],
    ["on a drive", "C:\\project\\src\\a.ts", "src/a.ts", true],
    ["two folders", "src/a.ts", "lib/a.ts", false],
    ["from two roots", "/one/src/a.ts", "/two/src/a.ts", false],
    ["a name that ends alike", "/home/data.ts", "a.ts", false],
    ["two that are not absolute", "src/a.ts", "a.ts", false],
  ])("paths: %s", (_, one, other, isSame) => {
    expect(agreementOf(call("read", { path: one }), call("read", { path: other })).path).toBe(isSame);
  });
});

test.each([
  ["a read names its file", call("read", { file_path: "/a.ts", limit: 3 }), "/a.ts"],
  ["a patch names its first file", call("apply", { input: PATCH }), "src/a.ts"],
  ["a command that shows a file", call("shell", { command: "sed -n 1,20p src/a.ts" }), "src/a.ts"],
  ["a command as a list", call("shell", { command: ["bash", "-lc", "cat src/a.ts"] }), "src/a.ts"],
  ["a command that does more", call("shell", { command: "npm test" }), null],
  ["a search in a folder", call("grep", { pattern: "x", path: "src/" }), "src"],
  ["a search everywhere", call("grep", { pattern: "x" }), null],
  ["no call", NO_CALL, null],
])("mainPath: %s", (_, action, path) => {
  expect(mainPath(action)).toBe(path);
});

test.each([
  ["../a/./b//c/", "../a/b/c"],
  ["/../a", "/../a"],
  ["/", "/"],
])("normalisedPath of %s", (path, normalised) => {
  expect(normalisedPath(path)).toBe(normalised);
});

test("the action of a reply is its first call", () => {
  expect(
    actionOf([call("one", {}), call("two", {})].map(({ argumentsJson }, at) => ({ toolName: `t${at}`, argumentsJson }))),
  ).toEqual({ toolName: "t0", argumentsJson: "{}" });
});
