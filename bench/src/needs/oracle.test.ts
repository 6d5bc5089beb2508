import { join } from "node:path";
import { PI_POLICY, PLIMSOLL_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { cellOf } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import { importFile } from "../formats/registry.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { createHeldReplay, type HeldReplay } from "./controls.ts";
import { createContextChanges } from "./needles.ts";

const SESSIONS = join(import.meta.dirname, "../../../fixtures/sessions");

async function replayed(file: string, policy: Policy): Promise<HeldReplay> {
  const [transcript] = await importFile(join(SESSIONS, file));
  if (transcript === undefined) throw new Error(`no session in ${file}`);
  const session = prepareSession(transcript);
  const held = createHeldReplay(session);
  const cell = cellOf(session, { policy, window: { kind: "working-room", tokens: 16_000 }, catalog: MODEL_CATALOG });
  const changesTo = createContextChanges();
  await drive(session, cell, (sent) => {
    const { reply, context, lost } = sent;
    if (reply === null) return;
    held.add(sent, { ordinal: session.references.ordinalOf(reply) ?? 0, shown: lost ? null : changesTo(context) });
  });
  return held;
}

/** Returns the shares held of edits and passages, of all and of far ones. */
function heldBy(side: Pick<HeldReplay, "result">): readonly number[] {
  return (["edits", "passages"] as const).flatMap((kind) => [side.result(kind).all.held, side.result(kind).far.held]);
}

const FILES = ["bug-hunt.jsonl", "conversation.jsonl", "tour-and-feature.jsonl"];

test.each(FILES.flatMap((file) => [PLIMSOLL_POLICY, PI_POLICY].map((policy) => ({ file, name: policy.name, policy }))))(
  "of edits and passages the oracle holds as much as $name and its tail, in $file",
  async ({ file, policy }) => {
    const held = await replayed(file, policy);
    const { tail, oracle } = held.controls();
    const least = heldBy(held).map((own, place) => Math.max(own, heldBy(tail)[place] ?? 0));
    expect(heldBy(oracle).map((most, place) => Math.min(most, least[place] ?? 0))).toEqual(least);
  },
);

test("but for a policy that cuts results on arrival: the oracle has them whole, so that there may be no room for a quote", async () => {
  const { oracle } = (await replayed("bug-hunt.jsonl", SVEN_POLICY)).controls();
  expect(oracle.amountTokens).toBe(0);
  expect(oracle.meanPromptTokens).toBeGreaterThan(oracle.policyPromptTokens);
});
