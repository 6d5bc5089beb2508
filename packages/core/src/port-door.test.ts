import { describe, expect, test } from "vitest";
import { z } from "zod";
import { recordOf, SMALL_POLICY, smallSession, stepsOf, turns } from "../testing/small-session.ts";
import { isPlimsollError, PlimsollError } from "./error.ts";
import { defineKeepRule } from "./keep/keep-rule.ts";
import { createDigest } from "./memory/digest.ts";
import { partHandle } from "./message/handle.ts";
import { type Kinds, withKinds } from "./policy/kinds.ts";
import type { Policy } from "./policy/policy.ts";
import { SVEN_POLICY } from "./policy/presets/sven.ts";
import { deadlineOf } from "./port-door.ts";
import type { ArtifactStore, SessionStore, SessionWriter, Wait } from "./ports.ts";
import { decodeLog, encodeLog } from "./session/codec.ts";
import { createSession, openSession } from "./session/open-session.ts";
import { admitToolResult, createMemoryArtifactStore, recallArtifact } from "./session/recall.ts";
import { sessionsDoor } from "./session/store-door.ts";
import { defineStrategy } from "./strategy/strategy.ts";
import { human, logOf, result, sessionStart } from "./testing/builders.ts";
import { given, never, rejected, thrown, UNUSABLE_ANSWERS } from "./testing/unusable-answers.ts";
import { defineEstimator, defineMeasure } from "./tokens/estimator.ts";

/** A deadline that is over when all that answers at all has answered. */
const over: Wait = async () => {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
};
const deadline = { answerDeadlineMs: 70, wait: over };
const { any: GARBAGE, texts: TEXTS, promises: PROMISES, late: LATE } = UNUSABLE_ANSWERS;

const failureOf = async (work: () => unknown): Promise<PlimsollError> => {
  try {
    await work();
  } catch (error) {
    if (isPlimsollError(error)) return error;
    throw error;
  }
  throw new Error("nothing failed");
};
/** Fails unless the error names the port and its answer. */
const expectNamed = async (port: string, said: string, work: () => unknown): Promise<void> => {
  const { code, message, details } = await failureOf(work);
  expect([code, details.port, message]).toEqual(["bad-input", port, expect.stringContaining(`${port} ${said}`)]);
  expect(details.value).toEqual(expect.any(String));
};

const BPE = { ...SVEN_POLICY, estimator: { kind: "bpe", encoding: "own", perMessageTokens: 4 } } as const;

describe("a tokenizer that counts no tokens is refused by name", () => {
  test.each([...GARBAGE, ...TEXTS, ...PROMISES])("%s", async (_, answer, said) => {
    const entries = logOf([human("u1", "hello")]);
    const options = { policy: BPE, summarizer: createDigest(), tokenizers: {}, entries };
    const garbled = given(options, { tokenizers: { own: answer } });
    await expectNamed("the tokenizer own", said, () => createSession(garbled));
  });

  test.each<[string, unknown, string]>([
    ["a text", "o200k_base", 'answered with "o200k_base"'],
    ["a promise of one", Promise.resolve(() => 12), "answered with a promise"],
    ["null", null, "answered with null"],
  ])("as is %s in its place", async (_, own, said) => {
    const options = given({ policy: BPE, summarizer: createDigest(), tokenizers: {} }, { tokenizers: { own } });
    await expectNamed("tokenizers", said, () => createSession(options));
  });

  test("and what it refused leaves the session as it was", () => {
    let isBroken = false;
    const own = (text: string) => (isBroken ? Number.NaN : text.length);
    const entries = logOf([human("u1", "hello")]);
    const manager = createSession({ policy: BPE, summarizer: createDigest(), tokenizers: { own }, entries });
    const append = () => manager.append({ type: "message", message: human("u2", "more") });
    isBroken = true;
    expect(append).toThrow("the tokenizer own answered with NaN");
    isBroken = false;
    append();
    expect(manager.context().messages.map(({ id }) => id)).toEqual(["u1", "u2"]);
  });
});

describe("what is true now may be missing: the engine goes on, and says once a compaction what failed", () => {
  const ports = [
    ["state-provider", "state provider 2", "stateProviders", (answer: () => unknown) => [() => null, answer]],
    ["file-tracker", "the file tracker", "fileTracker", (answer: () => unknown) => answer],
    ["before-compaction", "the hook", "beforeCompaction", (answer: () => unknown) => answer],
  ] as const;
  const rows = ports.flatMap((port) => {
    const answers = port[0] === "before-compaction" ? [...GARBAGE, ...TEXTS] : [...GARBAGE, ...TEXTS, ...PROMISES];
    return answers.map(([name, ...row]) => [port[0], name, port, ...row] as const);
  });
  test.each(rows)("%s: %s", async (strategy, _, [, port, option, garbled], answer, said) => {
    const { fit, manager } = smallSession(turns(8), given({}, { [option]: garbled(answer) }));
    const outcome = await fit();
    expect(stepsOf(outcome)).toEqual([`${strategy} failed`, "summarize applied"]);
    const named = strategy === "before-compaction" && said.startsWith("failed") ? "disk full" : `${port} ${said}`;
    expect(recordOf(outcome)?.steps[0]?.detail).toContain(named);
    expect(decodeLog(encodeLog(manager.entries()), "log").entries).toEqual(manager.entries());
  });

  test("nobody looks at it at a gate where nothing is done", async () => {
    const { fit } = smallSession(turns(1), { stateProviders: [thrown] });
    expect((await fit()).kind).toBe("unchanged");
  });
});

