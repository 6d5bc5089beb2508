import { createDigest, createSession, PI_POLICY, type Policy } from "@plimsoll/core";
import { policySchema, withKinds } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import extension from "./bench-extension.ts";
import { HASTY } from "./parts/peer.ts";
import { WRITE_POEM } from "./parts/tool.ts";

const KINDS = withKinds(extension);
const POLICY: Policy = HASTY.policy;

describe("the policy's schema", () => {
  test("has the kinds that were added, and refuses their settings if they are wrong", () => {
    const schema = policySchema(KINDS);
    const json = JSON.stringify(z.toJSONSchema(schema));
    expect(json).toContain('"forget"');
    expect(json).toContain('"plain"');
    expect(json).toContain('"opening"');
    expect(schema.safeParse(POLICY).success).toBe(true);
    expect(schema.safeParse({ ...POLICY, strategies: [{ kind: "forget", keepMessages: -1 }] }).success).toBe(false);
  });

  test("refuses them if they are not there", () => {
    expect(policySchema(withKinds({})).safeParse(POLICY).success).toBe(false);
  });
});

test("a name that is taken is refused", () => {
  expect(() => withKinds({ prompts: [{ id: "checkpoint", version: 9, instructions: () => "" }] })).toThrow(
    expect.objectContaining({ code: "bad-policy" }),
  );
});

test("a tool's own category is cut by the truncation that was given for it", () => {
  expect(KINDS.truncations.map(({ category }) => category)).toContain(WRITE_POEM.category);
});

test("a policy of kinds that are not there is refused when it runs", () => {
  const run = () => createSession({ policy: { ...PI_POLICY, estimator: POLICY.estimator }, summarizer: createDigest() });
  expect(run).toThrow(expect.objectContaining({ code: "bad-policy" }));
});
