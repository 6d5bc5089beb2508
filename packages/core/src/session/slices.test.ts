import { describe, expect, test } from "vitest";
import type { FitOutcome } from "../engine/fit-input.ts";
import type { Message } from "../message/message.ts";
import type { GiveWay } from "../pace.ts";
import { SLICE_MESSAGES } from "../pace.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { createDigest } from "../summarizer/digest.ts";
import { calling, human, logOf, result } from "../testing/builders.ts";
import type { ContextManager } from "./context-manager.ts";
import { createContextManager } from "./context-manager.ts";
import type { ContextManagerOptions } from "./context-manager-options.ts";
import type { ContextEvent } from "./events.ts";

/** Steps of a call and its result, with a person's message before every tenth. */
function history(messageCount: number): readonly Message[] {
  const messages: Message[] = [];
  for (let step = 0; messages.length < messageCount; step++) {
    if (step % 10 === 0) messages.push(human(`u${step}`, `Please look at part ${step}, and never change the file before it.`));
    messages.push(calling(`a${step}`, [`c${step}`], `I look at part ${step} first.`));
    messages.push(result(`r${step}`, `c${step}`, `line of part ${step} `.repeat(20)));
  }
  return messages;
}

const MESSAGES = 3 * SLICE_MESSAGES;
const LONG = history(MESSAGES);
const MODEL = { contextWindowTokens: 60_000, maxOutputTokens: 4000 } as const;
const INPUT = { gate: "before-step", pending: [], model: MODEL, nowMs: null } as const;
const POLICIES = [PLIMSOLL_POLICY, SVEN_POLICY, PI_POLICY];

function session(options: Partial<ContextManagerOptions>, messages: readonly Message[] = LONG) {
  const events: ContextEvent[] = [];
  const manager = createContextManager({
    policy: PLIMSOLL_POLICY,
    summarizer: createDigest(undefined, null),
    entries: logOf(messages),
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { manager, events };
}

const compact = (manager: ContextManager, signal = new AbortController().signal): Promise<FitOutcome> =>
  manager.fit({ ...INPUT, now: { reason: "manual", keep: null } }, signal);

/** The messages, each counted when one of its texts is read. */
function watched(messages: readonly Message[], read: Set<string>): readonly Message[] {
  const part = (id: string, value: Message["parts"][number]) =>
    new Proxy(value, {
      get: (target, key) => {
        if (key === "text") read.add(id);
        return Reflect.get(target, key);
      },
    });
  return messages.map((message): Message => {
    switch (message.role) {
      case "user":
      case "tool-result":
        return {
          ...message,
          parts: message.parts.map((each) => part(message.id, each)).filter((each) => each.type === "text"),
        };
      case "assistant":
        return {
          ...message,
          parts: message.parts.map((each) => part(message.id, each)).filter((each) => each.type !== "image"),
        };
      default:
        return message satisfies never;
    }
  });
}

describe("a compaction of a long session", () => {
  test.each(POLICIES.map((policy) => [policy.name, policy] as const))(
    "under %s comes to the same bytes whether it rests or not",
    async (_, policy) => {
      let rests = 0;
      const giveWay: GiveWay = async () => {
        rests += 1;
      };
      const resting = session({ policy, giveWay });
      const hasty = session({ policy, giveWay: null });
      const outcomes = [await compact(resting.manager), await compact(hasty.manager)];
      expect(JSON.stringify(outcomes[0])).toBe(JSON.stringify(outcomes[1]));
      expect(outcomes[0]?.kind).toBe("compacted");
      expect(rests).toBeGreaterThanOrEqual(MESSAGES / SLICE_MESSAGES);
      expect(JSON.stringify(resting.manager.context())).toBe(JSON.stringify(hasty.manager.context()));
    },
  );

  test("reads the texts of no more messages between two rests than two slices have: its own, and one of the digest that it asks", async () => {
    const read = new Set<string>();
    const slices: number[] = [];
    const giveWay: GiveWay = async () => {
      slices.push(read.size);
      read.clear();
    };
    const { manager } = session(
      { policy: SVEN_POLICY, giveWay, summarizer: createDigest(undefined, giveWay) },
      watched(LONG, read),
    );
    read.clear();
    await compact(manager);
    slices.push(read.size);
    expect(Math.max(...slices)).toBeLessThanOrEqual(2 * SLICE_MESSAGES);
    expect(slices.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(MESSAGES);
  });

  test("says at each rest how much it has visited, between its start and its end", async () => {
    const { manager, events } = session({ giveWay: () => Promise.resolve() });
    await compact(manager);
    const told = events.flatMap((event) => (event.type === "compaction-progress" ? [event] : []));
    expect(events.map(({ type }) => type)).toEqual([
      "compaction-start",
      ...told.map(() => "compaction-progress"),
      "compaction-end",
    ]);
    expect(told.length).toBeGreaterThan(0);
    const visited = told.map(({ messagesVisited }) => messagesVisited);
    expect(visited).toEqual(visited.toSorted((a, b) => a - b));
    expect(told.every(({ messagesBefore }) => messagesBefore === LONG.length)).toBe(true);
  });

  test("a short one never rests", async () => {
    const { manager, events } = session({ giveWay: () => Promise.reject(new Error("rested")) }, history(50));
    expect((await compact(manager)).kind).toBe("compacted");
    expect(events.map(({ type }) => type)).toEqual(["compaction-start", "compaction-end"]);
  });

  test.each([1, 3])("ends when its signal aborts in rest %i, and changes nothing", async (wanted) => {
    const controller = new AbortController();
    let rests = 0;
    const giveWay: GiveWay = async () => {
      rests += 1;
      if (rests === wanted) controller.abort(new Error("enough"));
    };
    const { manager, events } = session({ giveWay });
    const before = manager.view();
    await expect(compact(manager, controller.signal)).rejects.toThrow("enough");
    expect(rests).toBe(wanted);
    expect(manager.view()).toBe(before);
    expect(events.at(-1)?.type).toBe("compaction-failed");
  });

  test.each(POLICIES.map((policy) => [policy.name, policy] as const))(
    "what is appended while it rests stays behind it under %s, is not recalled, and is no work of it",
    async (_, policy) => {
      const late = "a line that was said while the compaction rested";
      let rests = 0;
      const giveWay: GiveWay = async () => {
        rests += 1;
        manager.append({ type: "message", message: result(`late-r${rests}`, `late-c${rests}`, `${late} ${rests}`) });
      };
      const { manager } = session({ policy, giveWay });
      const quiet = session({ policy, giveWay: null });
      const outcome = await compact(manager);
      const alone = await compact(quiet.manager);
      const ids = manager.context().messages.map(({ id }) => id);
      const expected = quiet.manager.context().messages.map(({ id }) => id);
      const fresh = Array.from({ length: rests }, (_each, index) => `late-r${index + 1}`);
      expect(rests).toBeGreaterThan(0);
      expect(ids.slice(-rests)).toEqual(fresh);
      expect(ids.length).toBe(expected.length + rests);
      expect(JSON.stringify(outcome)).not.toContain(late);
      expect(workOf(outcome)).toEqual(workOf(alone));
    },
  );
});

function workOf(outcome: FitOutcome) {
  return outcome.kind === "compacted" ? outcome.entry.record.work : null;
}
