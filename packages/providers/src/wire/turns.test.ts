import { describe, expect, test } from "vitest";
import type { TurnRules } from "./turns.ts";
import { FIRST_MESSAGE_NOTICE, inTurn, RESULTS_NOTICE } from "./turns.ts";

/** Messages as `role text`. */
const rules: TurnRules<string> = {
  roleOf: (item) => (["user", "assistant", "tool"] as const).find((role) => item.startsWith(role)) ?? "other",
  said: (role, text) => `${role} ${text}`,
  join: (first, second) => `${first} + ${second}`,
  userAfterTool: "reject",
};
const notice = `user ${FIRST_MESSAGE_NOTICE}`;

describe("inTurn", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["the assistant first", ["assistant a"], [notice, "assistant a"]],
    ["the assistant first behind system text", ["system s", "assistant a"], ["system s", notice, "assistant a"]],
    ["two of the assistant", ["user u", "assistant a", "assistant b"], ["user u", "assistant a", notice, "assistant b"]],
    ["three of the user", ["user u", "user v", "user w"], ["user u + user v + user w"]],
    [
      "the user after results",
      ["user u", "assistant a", "tool r", "user v"],
      ["user u", "assistant a", "tool r", `assistant ${RESULTS_NOTICE}`, "user v"],
    ],
  ])("puts %s in turn", (_, items, expected) => {
    expect(inTurn(items, rules)).toEqual(expected);
    expect(inTurn(inTurn(items, rules), rules)).toEqual(expected);
  });

  test.each<[string, readonly string[], TurnRules<string>]>([
    ["turns with results", ["system s", "user u", "assistant a", "tool r", "tool q", "assistant b", "user v"], rules],
    ["nothing", [], rules],
    [
      "the user after results on a wire that takes it",
      ["user u", "assistant a", "tool r", "user v"],
      { ...rules, userAfterTool: "accept" },
    ],
  ])("leaves %s as it is", (_, items, under) => {
    expect(inTurn(items, under)).toBe(items);
  });
});
