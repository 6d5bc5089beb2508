import { expect, test } from "vitest";
import { type CallArguments, filesShownBy } from "./call-shape.ts";

test.each<[string, CallArguments, readonly string[]]>([
  ["one file", { command: "cat src/a.ts" }, ["src/a.ts"]],
  ["a range of one", { cmd: "sed -n '1,40p' src/a.ts" }, ["src/a.ts"]],
  ["a shell's command line", { command: ["bash", "-lc", "head -20 'a.md' && tail -5 b.md"] }, ["a.md", "b.md"]],
  ["behind a change of folder", { command: "cd /w && nl a.ts | sed -n 5,9p" }, ["a.ts"]],
  ["not an edit in place", { command: "sed -i s/a/b/ a.ts" }, []],
  ["not a write", { command: "cat a.ts > b.ts" }, []],
  ["two files", { command: "cat a.ts b.ts" }, ["a.ts", "b.ts"]],
  ["not a script of sed that is no range", { command: "sed -n /foo/p a.ts" }, []],
  ["not lines that sed changes", { command: "sed s/a/b/ a.ts" }, []],
  ["not what another program makes of it", { command: "cat a.ts | grep x" }, []],
  ["not with the output of another program", { command: "cat a.ts; make" }, []],
  ["not another program", { command: "make a.ts" }, []],
  ["not what is no command", { path: "a.ts" }, []],
])("%s", (_, args, files) => {
  expect(filesShownBy(args)).toEqual(files);
});
