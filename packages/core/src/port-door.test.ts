import { describe, expect, test } from "vitest";
import { agentSetup, agentTool, echoCalls } from "../testing/agent-setup.ts";
import { recordOf, smallSession, stepsOf, turns } from "../testing/small-session.ts";
import type { AgentTool } from "./agent/agent-tool.ts";
import { createMemorySessionStore } from "./agent/memory-session-store.ts";
import { startAgent } from "./agent/start-agent.ts";
import { isPlimsollError, PlimsollError } from "./error.ts";
import { partHandle } from "./message/handle.ts";
import { textOf } from "./message/message.ts";
import { SVEN_POLICY } from "./policy/presets/sven.ts";
import { deadlineOf } from "./port-door.ts";
import type { ArtifactStore, ModelClient, ModelReply, SessionStore, Wait } from "./ports.ts";
import { decodeLog, encodeLog } from "./session/codec.ts";
import { createSession, openSession } from "./session/open-session.ts";
import { admitToolResult, createMemoryArtifactStore, recallArtifact } from "./session/recall.ts";
import { sessionsDoor } from "./session/store-door.ts";
import { createDigest } from "./summarizer/digest.ts";
import { human, logOf, result, sessionStart } from "./testing/builders.ts";
import { scriptedModel } from "./testing/scripted-model.ts";

/** A deadline that is over when all that answers at all has answered. */
const over: Wait = async () => {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
};
const deadline = { answerDeadlineMs: 70, wait: over };
const never = () => new Promise<never>(() => undefined);
const rejected = () => Promise.reject(new Error("disk full"));
const thrown = () => {
  throw new Error("disk full");
};

/** Answers that nobody can use, and the words about them. */
const GARBAGE: readonly (readonly [string, () => unknown, string])[] = [
  ["NaN", () => Number.NaN, "answered with NaN"],
  ["a negative number", () => -1, "answered with -1"],
  ["undefined", () => undefined, "answered with undefined"],
  ["true", () => true, "answered with true"],
  ["a list of nothing", () => [null], "answered with"],
  ["an object with missing fields", () => ({ entries: [{}] }), "answered with"],
  ["a thrown error", thrown, "failed: disk full"],
];
const TEXTS: typeof GARBAGE = [
  ["a text", () => "12", 'answered with "12"'],
  ["an empty text", () => "", 'answered with ""'],
];
/** Of a port that answers at once. */
const PROMISES: typeof GARBAGE = [
  ["a promise", async () => 12, "answered with a promise"],
  ["a rejected promise", rejected, "answered with a promise"],
  ["a promise that never settles", never, "answered with a promise"],
];
const thenable = {};
Reflect.set(thenable, "then", () => undefined);
/** Of a port that is waited for. */
const LATE: typeof GARBAGE = [
  ["a rejected promise", rejected, "failed: disk full"],
  ["a promise that never settles", never, "gave no answer within"],
  ["a thenable that never settles", () => thenable, "gave no answer within"],
];

/** A value with garbage in it, as JavaScript hands it over. */
const given = <Value extends object>(value: Value, garbage: Partial<Record<keyof Value, unknown>>): Value =>
  Object.assign({}, value, garbage);

const failureOf = async (work: () => unknown): Promise<PlimsollError> => {
  try {
    await work();
  } catch (error) {
    if (isPlimsollError(error)) return error;
    throw error;
  }
  throw new Error("nothing failed");
};
/** Fails unless the error names the port and what it answered with. */
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
    const named = strategy === "before-compaction" && said.startsWith("failed") ? "disk full" : `bad-input: ${port} ${said}`;
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
    ["a text", "be brief", 'answered with "be brief"'],
    ["a list with a number", [12], "answered with 12 at 0"],
  ])("is refused if it is %s", async (_, pinned, said) => {
    await expectNamed("pinned", said, () => smallSession(turns(1), given({}, { pinned })));
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
  const stored = (garbage: Partial<Record<keyof SessionStore, unknown>>) => given(createMemorySessionStore(), garbage);
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
    const sessions = createMemorySessionStore();
    const log = logOf([human("u1", "one"), human("u2", "two"), human("u3", "three")]);
    const first = await sessions.create(start);
    await first.append(log.slice(1));
    await first.close();
    const timers: (() => void)[] = [];
    const wait: Wait = () => new Promise((resolve) => timers.push(resolve));
    const open: SessionStore["open"] = async (id, take) => {
      const opened = await sessions.open(id);
      for (const entry of opened.entries) {
        take?.(entry);
        timers.at(-1)?.();
        await over(0, new AbortController().signal);
      }
      return { ...opened, entries: [] };
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
    const writer = given(await createMemorySessionStore().create(start), { [name]: answer });
    const conversation = createSession({ ...setting, entries: [start], writer });
    const work = async () => {
      conversation.append({ type: "message", message: human("u1", "hi") });
      await conversation.flush();
      await conversation.close();
    };
    await expect(work()).rejects.toMatchObject({ code, message: expect.stringContaining(said) });
  });

  test.each([...GARBAGE, ...LATE])("a writer's entryAt: %s", async (_, entryAt, said) => {
    const sessions = createMemorySessionStore();
    const create = async () => given(await sessions.create(start), { entryAt });
    const { session: conversation } = await openSession(setting, stored({ create }), start);
    conversation.append({ type: "message", message: human("u1", "hi") });
    await conversation.flush();
    const recall = () => conversation.recall(partHandle("u1", 0), { startChar: 0, maximumChars: 10 });
    await expectNamed("the log's entryAt", said, recall);
  });
});

