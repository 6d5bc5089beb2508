import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createDigest,
  PLIMSOLL_MODEL_POLICY,
  PlimsollError,
  type Policy,
  piPolicy,
  type SessionEntry,
  type SessionStore,
  svenPolicy,
} from "@plimsoll/core";
import { canonicalJson } from "@plimsoll/core/extend";
import { createFileSessionStore, createMemorySessionStore } from "@plimsoll/stores";
import { expect, test } from "vitest";
import { agentSetup, agentTool, echoCalls } from "../testing/agent-setup.ts";
import type { Agent } from "./agent.ts";
import { startAgent } from "./start-agent.ts";

const STEPS = 200;
const MINUTE_MS = 60_000;

/** How a run is played. */
interface Row {
  readonly policy: Policy;
  /** Model calls from one submit to the next. */
  readonly stepsEach: number;
  readonly store: () => SessionStore;
  /** Throws an agent away, and returns the store as a new process finds it. */
  readonly leave: (agent: Agent, store: SessionStore) => Promise<SessionStore>;
  /** The summaries that fail, counted from 0. */
  readonly fails?: (index: number) => boolean;
}

/** Plays all steps; a run that is killed begins anew from its log before each submit. */
async function play({ policy, stepsEach, store, leave, fails = () => false }: Row, how: "whole" | "killed") {
  /** How many requests the model had got when each summary was asked for. */
  const asked: number[] = [];
  let nowMs = 0;
  const digest = createDigest();
  const { options, model } = agentSetup((index) => ({ text: `Step ${index}.`, ...echoCalls(`c${index}`) }), {
    policy,
    maxSteps: stepsEach,
    nowMs: () => nowMs,
    tools: [agentTool("echo", async (_, { callId }) => ({ text: `${callId} was read\n`.repeat(60), isError: false }))],
    summarizer: async (request, signal) => {
      asked.push(model.requests().length);
      if (fails(asked.length - 1)) throw new PlimsollError("provider-failed", "the model is overloaded");
      return await digest(request, signal);
    },
  });
  let sessions = store();
  let agent = await startAgent({ ...options, sessions });
  for (let step = 0; step < STEPS; step += stepsEach) {
    // A long pause now and then.
    nowMs = (step + 30 * Math.floor(step / 16)) * MINUTE_MS;
    if (how === "killed" && step > 0) {
      sessions = await leave(agent, sessions);
      agent = await startAgent({ ...options, sessions, session: { kind: "resume", sessionId: "main" } });
    }
    await agent.submit(`Go on from step ${step}.`);
  }
  const entries = await agent.entries();
  await agent.close();
  return { asked, sent: model.requests().map(canonicalJson), entries };
}

/** The log in a store whose writer died with it. */
async function copied(
  _: Agent,
  store: SessionStore,
  isKept: (entry: SessionEntry) => boolean = () => true,
): Promise<SessionStore> {
  const [start, ...rest] = (await store.read("main"))?.entries ?? [];
  if (start?.type !== "session") throw new Error("a log begins with its session");
  const next = createMemorySessionStore();
  const writer = await next.create(start);
  await writer.append(rest.filter(isKept));
  await writer.close();
  return next;
}

const inMemory: Pick<Row, "store" | "leave"> = {
  store: createMemorySessionStore,
  leave: (agent, store) => copied(agent, store),
};

/** A process that dies leaves a lock, which the store's own tests take over; here it is let go. */
const inFiles = {
  store: () => {
    const folder = mkdtempSync(join(tmpdir(), "plimsoll-agent-"));
    return createFileSessionStore({ folder, sync: "on-close" });
  },
  leave: async (agent: Agent, store: SessionStore) => {
    await agent.close();
    return store;
  },
};

const SVEN = svenPolicy({ compaction_keep_recent: 1_500 });
const PI = piPolicy({ reserve_tokens: 2_000, keep_recent_tokens: 1_500 });
const POLICIES = [PLIMSOLL_MODEL_POLICY, SVEN, PI];

const count = (entries: readonly SessionEntry[], type: SessionEntry["type"]): number =>
  entries.filter((entry) => entry.type === type).length;

const rows = POLICIES.flatMap((policy): [string, Row][] => [
  [`${policy.name}, before every step, from memory`, { policy, stepsEach: 1, ...inMemory }],
  [`${policy.name}, before every fifth step, from files`, { policy, stepsEach: 5, ...inFiles }],
]);

test.each(rows)("%s: an agent that is killed sends the same and pays for no summary twice", async (_, row) => {
  const whole = await play(row, "whole");
  expect(await play(row, "killed")).toEqual(whole);
  expect(whole.sent).toHaveLength(STEPS);
  expect(whole.asked.length).toBeGreaterThan(3);
  expect(count(whole.entries, "compaction")).toBeGreaterThan(3);
});

const failing = (policy: Policy): Row => ({ policy, stepsEach: 1, ...inMemory, fails: (index) => index % 3 === 1 });

const OTHER_CUT: Policy = { ...PI, name: "pi with a cut priced by a measure of its own", cutEstimator: { kind: "char-class" } };

test.each([...POLICIES, OTHER_CUT].map((policy): [string, Policy] => [policy.name, policy]))(
  "%s: a killed agent asks for summaries that failed when one that was not killed does",
  async (_, policy) => {
    const whole = await play(failing(policy), "whole");
    expect(await play(failing(policy), "killed")).toEqual(whole);
    expect(whole.asked.length).toBeGreaterThan(count(whole.entries, "compaction"));
  },
);

test("what the log says of attempts is why: a log that lost them is asked about again", async () => {
  const row = failing(SVEN);
  const whole = await play(row, "whole");
  expect(count(whole.entries, "attempt")).toBeGreaterThan(3);
  const leave: Row["leave"] = (agent, store) => copied(agent, store, ({ type }) => type !== "attempt");
  expect((await play({ ...row, leave }, "killed")).asked).not.toEqual(whole.asked);
});
