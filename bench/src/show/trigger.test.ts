import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { triggerWords } from "./trigger.ts";

describe("triggerWords", () => {
  const [, none, sven] = exampleReport().policies;

  test.each([
    ["a share", sven?.policy, "at 75 % of the input budget"],
    ["never", none?.policy, null],
    ["what is no policy", { name: "x" }, null],
  ])("says %s", (_, policy, expected) => {
    expect(triggerWords(policy)).toBe(expected);
  });

  test("says amounts made of others", () => {
    const amounts = { minus: [{ ratio: 1, of: "window" }, { max: [{ tokens: 16_384 }, { ratio: 0.1, of: "window" }] }] };
    expect(triggerWords({ ...Object(sven?.policy), trigger: { above: amounts } })).toBe(
      "above the window less 16,384 tokens (at least 10 % of the window)",
    );
  });
});