describe("a clock that tells no time is refused by name, before the log has it", () => {
  test.each([...GARBAGE.slice(0, 1), ...GARBAGE.slice(2, 6), ...TEXTS, ...PROMISES])("%s", async (_, nowMs, said) => {
    const { options } = agentSetup([], given({}, { nowMs }));
    await expectNamed("nowMs", said, () => startAgent(options));
    expect(await options.sessions.list()).toEqual([]);
  });
});

describe("an agent's own functions", () => {
  const run: AgentTool["run"] = async () => ({ text: "ran", isError: false });
  const failedOn = async (client: ModelClient) => {
    const { options } = agentSetup([]);
    const agent = await startAgent({ ...options, model: { ...options.model, client } });
    const { reason, error } = await agent.submit("go");
    await agent.close();
    return [reason, error?.code, error?.message];
  };
  const failedBy = (event: () => unknown) => {
    const { client } = scriptedModel(() => ({ text: "done" }));
    const stream = async function* () {
      yield event();
    };
    return failedOn(given(client, { stream }));
  };
  const ask = async (more: object) => {
    const { start, events } = agentSetup([echoCalls("c1"), { text: "done" }], more);
    const agent = await start();
    const { reason, error } = await agent.submit("go");
    const results = agent.context().messages.filter(({ role }) => role === "tool-result");
    expect(decodeLog(encodeLog(await agent.entries()), "log").cutOff).toBeNull();
    await agent.close();
    return { reason, error, texts: results.map(textOf), events };
  };

  test.each([...GARBAGE, ...TEXTS])(
    "a call about which is decided %s does not run, and the model is told why",
    async (_, answer, said) => {
      const { reason, texts } = await ask({ authorize: async () => answer() });
      expect(reason).toBe("done");
      expect(texts).toEqual([expect.stringContaining(said.startsWith("failed") ? "disk full" : `authorize ${said}`)]);
    },
  );

  test.each([...GARBAGE, ...TEXTS])("a tool that gives %s has failed, and the model is told why", async (_, answer, said) => {
    const { reason, texts } = await ask({ tools: [agentTool("echo", given({ run }, { run: async () => answer() }).run)] });
    expect(reason).toBe("done");
    expect(texts).toEqual([expect.stringContaining(said.startsWith("failed") ? "disk full" : `the tool echo ${said}`)]);
  });

  test.each([...GARBAGE.slice(0, 6), ...TEXTS])(
    "a model client whose event is %s ends the run by name",
    async (_, event, said) => {
      expect(await failedBy(event)).toEqual(["failed", "bad-input", expect.stringContaining(`the model client ${said}`)]);
    },
  );

  test("a model client that ends without a reply ends the run by name", async () => {
    expect(await failedBy(() => ({ type: "later" }))).toEqual([
      "failed",
      "bad-input",
      expect.stringContaining("the model client answered with undefined"),
    ]);
  });

  test.each<[string, (reply: ModelReply) => unknown]>([
    ["no reply at all", () => null],
    ["that is an object with missing fields", () => ({})],
    ["without a draft", (reply) => given(reply, { draft: undefined })],
    [
      "with parts that are none",
      (reply) => given(reply, { draft: given(reply.draft, { parts: [{ type: "text", text: 12 }] }) }),
    ],
    ["without usage", (reply) => given(reply, { usage: undefined })],
    ["without an id", (reply) => given(reply, { requestId: 12 })],
  ])("a model client's reply %s ends the run by name", async (_, garbled) => {
    const { client } = scriptedModel(() => ({ text: "done" }));
    const stream: ModelClient["stream"] = async function* (...asked) {
      for await (const event of client.stream(...asked))
        yield event.type === "reply" ? given(event, { reply: garbled(event.reply) }) : event;
    };
    expect(await failedOn({ ...client, stream })).toEqual([
      "failed",
      "bad-input",
      expect.stringContaining("the model client answered with"),
    ]);
  });

  test.each([...GARBAGE.filter(([name]) => name !== "undefined"), ...LATE.slice(0, 1)])(
    "dynamic context that is %s ends the run by name",
    async (_, dynamicContext, said) => {
      const { reason, error } = await ask({ dynamicContext });
      expect([reason, error?.code, error?.message]).toEqual([
        "failed",
        "bad-input",
        expect.stringContaining(`dynamicContext ${said}`),
      ]);
    },
  );
});
