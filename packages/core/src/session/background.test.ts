import { describe, expect, test } from "vitest";
import { SMALL_POLICY, SMALL_WINDOW, turns } from "../../testing/small-session.ts";
import type { Message } from "../message/message.ts";
import type { Policy } from "../policy/policy.ts";
import type { Summarizer } from "../ports.ts";
import { logOf, never } from "../testing/builders.ts";
import { muchLater } from "../testing/scripted-ports.ts";
import { type Usage, usageOf } from "../usage.ts";
import type { ContextEvent } from "./events.ts";
import { createSession } from "./open-session.ts";

const at = { gate: "before-step", pending: [], model: SMALL_WINDOW } as const;
const PREPARING: Policy = { ...SMALL_POLICY, prepare: { atLeast: { tokens: 6000 } } };

/** A conversation whose summaries are written when the test says so. */
function conversationOf(messages: readonly Message[], policy: Policy, usage: Usage | null = null) {
  const asked: { readonly write: (text: string) => void; readonly fail: () => void }[] = [];
  const events: ContextEvent[] = [];
  const summarizer: Summarizer = () =>
    new Promise((resolve, reject) => {
      asked.push({
        write: (text) => resolve({ text, usage, stopReason: "end" }),
        fail: () => reject(new Error("the model is overloaded")),
      });
    });
  const conversation = createSession({
    policy,
    summarizer,
    nowMs: () => 7,
    entries: logOf(messages),
    writer: null,
    onEvent: (event) => events.push(event),
  });
  const say = (...more: readonly Message[]) => {
    for (const message of more) conversation.append({ type: "message", message });
  };
  const ids = () => conversation.context().messages.map(({ id }) => id);
  return { conversation, asked, events, say, ids };
}

/** One whose summary is being prepared. */
async function preparing(usage: Usage | null = null) {
  const made = conversationOf(turns(6), PREPARING, usage);
  expect(await made.conversation.fit(at, never)).toEqual({ kind: "unchanged", off: null });
  await muchLater();
  return made;
}

/** Compacts by hand without it. */
async function compactedWithout({ conversation, asked }: ReturnType<typeof conversationOf>) {
  const compacted = conversation.fit({ ...at, now: { reason: "manual", keep: { messages: 2 } } }, never);
  await muchLater();
  asked[1]?.write("by hand");
  expect(await compacted).toMatchObject({ kind: "compacted" });
}

describe("while a conversation goes on", () => {
  test("a summary is prepared from its line on, and the conversation does not wait for it", async () => {
    const { asked, ids } = await preparing();
    expect([asked.length, ids().length]).toEqual([1, 12]);
  });

  test.each<[string, readonly Message[], Policy]>([
    ["below the line", turns(5), PREPARING],
    ["by a policy without one", turns(7), SMALL_POLICY],
  ])("none is prepared %s", async (_, messages, policy) => {
    const { conversation, asked } = conversationOf(messages, policy);
    await conversation.fit(at, never);
    await muchLater();
    expect(asked).toEqual([]);
  });

  test("it is asked for once, however many gates follow, and swapped in when the policy acts", async () => {
    const { conversation, asked, say, ids } = await preparing();
    await conversation.fit(at, never);
    asked[0]?.write("what happened");
    await conversation.prepared();
    await conversation.fit(at, never);
    say(...turns(2, 6));
    expect(await conversation.fit(at, never)).toMatchObject({
      entry: { record: { steps: [{ strategy: "prepared", outcome: "applied" }] } },
    });
    expect([asked.length, ids().length]).toEqual([1, 11]);
  });

  test("one that is being written when the policy acts is waited for: it would be paid for twice", async () => {
    const { conversation, asked, say } = conversationOf(turns(6), PREPARING);
    await conversation.fit(at, never);
    say(...turns(2, 6));
    const fitted = conversation.fit(at, never);
    await muchLater();
    expect(asked).toHaveLength(1);
    asked[0]?.write("what happened");
    expect(await fitted).toMatchObject({ kind: "compacted" });
    expect(asked).toHaveLength(1);
  });

  test("whoever gives up then is not held up by it", async () => {
    const { conversation, say } = conversationOf(turns(6), PREPARING);
    await conversation.fit(at, never);
    say(...turns(2, 6));
    const abort = new AbortController();
    const fitted = conversation.fit(at, abort.signal);
    await muchLater();
    abort.abort(new Error("enough"));
    await expect(fitted).rejects.toThrow("enough");
  });

  test("one that failed changes nothing: the policy asks when it acts, and none is prepared before that", async () => {
    const { conversation, asked, say, ids } = await preparing();
    asked[0]?.fail();
    await conversation.prepared();
    await conversation.fit(at, never);
    expect([asked.length, ids().length]).toEqual([1, 12]);
    say(...turns(2, 6));
    const fitted = conversation.fit(at, never);
    await muchLater();
    asked[1]?.write("what happened");
    expect(await fitted).toMatchObject({ entry: { record: { steps: [{ strategy: "summarize", outcome: "applied" }] } } });
  });

  test("one that is still being written when the conversation is closed changes nothing any more", async () => {
    const { conversation, asked } = await preparing();
    await conversation.close();
    asked[0]?.write("what was written too late");
    await muchLater();
    expect(conversation.entries()).toHaveLength(13);
  });
});

