import { type CompactionEntry, createDigest, createSession, PLIMSOLL_POLICY, usageOf } from "@plimsoll/core";
import { human, never, reply, sessionStart, usageEntry } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { DROP_INS, type DropInKind } from "../../testing/array-drop-ins.ts";
import { modelPriors } from "../priors/model-priors.ts";
import type { ContractTurn } from "../testing/index.ts";

const MINUTE_MS = 60_000;
const WORDS = "and so on ";
const limits = { contextWindowTokens: 16_000, maxOutputTokens: 1_000 };

/** 32 messages of a person, with the time at each; together nine tenths of the input budget. */
const texts = Array.from({ length: 32 }, (_, index) => `${index}: ${WORDS.repeat(140)}`);
const [everyTwoHours, atOnce, withoutClock] = [(index: number) => index * 120 * MINUTE_MS, () => 0, () => null];
type Clock = (index: number) => number | null;

/** Counts tokens as the provider does: the same for every form of the same messages. */
const tokensIn = (json: string): number => 3 * (json.split(WORDS).length - 1);

/** Why each compaction was made, and when. */
type Made = readonly [reason: string, atMs: number | null];
const made = ({ record, atMs }: CompactionEntry): Made => [record.reason, atMs];

async function byContextManager(clock: Clock): Promise<readonly Made[]> {
  const session = createSession({ policy: PLIMSOLL_POLICY, summarizer: createDigest(), modelPriors });
  session.append(sessionStart());
  for (const [index, text] of texts.entries()) {
    const nowMs = clock(index);
    const submitted = human(`u${index}`, text);
    await session.fit({ gate: "before-submit", pending: [submitted], model: limits, nowMs }, never);
    session.append({ type: "message", message: submitted });
    await session.fit({ gate: "before-step", pending: [], model: limits, nowMs }, never);
    const totalInputTokens = tokensIn(JSON.stringify(session.context().messages));
    const { viewHash } = session.view();
    const report = { ...usageEntry(`request-${index}`, submitted.id, 0), viewHash, atMs: nowMs };
    session.append({ ...report, modelId: "simulated", usage: usageOf({ totalInputTokens, outputTokens: 10 }) });
    session.append({ type: "message", message: reply(`a${index}`, "seen") });
  }
  return session.entries().flatMap((entry) => (entry.type === "compaction" ? [made(entry)] : []));
}

async function byDropIn(kind: DropInKind, clock: Clock): Promise<readonly Made[]> {
  const compactions: Made[] = [];
  let step = 0;
  const dropIn = kind.open({
    policy: PLIMSOLL_POLICY,
    limits: { ...limits, contextWindowTokens: 16_000 },
    nowMs: () => clock(step),
    onEvent: (event) => {
      if (event.type === "compaction-end") compactions.push(made(event.entry));
    },
  });
  const turns = texts.map((text, index): ContractTurn => ({ kind: "human", text, before: index === 0 ? null : "seen" }));
  for (; step < turns.length; step++)
    await dropIn.send({ turns: turns.slice(0, step + 1), provider: async (json) => tokensIn(json) });
  return compactions;
}

test.each(DROP_INS)("$name: 32 messages two hours apart are compacted as often as in a session of the engine", async (kind) => {
  const direct = await byContextManager(everyTwoHours);
  expect(direct.length).toBeGreaterThan(0);
  expect(await byDropIn(kind, everyTwoHours)).toEqual(direct);
});

test.each([
  ["at once", atOnce],
  ["without a clock", withoutClock],
] as const)("the same messages %s are compacted nowhere: the pause alone is the reason", async (_, clock) => {
  expect(await byContextManager(clock)).toEqual([]);
  for (const kind of DROP_INS) expect([kind.name, await byDropIn(kind, clock)]).toEqual([kind.name, []]);
});
