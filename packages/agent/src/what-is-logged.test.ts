import { PLIMSOLL_POLICY, PlimsollError, SVEN_POLICY, textOf } from "@plimsoll/core";
import { pooledPriors } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { AGENT_LIMITS, agentSetup, agentTool, ECHO_TOOL, echoCalls } from "../testing/agent-setup.ts";
import type { AgentOptions } from "./agent.ts";
import { startAgent } from "./start-agent.ts";

const large = (chars: number) => agentTool("echo", async () => ({ text: "x y ".repeat(chars / 4), isError: false }));

describe("sizes in the log", () => {
  test("the model is known before the first call, so that its prior prices it", async () => {
    const dear = (modelId: string) => ({ ...pooledPriors(modelId), slopeRatio: modelId === "test/model" ? 3 : 1 });
    const [plain, priced] = await Promise.all(
      [{}, { modelPriors: dear }].map((more) => agentSetup([], { ...more, tools: [large(400)] }).start()),
    );
    const used = [plain, priced].map((agent) => agent?.state().context.usedTokens ?? 0);
    expect((used[1] ?? 0) / (used[0] ?? 1)).toBeGreaterThan(2);
  });

  test("a rejection that names the prompt's size is a report: the ledger reckons with it, and nobody is charged", async () => {
    const error = new PlimsollError("context-overflow", "too long", { limitTokens: 8000, promptTokens: 9000 });
    const replies = [...Array.from({ length: 6 }, (_, index) => echoCalls(`c${index}`)), { error }, { text: "done" }];
    const { start, events } = agentSetup(replies, { tools: [large(1200)] });
    const agent = await start();
    expect(await agent.submit("go")).toMatchObject({ reason: "done" });
    const [rejected] = (await agent.entries()).filter(
      (entry) => entry.type === "usage" && entry.requestId.startsWith("rejected-"),
    );
    expect(rejected).toMatchObject({ usage: { input: { totalTokens: 9000 }, billed: { inputTokens: 0, outputTokens: 0 } } });
    expect(events.find(({ type }) => type === "compaction-end")).toMatchObject({ reason: "overflow", tokensBefore: 9000 });
    expect(agent.state().totals.requests).toBe(8 - 1);
  });

  test("a call that failed half-way measured nothing, and the report before it is kept", async () => {
    const { start } = agentSetup([
      { text: "one", promptTokens: 500 },
      { text: "half a wo", promptTokens: 7, stopReason: "error" },
    ]);
    const agent = await start();
    await agent.submit("go");
    await agent.submit("again");
    expect(agent.state().context.usageTokens).toBe(500);
    expect((await agent.entries()).filter(({ type }) => type === "usage")).toMatchObject([
      { usage: { input: { totalTokens: 500 } } },
      { usage: { input: { totalTokens: null } } },
    ]);
  });

  test("a report above the window means a prompt that was cut: the context shrinks before the next request", async () => {
    const replies = [echoCalls("c0"), echoCalls("c1"), { ...echoCalls("c2"), promptTokens: 8100 }, { text: "done" }];
    // sven's moving average takes many such reports to notice.
    const { start, events } = agentSetup(replies, { policy: SVEN_POLICY, tools: [large(400)] });
    await (await start()).submit("go");
    const told = events.filter(({ type }) => type === "overflow-detected" || type === "compaction-end");
    expect(told).toMatchObject([
      { type: "overflow-detected", limitTokens: 8000, requestedTokens: 8100 },
      { type: "compaction-end", reason: "overflow" },
    ]);
  });
});

describe("a resumed session", () => {
  const resumed = { session: { kind: "resume", sessionId: "main" } } as const;
  const started = async () => {
    const setup = agentSetup([{ text: "one" }, { text: "two" }]);
    const agent = await setup.start();
    await agent.submit("go");
    await agent.close();
    return setup;
  };

  test("goes on with the tools that can be run now and the system text that is asked for; the log says so", async () => {
    const { options, model } = await started();
    const tools = [agentTool("other", ECHO_TOOL.run)];
    const agent = await startAgent({ ...options, tools, session: { ...resumed.session, system: "be long" } });
    expect(agent.setupChange).toEqual({
      isSystemChanged: true,
      addedTools: ["other"],
      removedTools: ["echo"],
      changedTools: [],
    });
    await agent.submit("again");
    expect(model.requests()[1]?.context).toMatchObject({ system: "be long", tools: [{ name: "other" }] });
    await agent.close();
    const once = await startAgent({ ...options, tools, ...resumed });
    expect({ change: once.setupChange, system: once.context().system }).toEqual({ change: null, system: "be long" });
    expect((await once.entries()).filter(({ type }) => type === "setup-change")).toHaveLength(1);
  });

  test("that is the same as before is told of nothing and logs nothing", async () => {
    const { options } = await started();
    const agent = await startAgent({ ...options, ...resumed });
    expect({ change: agent.setupChange, last: (await agent.entries()).at(-1)?.type }).toEqual({
      change: null,
      last: "message",
    });
  });

  test("lets bound reasoning leave, whatever its log says: an agent asks no vendor to drop it", async () => {
    const { options } = await started();
    const writer = (await options.sessions.open("main")).writer;
    const dropping = { id: "drops", system: "be brief", boundReasoning: "vendor-drops" } as const;
    await writer.append([{ type: "setup-change", tools: [ECHO_TOOL.spec], atMs: null, ...dropping }]);
    await writer.close();
    const agent = await startAgent({ ...options, ...resumed });
    expect((await agent.entries()).at(-1)).toMatchObject({ type: "setup-change", boundReasoning: "leaves" });
    await agent.close();
  });

  test("in another window of the same model has that window in its log", async () => {
    const { options } = await started();
    const limits = { ...AGENT_LIMITS, contextWindowTokens: 6000 };
    const agent = await startAgent({ ...options, ...resumed, model: { ...options.model, limits } });
    expect((await agent.entries()).at(-1)).toMatchObject({ type: "model-change", limits });
  });
});

