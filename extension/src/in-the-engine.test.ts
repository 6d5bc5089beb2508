import { createContextManager, createDigest, type Message, PI_POLICY, type Policy } from "@plimsoll/core";
import { policySchema, withKinds } from "@plimsoll/core/build";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import extension from "./bench-extension.ts";
import type { PromisesSpec } from "./parts/keep-rule.ts";
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
    expect(schema.safeParse(POLICY).success).toBe(true);
    expect(schema.safeParse({ ...POLICY, strategies: [{ kind: "forget", keepMessages: -1 }] }).success).toBe(false);
  });

  test("refuses them if they are not there", () => {
    expect(policySchema(withKinds({})).safeParse(POLICY).success).toBe(false);
  });
});

describe("a keep rule from outside", () => {
  const chat = Array.from({ length: 40 }, (_, index): Message => {
    const text = `${index === 5 ? "I promise to write tests. " : ""}${"word ".repeat(200)}`;
    const said = { id: `m${index}`, parts: [{ type: "text", text }], atMs: null } as const;
    return index % 2 === 0
      ? { ...said, role: "user", origin: "human" }
      : { ...said, role: "assistant", origin: "model", modelId: null, requestId: null, stopReason: "end" };
  });
  const idsWith = async (keep: Policy["keep"]) => {
    const manager = createContextManager({ policy: { ...PI_POLICY, keep }, kinds: KINDS, summarizer: createDigest() });
    for (const message of chat) manager.append({ type: "message", message });
    const model = { contextWindowTokens: 8000, maxOutputTokens: null };
    await manager.fit({ gate: "before-step", pending: [], model, nowMs: null }, new AbortController().signal);
    return manager.context().messages.map(({ id }) => id);
  };

  test("is obeyed: what it keeps stays, and without it goes", async () => {
    const recent = { kind: "recent", messages: 4 };
    const promises: PromisesSpec = { kind: "promises", atMost: { tokens: 1000 } };
    const kept = await idsWith([recent, promises]);
    expect([kept.includes("m5"), kept.includes("m7")]).toEqual([true, false]);
    expect(await idsWith([recent])).not.toContain("m5");
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
  const run = () => createContextManager({ policy: { ...PI_POLICY, estimator: POLICY.estimator }, summarizer: createDigest() });
  expect(run).toThrow(expect.objectContaining({ code: "bad-policy" }));
});
