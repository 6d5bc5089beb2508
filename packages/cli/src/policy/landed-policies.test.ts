import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@plimsoll/core/internal";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readPolicyFile } from "./read-policy-file.ts";

/** Policies as the first version printed and read them. */
const FOLDER = join(import.meta.dirname, "../../../../fixtures/landed/1/policies");

const policyOf = (file: string) => {
  const read = readPolicyFile(join(FOLDER, file), file);
  return "found" in read ? read.found.policy : expect.fail(read.problems.join("\n"));
};

/** Those that write out every value; the others are taken over from a preset. */
const whole = readdirSync(FOLDER).filter((file) => !/^(knobs|preset)-/.test(file));

describe("a policy that the first version wrote out", () => {
  test("is there for each of its eleven presets", () => {
    expect(whole).toHaveLength(11);
  });

  test.each(whole)("%s says what it said: more may have been added, nothing is lost or changed", (file) => {
    const written: unknown = parse(readFileSync(join(FOLDER, file), "utf8"));
    expect(policyOf(file)).toMatchObject(isRecord(written) ? written : expect.fail(file));
  });
});

describe("a policy as people wrote it for the first version", () => {
  test.each([
    [
      "knobs-agent.yaml",
      {
        name: "tuned-sven",
        keep: { messages: 9 },
        truncation: { capTokens: 2000 },
        summary: { sections: [] },
        trigger: { atLeast: { ratio: expect.closeTo(0.7, 6), of: "input-budget" } },
      },
    ],
    ["knobs-compaction.yaml", { name: "knobs-compaction", unknownWindow: { tokens: 100_000 } }],
    [
      "preset-changed.yaml",
      {
        name: "earlier",
        trigger: { atLeast: { ratio: 0.6, of: "input-budget" } },
        keep: { messages: 8 },
        truncation: null,
        summary: { role: "assistant" },
      },
    ],
  ])("%s is read as it was", (file, values) => {
    expect(policyOf(file)).toMatchObject(values);
  });
});
