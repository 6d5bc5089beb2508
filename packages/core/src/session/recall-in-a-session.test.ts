import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { SessionEntry } from "../entry.ts";
import { defineKeepRule } from "../keep/keep-rule.ts";
import type { KindSpec } from "../kind.ts";
import { createDigest } from "../memory/digest.ts";
import { isHuman, type Message, textOf } from "../message/message.ts";
import { BUILT_IN_KINDS, type Kinds, withKinds } from "../policy/kinds.ts";
import type { Policy } from "../policy/policy.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import { assistant, callPart, compaction, human, logOf, result, sessionStart } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import { createSession } from "./open-session.ts";

const OURS = PRESETS.filter(({ name }) => name.startsWith("plimsoll"));
const CONSTRAINT = "Never push to the branch `release/7`, and keep tabs in all files.";
const model = { contextWindowTokens: 32_000, maxOutputTokens: 2000 };

/** One step: a call that reads a file, and the file. */
function reading(step: number): readonly Message[] {
  const path = `src/part-${step}.ts`;
  const text = Array.from({ length: 120 }, (_, line) => `export const part${step}Value${line} = compute(${line});`).join("\n");
  return [
    assistant(`a${step}`, [
      callPart(`c${step}`, "tool", { argumentsJson: JSON.stringify({ path }), paths: [{ path, access: "read" }] }),
    ]),
    result(`r${step}`, `c${step}`, text),
  ];
}

/** A session that reads files, with a word from the person at every other one, until it was cut so often. */
async function cutSession(policy: Policy, cuts: number, kinds: Kinds = BUILT_IN_KINDS): Promise<readonly Message[]> {
  const manager = createSession({ policy, kinds, summarizer: createDigest() });
  manager.append(sessionStart());
  manager.append({ type: "message", message: human("first", CONSTRAINT) });
  for (let step = 0; manager.view().activeCompactions.length < cuts; step++) {
    const asked = step % 2 === 1 ? [human(`u${step}`, `Now part ${step}.`)] : [];
    for (const message of [...asked, ...reading(step)]) manager.append({ type: "message", message });
    await manager.fit({ gate: "before-step", pending: [], model, nowMs: null }, new AbortController().signal);
  }
  return manager.context().messages;
}

describe.each(OURS.map((policy) => [policy.name, policy] as const))("%s", (_, policy) => {
  test("what the person said first is there, word for word, after five cuts in 32k", async () => {
    const messages = await cutSession(policy, 5);
    expect(messages.findLast(isHuman)?.id).toMatch(/^u/);
    expect(messages.map(textOf).filter((text) => text.includes(CONSTRAINT)).length).toBeGreaterThan(0);
  });
});

test("a rule of one's own recalls what left cuts ago, under its handle and word for word", async () => {
  const OLDEST = defineKeepRule<KindSpec>({
    kind: "oldest",
    schema: z.strictObject({ kind: z.literal("oldest") }),
    rule: () => ({ keeps: "units", atMost: { tokens: 3000 }, worth: ({ ageChars }) => ageChars ** 9 }),
  });
  const policy = { ...PLIMSOLL_POLICY, keep: [...PLIMSOLL_POLICY.keep.slice(0, 1), { kind: "oldest" }] };
  const messages = await cutSession(policy, 4, withKinds({ keepRules: [OLDEST] }));
  const shown = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
  const recalled = shown.filter((text) => text.startsWith("<recalled>")).join("\n");
  expect(recalled).toContain(
    "\n[tool src/part-0.ts; handle r0]\nexport const part0Value0 = compute(0);\nexport const part0Value1",
  );
  expect(shown.filter((text) => text.includes("part0Value1 ")).length).toBe(1);
});

test("no entry that is appended has messages looked at for recall, a compaction no more than others", () => {
  const text = "The port is 4711.";
  const scanned = (...more: readonly SessionEntry[]) => {
    const work = createWorkCounter();
    const entries = [sessionStart(), ...logOf([human("u", text)]), ...more];
    createSession({ policy: PLIMSOLL_POLICY, summarizer: createDigest(), entries, work });
    return work.total().charactersScanned;
  };
  expect([scanned(), scanned(compaction("c", []))]).toEqual([text.length, text.length]);
});
