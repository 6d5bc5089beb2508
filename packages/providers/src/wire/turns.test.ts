import { describe, expect, test } from "vitest";
import { FIRST_MESSAGE_NOTICE, inTurn, joinedStretches, RESULTS_NOTICE, type TurnRules } from "./turns.ts";

/** Messages as `role text`. */
const rules: TurnRules<string> = {
  roleOf: (item) => (["user", "assistant", "tool"] as const).find((role) => item.startsWith(role)) ?? "system",
  said: (role, text) => `${role} ${text}`,
  join: (first, second) => `${first} + ${second}`,
  userAfterTool: "reject",
};
const [notice, results] = [`user ${FIRST_MESSAGE_NOTICE}`, `assistant ${RESULTS_NOTICE}`];

/** Messages of a text: they are split by commas. */
const listed = (text: string) => (text === "" ? [] : text.split(", "));

describe("inTurn", () => {
  test.each<[string, string, string]>([
    ["the assistant first", "assistant a", `${notice}, assistant a`],
    ["the assistant first behind system text", "system s, assistant a", `system s, ${notice}, assistant a`],
    ["two of the assistant", "user u, assistant a, assistant b", `user u, assistant a, ${notice}, assistant b`],
    ["three of the user", "user u, user v, user w", "user u + user v + user w"],
    ["the user after results", "user u, assistant a, tool r, user v", `user u, assistant a, tool r, ${results}, user v`],
    ["the user behind what the agent declares", "user u, system s, user v", "system s, user u + user v"],
    ["what the agent declares twice", "user u, system s, system t, user v", "system s + system t, user u + user v"],
  ])("puts %s in turn", (_, items, expected) => {
    const once = inTurn(listed(items), rules);
    expect(once.join(", ")).toBe(expected);
    expect(inTurn(once, rules)).toEqual(once);
  });

  test.each<[string, string, TurnRules<string>]>([
    ["turns with results", "system s, user u, assistant a, tool r, tool q, assistant b, user v", rules],
    ["nothing", "", rules],
    [
      "the user after results on a wire that takes it",
      "user u, assistant a, tool r, user v",
      { ...rules, userAfterTool: "accept" },
    ],
  ])("leaves %s as it is", (_, text, under) => {
    const items = listed(text);
    expect(inTurn(items, under)).toBe(items);
  });
});

describe("stretches meet: the order of roles", () => {
  const joined = (text: string, under = rules) => joinedStretches(text.split(" / ").map(listed), under, "own").join(", ");

  test.each<[string, string, string]>([
    ["of one is left", "user u, user v, assistant a, assistant b", "user u, user v, assistant a, assistant b"],
    ["user and user: one", "user u / user s / assistant a, user v", "user u + user s, assistant a, user v"],
    [
      "a later user is not joined to an earlier",
      "user u / user s / assistant a / user v",
      "user u + user s, assistant a, user v",
    ],
    ["two assistants: a notice", "user u, assistant a / assistant b", `user u, assistant a, ${notice}, assistant b`],
    ["declared text before another's user", "user s / system d / user u", "system d, user s + user u"],
    ["declared text before its own user stays there", "user s / system d, user u", "system d, user s + user u"],
    ["declared text of two stretches: one", "user s / system d / system e, user u", "system d + system e, user s + user u"],
    [
      "declared text that the caller has in a row",
      "user s / assistant a, system d, system e, user u",
      "user s, assistant a, system d, system e, user u",
    ],
    ["nothing before the assistant: a notice", " / assistant a", `${notice}, assistant a`],
  ])("%s", (_, stretches, expected) => {
    expect(joined(stretches)).toBe(expected);
  });

  test.each<[string, string, string]>([
    ["two become one", "user s / system d / system e, assistant a", "user s, system d + system e, assistant a"],
    [
      "behind the assistant the user comes first",
      "user u, assistant a / system d, assistant b",
      `user u, assistant a, ${notice}, system d, assistant b`,
    ],
    ["the user's words go before it", "user s / system d / user u", "user s + user u, system d"],
    [
      "the user's own stays before it",
      "user s / system d / user u, system e, assistant a",
      "user s + user u, system d + system e, assistant a",
    ],
  ])("where declared text stands alone behind the user, %s", (_, stretches, expected) => {
    expect(joined(stretches, { ...rules, system: "after-user" })).toBe(expected);
  });
});