describe("a summary that was ready and is never used is told once, with what it took,", () => {
  const usage = usageOf({ uncachedTokens: 4_000, outputTokens: 300 });
  const unused = [{ type: "summary-unused", usage }];
  const ready = async () => {
    const made = await preparing(usage);
    made.asked[0]?.write("what happened");
    await made.conversation.prepared();
    return { ...made, told: () => made.events.filter(({ type }) => type === "summary-unused") };
  };

  test("if the session is compacted without it", async () => {
    const { told, ...made } = await ready();
    await compactedWithout(made);
    expect(told()).toEqual(unused);
    await made.conversation.close();
    expect(told()).toEqual(unused);
  });

  test("if the conversation is closed", async () => {
    const { conversation, told } = await ready();
    expect(told()).toEqual([]);
    await conversation.close();
    await conversation.close();
    expect(told()).toEqual(unused);
  });

  test("if it was written after the session was compacted without it", async () => {
    const made = await preparing(usage);
    await compactedWithout(made);
    made.asked[0]?.write("what was written too late");
    await muchLater();
    expect(made.events.filter(({ type }) => type === "summary-unused")).toEqual(unused);
  });

  test("and not if it is used", async () => {
    const { conversation, told, say } = await ready();
    say(...turns(2, 6));
    expect(await conversation.fit(at, never)).toMatchObject({ kind: "compacted" });
    await conversation.close();
    expect(told()).toEqual([]);
  });

  test("nor if it failed: that is told with what its answers took", async () => {
    const { conversation, asked, events } = await preparing(usage);
    asked[0]?.write(" ");
    await conversation.prepared();
    await conversation.close();
    expect(events.filter(({ type }) => type.startsWith("summary-"))).toMatchObject([
      { type: "summary-prepared", outcome: "failed", usage },
    ]);
  });
});

test("a session whose caller gives prepared summaries prepares none by itself", async () => {
  let asked = 0;
  const summarizer: Summarizer = async () => {
    asked += 1;
    return { text: "what happened", usage: null, stopReason: "end" };
  };
  const own = createSession({
    policy: PREPARING,
    summarizer,
    prepared: async () => null,
    entries: logOf(turns(6)),
    writer: null,
  });
  await own.fit(at, never);
  await muchLater();
  expect(asked).toBe(0);
});

test("an undo has the clock's time", async () => {
  const { conversation, asked } = conversationOf(turns(6), SMALL_POLICY);
  const cut = conversation.fit({ ...at, now: { reason: "manual", keep: null } }, never);
  await muchLater();
  asked[0]?.write("what happened");
  expect((await cut).kind).toBe("compacted");
  expect((await conversation.undo()).atMs).toBe(7);
});
