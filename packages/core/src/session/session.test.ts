import { describe, expect, test, vi } from "vitest";
import { SMALL_WINDOW, smallSession, stepsOf, turns, words } from "../../testing/small-session.ts";
import type { FitInput } from "../engine/fit-input.ts";
import { PlimsollError } from "../error.ts";
import { type Message, sharedPrefixCount, textOf } from "../message/message.ts";
import type { Policy } from "../policy/policy.ts";
import { SVEN_LENGTH_ESTIMATE, SVEN_POLICY } from "../policy/presets/sven.ts";
import type { Summarizer } from "../ports.ts";
import { human, never, reply, usageEntry } from "../testing/builders.ts";
import { decodeLog, encodeLog } from "./codec.ts";
import { createSession } from "./open-session.ts";
import type { Session, SessionOptions } from "./session.ts";

const POLICY: Policy = { ...SVEN_POLICY, facts: { maxTokens: 0 } };
const SWITCHING = { gate: "before-submit", pending: [], model: SMALL_WINDOW, nowMs: null } as const;
const rejects: Summarizer = () => Promise.reject(new PlimsollError("summary-failed", "no reply"));
const works: Summarizer = () => Promise.resolve({ text: "what happened", usage: null, stopReason: "end" });
/** An outcome that compacted, with these facts in its record. */
const compacted = (record: object) => ({ kind: "compacted", entry: { record } });

/** A small session that is fitted when a message is submitted. */
function session(messages: readonly Message[], options: Partial<SessionOptions> = {}) {
  const opened = smallSession(messages, { policy: POLICY, ...options });
  return { ...opened, fit: (more: Partial<FitInput> = {}) => opened.fit({ gate: "before-submit", ...more }) };
}

describe("a threshold", () => {
  test("below it nothing happens, and nothing is said", async () => {
    const { fit, events, ids } = session(turns(7));
    const before = ids();
    expect(await fit()).toEqual({ kind: "unchanged", off: null });
    expect([events, ids()]).toEqual([[], before]);
  });

  test("it is said when it begins and when it ends", async () => {
    const { fit, events } = session(turns(8));
    const outcome = await fit();
    expect(events).toEqual([
      { type: "compaction-start", reason: "threshold", estimator: expect.any(String), tokensBefore: 8000, messagesBefore: 16 },
      {
        type: "compaction-end",
        reason: "threshold",
        messagesBefore: 16,
        messagesAfter: 7,
        messagesRemoved: 9,
        unkept: [],
        tokensBefore: 8000,
        tokensAfter: 3033,
        tokensRemoved: 4967,
        step: null,
        strategies: ["summarize"],
        estimator: expect.any(String),
        entry: outcome.kind === "compacted" && outcome.entry,
      },
    ]);
  });
});

test("what is pending is counted for the budget, and never cut", async () => {
  const { manager, fit, ids } = session(turns(7));
  expect(await fit({ pending: [human("next", words(4000))] })).toMatchObject(compacted({ reason: "over-budget" }));
  expect(manager.predict().upperTokens + 4000).toBeLessThanOrEqual(10_000);
  expect(ids()).not.toContain("next");
});

describe("a summary that fails", () => {
  test.each<[string, Summarizer]>([
    ["G-20: the summariser rejects", rejects],
    ["the summariser throws something that is no error", () => Promise.reject("why")],
    [
      "the summariser throws at once",
      () => {
        throw new Error("at once");
      },
    ],
    ["G-21: an empty text", () => Promise.resolve({ text: "", usage: null, stopReason: "end" })],
    ["half a text", () => Promise.resolve({ text: "half of", usage: null, stopReason: "length" })],
  ])("never becomes content, and the next strategy runs: %s", async (_, summarizer) => {
    const { manager, fit } = session(turns(8), { summarizer });
    const outcome = await fit();
    expect(outcome.kind).toBe("compacted");
    expect(stepsOf(outcome).slice(0, 2)).toEqual(["summarize failed", "drop-oldest applied"]);
    expect(manager.context().messages.map(textOf).join()).not.toMatch(/half of|no reply|at once|why/);
  });
});

