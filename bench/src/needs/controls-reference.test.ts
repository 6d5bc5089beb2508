import { join } from "node:path";
import { type Message, PI_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import type { EnginePolicy } from "@plimsoll/core/extend";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { referenceHeld, referenceTail, referenceTailOfSize } from "../../testing/reference-controls.ts";
import { type ReadMessage, readMessage, referenceUses } from "../../testing/reference-measures.ts";
import { importFile } from "../formats/registry.ts";
import { cellOf } from "../replay/cell.ts";
import { drive } from "../replay/drive.ts";
import { type PreparedSession, prepareSession } from "../replay/prepared-session.ts";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import { createHeldReplay } from "./controls.ts";
import { createContextChanges } from "./needles.ts";

const SESSIONS = join(import.meta.dirname, "../../../fixtures/sessions");

const KINDS = ["edits", "passages", "fileInHand", "instructions"] as const;

async function sessionOf(path: string): Promise<PreparedSession> {
  const [transcript] = await importFile(path);
  if (transcript === undefined) throw new Error(`no session in ${path}`);
  return prepareSession(transcript);
}

/** The tail that the bench made for a replay, and the slow one of the same amount and of the same size. */
async function bothTails(session: PreparedSession, policy: EnginePolicy, roomTokens: number) {
  const { entries, references, sizeJudge } = session;
  const history = entries.flatMap((entry) =>
    entry.type === "message" && references.ordinalOf(entry.message) !== null ? [readMessage(entry.message)] : [],
  );
  const ordinalOf = (reply: Message) => references.ordinalOf(reply) ?? 0;
  const cell = cellOf(session, { policy, window: { kind: "working-room", tokens: roomTokens }, catalog: MODEL_CATALOG });
  const held = createHeldReplay(session);
  const answered: { readonly sent: ReplayedCall; readonly reply: Message; readonly earlier: readonly ReadMessage[] }[] = [];
  const changesTo = createContextChanges();
  await drive(session, cell, (sent) => {
    const { reply, context, lost } = sent;
    if (reply === null) return;
    held.add(sent, { ordinal: ordinalOf(reply), shown: lost ? null : changesTo(context) });
    answered.push({ sent, reply, earlier: history.slice(0, ordinalOf(reply)) });
  });
  const calls = answered.map(({ sent, earlier }) => ({ ...sent, history: earlier.map(({ message }) => message) }));
  const question = { calls, sizeJudge };
  const uses = answered.map(({ reply, earlier }) => {
    const used = references.usesOf(reply).map(({ reference }) => references.references[reference] ?? "");
    return referenceUses({ reply, earlier, references: used });
  });
  const tail = held.controls().tail;
  const slow = referenceTail(question, tail.amountTokens ?? Number.POSITIVE_INFINITY);
  const readOf = new Map<Message, ReadMessage>(history.map((read) => [read.message, read]));
  const contexts = slow.contexts.map((context) => context.flatMap((message) => readOf.get(message) ?? []));
  return {
    goalTokens: calls.reduce((sum, { promptTokens }) => sum + promptTokens, 0) / calls.length,
    tail,
    slow,
    slowOfSize: referenceTailOfSize(question),
    slowHeld: KINDS.map((kind) => referenceHeld(contexts, (place) => uses[place] ?? [], kind)),
  };
}

/** How near to the policy's size a tail must come (docs/evidence.md), if whole messages allow it. */
const NEAR_RATIO = 0.01;

test.each([
  ["bug-hunt.jsonl", PLIMSOLL_POLICY],
  ["bug-hunt.jsonl", PI_POLICY],
  ["conversation.jsonl", PLIMSOLL_POLICY],
  ["conversation.jsonl", PI_POLICY],
  ["tour-and-feature.jsonl", PLIMSOLL_POLICY],
  ["tour-and-feature.jsonl", PI_POLICY],
])("the tail of %s agrees with a slow reading of the protocol: %#", async (file, policy) => {
  const { goalTokens, tail, slow, slowOfSize, slowHeld } = await bothTails(
    await sessionOf(join(SESSIONS, file)),
    policy,
    16_000,
  );
  expect(tail.meanPromptTokens).toBeCloseTo(slow.meanPromptTokens, 6);
  expect(KINDS.map((kind) => tail.result(kind).all)).toEqual(slowHeld);
  const nearTokens = Math.max(NEAR_RATIO * goalTokens, Math.abs(slowOfSize.meanPromptTokens - goalTokens));
  expect(Math.abs(tail.meanPromptTokens - goalTokens)).toBeLessThanOrEqual(nearTokens);
});