describe("what stays word for word", () => {
  test.each<[string, unknown, string]>([
    ["a text", "be brief", "pinned: expected array, received string"],
    ["a list with a number", [12], "pinned.0: expected string, received number"],
  ])("is refused if it is %s", (_, pinned, said) => {
    expect(() => smallSession(turns(1), given({}, { pinned }))).toThrow(said);
  });
});

describe("an artifact store", () => {
  const policy = { ...SVEN_POLICY, truncation: { capTokens: 100 } };
  const long = result("r", "c", "a line of output\n".repeat(500));
  const stored = (garbage: Partial<Record<keyof ArtifactStore, unknown>>) => given(createMemoryArtifactStore(), garbage);

  test.each([...GARBAGE, ...LATE, ...TEXTS.slice(1)])("whose handle is %s is refused: nothing is cut", async (_, put, said) => {
    await expectNamed("artifacts.put", said, () => admitToolResult(long, { policy, artifacts: stored({ put }), ...deadline }));
  });

  test.each([...GARBAGE, ...LATE.slice(0, 1)])("whose text is %s is refused", async (_, get, said) => {
    await expectNamed("artifacts.get", said, () => recallArtifact("h", { startChar: 0, maximumChars: 10 }, stored({ get })));
  });
});

describe("a session store", () => {
  const start = sessionStart();
  const setting = { policy: SVEN_POLICY, summarizer: createDigest(), nowMs: () => 1, ...deadline };
  const done = async () => undefined;
  const writer: SessionWriter = { sessionId: start.id, append: done, entryAt: never, close: done };
  /** Keeps nothing. */
  const store: SessionStore = {
    create: async () => writer,
    open: never,
    read: never,
    list: never,
    branch: never,
    delete: done,
  };
  const stored = (garbage: Partial<Record<keyof SessionStore, unknown>>) => given(store, garbage);
  const branch = { sessionId: start.id, throughEntryId: "u1", newSessionId: "two", nowMs: null };
  type Call = (sessions: SessionStore) => Promise<unknown>;
  const calls: readonly (readonly [keyof SessionStore, Call])[] = [
    ["create", (sessions) => openSession(setting, sessions, start)],
    ["open", (sessions) => openSession(setting, sessions, { sessionId: start.id })],
    ["read", (sessions) => sessionsDoor(sessions, deadlineOf(deadline)).read("one")],
    ["list", (sessions) => sessionsDoor(sessions, deadlineOf(deadline)).list()],
    ["branch", (sessions) => sessionsDoor(sessions, deadlineOf(deadline)).branch(branch)],
  ];
  const rows = calls.flatMap(([name, call]) => [...GARBAGE, ...TEXTS, ...LATE].map((row) => [name, ...row, call] as const));
  test.each(rows)("%s: %s", async (name, _, answer, said, call) => {
    await expectNamed(`sessions.${name}`, said, () => call(stored({ [name]: answer })));
  });

  test.each(LATE)("delete: %s", async (_, answer, said) => {
    await expectNamed("sessions.delete", said, () =>
      sessionsDoor(stored({ delete: answer }), deadlineOf(deadline)).delete("one"),
    );
  });

  test.each<[string, unknown, string]>([
    ["nothing", undefined, "answered with undefined"],
    ["no object", 12, "answered with 12"],
    ["a message without parts", { type: "message", message: { id: "u1", role: "user" } }, "answered with"],
    ["a message whose time is no number", { type: "message", message: { ...human("u1", "hi"), atMs: "now" } }, "answered with"],
  ])("that hands over %s for an entry is refused", async (_, entry, said) => {
    const open = async (_id: string, take: (entry: unknown) => unknown) => {
      await take(start);
      await take(entry);
    };
    await expectNamed("sessions", said, () => openSession(setting, stored({ open }), { sessionId: start.id }));
  });

  test("its own errors are passed on as they are", async () => {
    const conflict = new PlimsollError("session-conflict", "in use");
    const sessions = stored({ open: () => Promise.reject(conflict) });
    await expect(openSession(setting, sessions, { sessionId: "one" })).rejects.toBe(conflict);
  });

  test("a log that is opened too late is closed: nobody has it", async () => {
    let answer: (value: unknown) => void = () => undefined;
    const promise = new Promise<unknown>((resolve) => {
      answer = resolve;
    });
    const closed: string[] = [];
    const opening = openSession(setting, stored({ open: () => promise }), { sessionId: "one" });
    await expect(opening).rejects.toMatchObject({ code: "bad-input", details: { port: "sessions.open", afterMs: 70 } });
    const writer = { sessionId: "one", append: never, entryAt: never, close: async () => closed.push("one") };
    answer({ entries: [], cutOff: null, writer });
    await promise;
    await Promise.resolve();
    expect(closed).toEqual(["one"]);
  });

  test("a long log may take longer than the deadline, as long as entries come", async () => {
    const log = logOf([human("u1", "one"), human("u2", "two"), human("u3", "three")]);
    const timers: (() => void)[] = [];
    const wait: Wait = () => new Promise((resolve) => timers.push(resolve));
    const open: SessionStore["open"] = async (_, take) => {
      for (const entry of log) {
        take?.(entry);
        timers.at(-1)?.();
        await over(0, new AbortController().signal);
      }
      return { writer, entries: [], cutOff: null };
    };
    const { session: conversation } = await openSession({ ...setting, wait }, stored({ open }), { sessionId: start.id });
    expect(conversation.messageIds()).toEqual(["u1", "u2", "u3"]);
    expect(timers).toHaveLength(1 + log.length);
  });

  test.each<[string, string, unknown, string]>([
    ["append", "bad-input", rejected, "the log's append failed: disk full"],
    ["append", "bad-session", never, "the store did not answer within 70 ms"],
    ["close", "bad-input", rejected, "the log's close failed: disk full"],
    ["close", "bad-input", never, "the log's close gave no answer within 70 ms"],
  ])("a writer's %s: %s", async (name, code, answer, said) => {
    const garbled = given(writer, { [name]: answer });
    const conversation = createSession({ ...setting, entries: [start], writer: garbled });
    const work = async () => {
      conversation.append({ type: "message", message: human("u1", "hi") });
      await conversation.flush();
      await conversation.close();
    };
    await expect(work()).rejects.toMatchObject({ code, message: expect.stringContaining(said) });
  });

  test.each([...GARBAGE, ...LATE])("a writer's entryAt: %s", async (_, entryAt, said) => {
    const create = async () => given(writer, { entryAt });
    const { session: conversation } = await openSession(setting, stored({ create }), start);
    conversation.append({ type: "message", message: human("u1", "hi") });
    await conversation.flush();
    const recall = () => conversation.recall(partHandle("u1", 0), { startChar: 0, maximumChars: 10 });
    await expectNamed("the log's entryAt", said, recall);
  });
});