describe("who writes summaries", () => {
  test("the model that is asked, if nobody else is named; after a switch the new one", async () => {
    const { summarizer: _, ...options } = agentSetup((index) => (index < 6 ? echoCalls(`c${index}`) : { text: "done" }), {
      policy: SVEN_POLICY,
      tools: [large(800)],
    }).options;
    const other = agentSetup([]);
    const agent = await startAgent(options);
    await agent.submit("go");
    await agent.switchModel({ ...other.options.model, modelId: "test/other" });
    await agent.compact({ keep: { messages: 2 } });
    expect(other.model.requests()[0]?.modelId).toBe("test/other");
    expect(other.model.requests()[0]?.context.tools).toEqual([]);
  });

  test("a compaction by hand that hangs is cancelled, and the session goes on", async () => {
    const { options } = agentSetup((index) => (index < 6 ? echoCalls(`c${index}`) : { text: "done" }), {
      policy: SVEN_POLICY,
      tools: [large(800)],
      summarizer: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
    });
    const agent = await startAgent(options);
    await agent.submit("go");
    const compacting = agent.compact({ keep: { messages: 2 } });
    expect(agent.state().status).toBe("compacting");
    await expect(agent.undo()).rejects.toThrow("during a compaction");
    agent.cancel();
    await expect(compacting).rejects.toMatchObject({ code: "aborted" });
    expect(await agent.submit("again")).toMatchObject({ reason: "done" });
  });
});

describe("a compaction that the model asks for", () => {
  test("is done before the next step, and says why", async () => {
    const compacting = agentTool("echo", async (_, { callId, contextCall }) => {
      const focus = { name: "compact", args: { focus: "the open bug" }, from: 0 } as const;
      const said = callId === "c5" ? await contextCall(focus) : "";
      return { text: `${said}${"output ".repeat(100)}`, isError: false };
    });
    const { start, events, model } = agentSetup((index) => (index < 6 ? echoCalls(`c${index}`) : { text: "done" }), {
      tools: [compacting],
    });
    await (await start()).submit("find it");
    expect(events.filter(({ type }) => type === "compaction-end")).toMatchObject([{ reason: "hand-off" }]);
    const sent = model.requests().at(-1)?.context.messages.map(textOf) ?? [];
    expect(sent.some((text) => text.includes("find it"))).toBe(true);
    expect(sent.length).toBeLessThan(12);
  });
});

describe("a sub-agent", () => {
  const task = agentTool("task", (_, context) => context.runSubAgent({ prompt: "look" }));
  const delegate = { calls: [{ callId: "t", toolName: "task", argumentsJson: "{}" }] };
  const replies = [delegate, ...Array.from({ length: 12 }, (_, index) => echoCalls(`c${index}`)), { text: "found" }];
  const stateOf: AgentOptions["stateOf"] = (sessionId) => [() => ({ title: "To do", text: `list of ${sessionId}` })];

  test("has a state of its own, which its own compaction keeps", async () => {
    const { start, events } = agentSetup(replies, { tools: [large(3000), task], stateOf });
    await (await start()).submit("go");
    const made = events.find((event) => event.type === "compaction-end");
    expect(made?.sessionId).not.toBe("main");
    expect(JSON.stringify(made)).toContain(`list of ${made?.sessionId}`);
  });

  test("whose policy is off does not compact itself, while its parent may", async () => {
    const policy = { ...PLIMSOLL_POLICY, subAgents: "off" } as const;
    const { start, events } = agentSetup(replies, { tools: [large(3000), task], policy });
    await (await start()).submit("go");
    expect(events.filter((event) => event.type === "compaction-end" && event.sessionId !== "main")).toEqual([]);
    expect(events.some((event) => event.type === "agent-end" && event.sessionId !== "main")).toBe(true);
  });
});

test.each([
  ["a reply's limit that is known", { contextWindowTokens: 8000, maxOutputTokens: 1000 }, 1000, 7000],
  ["an unknown one in a large window", { contextWindowTokens: 200_000, maxOutputTokens: null }, 8192, 191_808],
  ["an unknown one in a small window", { contextWindowTokens: 9000, maxOutputTokens: null }, 2250, 6750],
  ["an unknown one in an unknown window, which the policy takes for 128,000", null, 8192, 119_808],
])("%s: what is asked for is what is kept free", async (_rule, limits, asked, budget) => {
  const { options, model } = agentSetup([{ text: "done" }]);
  const unknown = { contextWindowTokens: null, maxOutputTokens: null };
  const agent = await startAgent({ ...options, model: { ...options.model, limits: limits ?? unknown } });
  await agent.submit("go");
  expect(model.requests()[0]?.maxOutputTokens).toBe(asked);
  expect(agent.state().context.inputBudgetTokens).toBe(budget);
});
