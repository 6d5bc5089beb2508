import { expect, test } from "vitest";
import { createWaitingCalls } from "./check.ts";

/** Which call each result answers: a message of calls is a list of `id=call`, a result is an id. */
function pairsIn(list: readonly (readonly string[] | string)[]): readonly (string | null)[] {
  const calls = createWaitingCalls<string>();
  return list.flatMap((each) => {
    if (typeof each === "string") return [calls.answered(each)];
    calls.met(each.map((call) => [call.split("=")[0] ?? "", call] as const));
    return [];
  });
}

test.each<[string, readonly (readonly string[] | string)[], readonly (string | null)[]]>([
  ["an id in every step: the newest", [["a=1"], "a", ["a=2"], "a", ["a=3"], "a"], ["a=1", "a=2", "a=3"]],
  ["an id twice in a batch: in order", [["a=1", "a=2"], "a", "a"], ["a=1", "a=2"]],
  ["a batch out of order: by id", [["a=1", "b=2"], "b", "a"], ["b=2", "a=1"]],
  ["a late result: the call that still waits", [["a=1"], ["a=2"], "a", "a"], ["a=2", "a=1"]],
  ["one result too many: none", [["a=1"], "a", "a"], ["a=1", null]],
  ["a result before its call: none yet", ["a", ["a=1"]], [null]],
])("a result answers by place first: %s", (_, list, expected) => {
  expect(pairsIn(list)).toEqual(expected);
});
