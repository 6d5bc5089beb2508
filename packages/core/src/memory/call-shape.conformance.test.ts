import { expect, test } from "vitest";
import { type CallArguments, toolShapeOf } from "./call-shape.ts";

const PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch";

test.each<[string, CallArguments, readonly string[]]>([
  ["K-p1: a path alone", { path: "a" }, ["read a"]],
  ["K-p1: old and new text", { file_path: "a", old_string: "x", new_string: "y" }, ["modify a"]],
  ["K-p1: content", { path: "a", content: "x" }, ["modify a"]],
  ["K-p1: a patch beside a path", { path: "a", patch: PATCH }, ["modify a"]],
  ["K-p1: edits", { path: "a", edits: [{ oldText: "x", newText: "y" }] }, ["modify a"]],
  ["K-p1: arguments that are no JSON", null, []],
  ["K-p1: a path that is no text", { path: 3 }, []],
])("%s", (_, args, expected) => {
  expect(toolShapeOf({}, "unheard-of", args).paths.map(({ path, access }) => `${access} ${path}`)).toEqual(expected);
});
