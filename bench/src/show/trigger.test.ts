import { type Amount, NONE_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { triggerWords } from "./trigger.ts";

describe("triggerWords", () => {
  test.each([
    ["a share", SVEN_POLICY, "at 75% of the input budget"],
    [
      "a share of the space for messages",
      PLIMSOLL_POLICY,
      "from 25% of the space for messages if that saves money, at the latest in a full window",
    ],
    ["never", NONE_POLICY, null],
  ])("says %s", (_, policy, expected) => {
    expect(triggerWords(policy)).toBe(expected);
  });

  test("says amounts made of others", () => {
    const amounts: Amount = {
      minus: [{ ratio: 1, of: "window" }, { max: [{ tokens: 16_384 }, { ratio: 0.1, of: "window" }] }],
    };
    expect(triggerWords({ ...SVEN_POLICY, trigger: { above: amounts } })).toBe(
      "above the window less 16,384 tokens (at least 10% of the window)",
    );
  });
});
