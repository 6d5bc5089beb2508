import { expect, test } from "vitest";
import { recordedIo } from "../testing/recorded-io.ts";
import { commandLine, endOnInterrupt } from "./interrupt.ts";

test.each([
  ["plain words", ["bench", "~/logs", "--sweep", "actAt=50%..95%:5%"], {}, "plimsoll bench ~/logs --sweep actAt=50%..95%:5%"],
  ["words with blanks and quotes", ["bench", "my log's.jsonl", "a*b"], {}, "plimsoll bench 'my log'\\''s.jsonl' 'a*b'"],
  ["an empty word", ["bench", ""], {}, "plimsoll bench ''"],
  ["a start by npx", ["advise"], { npm_command: "exec" }, "npx plimsoll advise"],
  ["a start in the repository", ["advise"], { npm_lifecycle_event: "plimsoll" }, "pnpm plimsoll advise"],
])("the line to go on with of %s", (_, argv, environment, line) => {
  expect(commandLine(argv, environment)).toBe(line);
});

test("Ctrl-C says how to go on, once, and ends with its own exit code", () => {
  const { io, stderr, stdout } = recordedIo("/");
  const acts: (() => void)[] = [];
  const exits: number[] = [];
  const onInterrupt = (act: () => void) => {
    acts.push(act);
    return () => void acts.pop();
  };
  const stop = endOnInterrupt(["tune", "logs"], { ...io, onInterrupt, exit: (code) => void exits.push(code) });
  for (const act of acts) act();
  expect(exits).toEqual([130]);
  expect(stdout()).toBe("");
  expect(stderr()).toBe("plimsoll: stopped; finished work is kept for two weeks. Continue with:\n  plimsoll tune logs\n");
  stop();
  expect(acts).toEqual([]);
});