const boom = async () => Promise.reject(new Error("boom"));
const kind = "own";
const spec = z.strictObject({ kind: z.literal(kind) });
const measured = (more: object) => ({ name: kind, messageTokens: () => 1, textTokens: () => 1, toolsTokens: () => 1, ...more });
const ASYNC: readonly (readonly [string, Partial<Kinds>, Partial<Policy>, string])[] = [
  [
    "worth of a keep rule",
    {
      keepRules: [
        defineKeepRule({ kind, schema: spec, rule: () => ({ keeps: "units", atMost: { tokens: 900 }, worth: boom as never }) }),
      ],
    },
    { keep: [{ kind }] },
    "worth",
  ],
  [
    "a strategy",
    { strategies: [defineStrategy({ kind, schema: spec, needsModel: () => false, plan: boom as never })] },
    { strategies: [{ kind }] },
    'the strategy "own"',
  ],
  [
    "needsModel of a strategy",
    { strategies: [defineStrategy({ kind, schema: spec, needsModel: boom as never, plan: boom as never })] },
    { strategies: [{ kind }] },
    'the strategy "own"',
  ],
  [
    "an estimator",
    { estimators: [defineEstimator({ kind, schema: () => spec, create: boom as never })] },
    { estimator: { kind } },
    'the estimator "own"',
  ],
  ...(["messageTokens", "textTokens"] as const).map(
    (name) =>
      [
        `${name} of a measure`,
        { estimators: [defineMeasure({ kind, schema: spec, measure: () => measured({ [name]: boom }) })] },
        { estimator: { kind } },
        'the estimator "own"',
      ] as const,
  ),
];

test("an async onEvent that rejects ends neither the fit nor the process", async () => {
  const { fit } = smallSession(turns(16), { policy: SMALL_POLICY, onEvent: boom });
  expect((await fit()).kind).toBe("compacted");
});

test.each(ASYNC)("an async part is refused by name, and ends no process: %s", async (_, added, changes, part) => {
  const entries = logOf([human("port", "The port is 4711.\nThe host is alpha-beta."), ...turns(8)]);
  const run = async () => {
    const { fit } = smallSession([], { policy: { ...SMALL_POLICY, ...changes }, kinds: withKinds(added), entries });
    return JSON.stringify(await fit());
  };
  const said = await run().catch(String);
  expect(said.replaceAll("\\", "")).toContain(`${part} must not be async: it answered with a promise`);
});