describe("what cannot be made to fit", () => {
  const giant = human("giant", words(20_000));

  const parts = expect.arrayContaining([
    { what: "overhead", tokens: 100 },
    { what: "last-human-message", tokens: 20_000 },
    { what: "pending", tokens: 50 },
  ]);

  test("is named with its parts and their sizes, and nothing is changed", async () => {
    const { manager, fit, events } = session([giant], { hiddenOverheadTokens: 100 });
    const outcome = await fit({ pending: [reply("next", words(50))] });
    expect(outcome).toMatchObject({ kind: "irreducible", budgetTokens: 10_000, parts });
    expect(manager.context().messages).toEqual([giant]);
    expect(events.map((event) => event.type)).toEqual(["compaction-start", "context-irreducible"]);
  });

  test("is no reason to keep the rest: what the policy keeps is sent, and what is left is named", async () => {
    const { manager, fit, events } = session([...turns(12), giant], { hiddenOverheadTokens: 100 });
    const outcome = await fit({ pending: [reply("next", words(50))] });
    expect(outcome).toMatchObject({ kind: "irreducible", budgetTokens: 10_000, parts, entry: manager.entries().at(-1) });
    expect(manager.overflow(new Error("too long"))).toMatchObject({
      code: "context-overflow",
      message: expect.stringMatching(/\d+ for the person's last message.*the provider refused it: too long$/),
      details: { budgetTokens: 10_000, parts },
    });
    expect(events).toMatchObject([{ type: "compaction-start" }, { type: "compaction-end", missed: { parts } }]);
    expect(manager.context().messages.at(-1)).toBe(giant);
  });

  test("is cut again only when enough has come", async () => {
    const { manager, ...opened } = session([...turns(12), giant, ...turns(8, 20).slice(1)], { hiddenOverheadTokens: 9_990 });
    const kinds: string[] = [];
    const fit = async () => {
      kinds.push((await opened.fit()).kind);
      return manager.context().messages.length;
    };
    const first = await fit();
    expect(await fit()).toBe(first);
    opened.append(reply("more", words(10)));
    expect(await fit()).toBe(first + 1);
    expect(kinds).toEqual(["irreducible", "unchanged", "unchanged"]);
  });

  test.each([
    ["is expected to fit is no reason to give up, although its bound does not", 0, "failed"],
    ["is expected not to fit is irreducible", -2, "irreducible"],
  ] as const)("what %s", async (_, roomTokens, kind) => {
    const { manager, fit } = session([human("u", words(400))], { policy: { ...POLICY, estimator: { kind: "ledger" } } });
    const { expectedTokens, upperTokens } = manager.predict();
    const contextWindowTokens = expectedTokens + roomTokens;
    expect(upperTokens).toBeGreaterThan(contextWindowTokens);
    const outcome = await fit({ model: { contextWindowTokens, maxOutputTokens: null } });
    expect(outcome.kind).toBe(kind);
  });
});

describe("by hand", () => {
  test("compacts below the trigger, with the keep and the focus that are given", async () => {
    const requests: (string | null)[] = [];
    const summarizer: Summarizer = (request, signal) => {
      requests.push(request.focus);
      return works(request, signal);
    };
    const { fit, ids } = session(turns(3), { summarizer });
    const outcome = await fit({ focus: "the tests", now: { reason: "manual", keep: { messages: 2 } } });
    expect(outcome).toMatchObject(compacted({ reason: "manual", gate: null }));
    expect([requests, ids().slice(1)]).toEqual([["the tests"], ["u2", "a2"]]);
  });

  test("fails if there is nothing to compact, and says so", async () => {
    const { fit, events } = session([human("u", "hello")]);
    expect(await fit({ now: { reason: "manual", keep: null } })).toMatchObject({ kind: "failed", reason: "manual" });
    expect(events.map((event) => event.type)).toEqual(["compaction-start", "compaction-failed"]);
  });
});

describe("undo", () => {
  test("brings back the very context, with what came since", async () => {
    const messages = turns(8);
    const { manager, fit, append } = session(messages);
    await fit();
    append(human("since", "and now?"));
    await manager.undo();
    const after = manager.context().messages;
    expect(sharedPrefixCount(after, messages)).toBe(16);
    expect(after.slice(16)).toEqual([human("since", "and now?")]);
    expect(manager.entries().at(-1)).toMatchObject({ type: "revert" });
  });

  test("is not undone by the next gate", async () => {
    const { manager, fit } = session(turns(8));
    await fit();
    await manager.undo();
    expect(await fit()).toEqual({ kind: "unchanged", off: null });
  });

  test("is an error if there is nothing to undo", async () => {
    const { manager } = session(turns(1));
    await expect(manager.undo()).rejects.toMatchObject({ code: "bad-input" });
  });

  test("redo compacts again, with another policy", async () => {
    const { manager, fit, ids } = session(turns(8));
    await fit();
    await manager.redo({ ...SWITCHING, policy: { ...POLICY, keep: [{ kind: "recent", messages: 2 }] } }, never);
    expect(ids().slice(1)).toEqual(["u7", "a7"]);
    expect(manager.view().activeCompactions).toHaveLength(1);
  });
});

describe("while a summary is written", () => {
  test("what is appended ends up after it, in order", async () => {
    const later = [human("steer", "stop"), human("queued", "then this")];
    const queue = [...later];
    const open: { manager?: Session } = {};
    const summarizer: Summarizer = (request, signal) => {
      for (const message of queue.splice(0)) open.manager?.append({ type: "message", message });
      return works(request, signal);
    };
    const { manager, fit, ids } = session(turns(8), { summarizer });
    open.manager = manager;
    expect(await fit()).toMatchObject({ kind: "compacted" });
    expect(ids().slice(-2)).toEqual(["steer", "queued"]);
    await manager.undo();
    expect(manager.context().messages).toEqual([...turns(8), ...later]);
  });
});

describe("a session that is taken up again", () => {
  test("goes on with the same context, sizes and next step", async () => {
    const { manager, fit, append } = session(turns(8));
    manager.append(usageEntry("request", "a7", 9000));
    await fit();
    append(...turns(7, 20));
    const again = createSession({
      policy: POLICY,
      summarizer: works,
      entries: decodeLog(encodeLog(manager.entries()), "log").entries,
    });
    expect([again.context(), again.predict(), again.view().viewHash]).toEqual([
      manager.context(),
      manager.predict(),
      manager.view().viewHash,
    ]);
    expect(await again.fit(SWITCHING, never)).toEqual(await fit());
  });
});

describe("a switch to a smaller window", () => {
  test("compacts for it first, then switches", async () => {
    const { manager } = session(turns(6));
    const limits = { contextWindowTokens: 4000, maxOutputTokens: null };
    const outcome = await manager.switchModel({ modelId: "small", limits }, SWITCHING, never);
    expect(outcome).toMatchObject(compacted({ reason: "downshift" }));
    expect(manager.predict().upperTokens).toBeLessThanOrEqual(4000);
    const [cut, switched] = manager.entries().slice(-2);
    expect([cut?.type, switched?.type]).toEqual(["compaction", "model-change"]);
  });

  test("only switches if everything fits", async () => {
    const { manager } = session(turns(1));
    const limits = { contextWindowTokens: 4000, maxOutputTokens: null };
    expect(await manager.switchModel({ modelId: "small", limits }, SWITCHING, never)).toEqual({ kind: "unchanged", off: null });
    expect(manager.view()).toMatchObject({ modelId: "small", limits });
  });
});

describe("work", () => {
  const gateWork = async (turnCount: number, measures: Partial<Policy>) => {
    const scanned: number[] = [];
    const policy: Policy = { ...POLICY, ...measures };
    const { manager, fit } = session(turns(turnCount), { policy });
    const model = { contextWindowTokens: 10_000_000, maxOutputTokens: null };
    await fit({ model, pending: [human("next", "hello")] });
    await fit({ model, now: { reason: "manual", keep: { tokens: 1000 } } });
    for (const entry of manager.entries())
      scanned.push(...(entry.type === "compaction" ? [entry.record.work.charactersScanned] : []));
    return scanned;
  };

  const anchored = { kind: "usage-anchored", of: SVEN_LENGTH_ESTIMATE, anchor: "prompt" } as const;
  const one: Partial<Policy> = { estimator: SVEN_LENGTH_ESTIMATE };
  const shared: Partial<Policy> = { estimator: anchored, cutEstimator: SVEN_LENGTH_ESTIMATE };
  const other: Partial<Policy> = { ...one, cutEstimator: { ...SVEN_LENGTH_ESTIMATE, perMessageTokens: 1 } };

  test("a compaction scans its own words, not the session again", async () => {
    expect(await gateWork(100, one)).toEqual(await gateWork(10, one));
  });

  test("nor what it keeps, if the cut is priced by the measure that the estimator is built on", async () => {
    expect(await gateWork(10, shared)).toEqual(await gateWork(10, one));
  });

  test.each([
    ["one estimator", one],
    ["a cut priced by the measure that the estimator is built on", shared],
    ["a cut priced by a measure of its own", other],
  ])(
    "%s: a session that is resumed does the work of one that is not, also on what an earlier compaction kept",
    async (_, estimators) => {
      const policy: Policy = { ...POLICY, ...estimators };
      const { fit, append, manager } = session(turns(8), { policy });
      const again = { now: { reason: "manual", keep: { tokens: 1400 } } } as const;
      await fit(again);
      append(...turns(1, 8));
      const resumed = session([], { policy, entries: manager.entries() });
      const outcome = await fit(again);
      expect(outcome.kind).toBe("compacted");
      expect(await resumed.fit(again)).toEqual(outcome);
    },
  );
});

test("limits that a caller changes in place are checked again", async () => {
  const { fit } = session(turns(2));
  const model = { ...SMALL_WINDOW, contextWindowTokens: 10_000 };
  await fit({ model });
  model.contextWindowTokens = Number.NaN;
  await expect(fit({ model })).rejects.toMatchObject({ code: "bad-input" });
});

test("the limits of a model are checked once for all fits that name them", async () => {
  const { fit } = session(turns(2));
  const get = vi.fn((limits: typeof SMALL_WINDOW, key: string | symbol): unknown => Reflect.get(limits, key));
  const model: typeof SMALL_WINDOW = new Proxy(SMALL_WINDOW, { get });
  await fit({ model });
  const first = get.mock.calls.length;
  await fit({ model, pending: turns(1) });
  expect(get.mock.calls.length - first).toBeLessThan(first);
});
