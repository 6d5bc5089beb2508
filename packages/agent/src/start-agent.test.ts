import { PLIMSOLL_POLICY, PlimsollError, textOf } from "@plimsoll/core";
import { checkMessages, createWorkCounter, EMPTY_VIEW, foldEntry, type ToolOutput } from "@plimsoll/core/extend";
import { assistant, human, type ScriptedReply } from "@plimsoll/core/testing";
import { createMemorySessionStore } from "@plimsoll/stores";
import { describe, expect, test } from "vitest";
import { AGENT_LIMITS, agentSetup, agentTool, ECHO_TOOL, echoCalls } from "../testing/agent-setup.ts";
import type { AgentEvent } from "./events.ts";
import { startAgent } from "./start-agent.ts";

const kinds = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

describe("a run", () => {
  test("calls tools until the model has no more calls, and tells it as it goes", async () => {
    const { start, events, sessions } = agentSetup([{ text: "looking", ...echoCalls("c1") }, { text: "done" }]);
    const agent = await start();
    expect(agent.state()).toMatchObject({ status: "idle", context: { windowTokens: 8000, inputBudgetTokens: 7000 } });
    expect(await agent.submit("go")).toEqual({ reason: "done", steps: 2, text: "done", error: null });
    expect(agent.state().context).toMatchObject({ usageTokens: 163, trailingTokens: 1, headroomTokens: 7000 - 164 });
    expect(kinds(events)).toEqual([
      "agent-start",
      "message",
      ...["step-start", "text-delta", "message", "usage-update", "tool-start", "tool-end", "message"],
      ...["step-start", "text-delta", "message", "usage-update"],
      "turn-end",
      "agent-end",
    ]);
    expect((await sessions.read("main"))?.entries).toEqual(await agent.entries());
    expect((await agent.entries()).map(({ type }) => type)).toEqual([
      ...["session", "model-change", "message", "usage", "message", "message", "usage", "message"],
    ]);
  });

  test("results are in the order of their calls, whichever is ready first", async () => {
    const release: (() => void)[] = [];
    const slow = agentTool("echo", (_, { callId }) => {
      if (callId === "c2") {
        for (const each of release) each();
        return Promise.resolve({ text: callId, isError: false });
      }
      return new Promise<ToolOutput>((resolve) => release.push(() => resolve({ text: callId, isError: false })));
    });
    const { start, events } = agentSetup([echoCalls("c1", "c2"), { text: "done" }], { tools: [slow] });
    const agent = await start();
    await agent.submit("go");
    const results = agent.context().messages.filter(({ role }) => role === "tool-result");
    expect(results.map(textOf)).toEqual(["c1", "c2"]);
    const ends = events.flatMap((event) => (event.type === "tool-end" ? [event.callId] : []));
    expect(ends.sort()).toEqual(["c1", "c2"]);
  });

  test("a call's paths are resolved when it enters the log, and a repeated id becomes a new one", async () => {
    const { start } = agentSetup([echoCalls("c1", "c1"), echoCalls("c1"), { text: "done" }]);
    const agent = await start();
    await agent.submit("go");
    const { messages } = agent.context();
    const parts = messages.flatMap((message) => (message.role === "assistant" ? message.parts : []));
    const made = parts.filter((part) => part.type === "tool-call");
    expect(made.map(({ paths }) => paths)).toEqual(Array(3).fill([{ path: "echo.txt", access: "read" }]));
    expect(new Set(made.map(({ callId }) => callId)).size).toBe(3);
    expect(checkMessages([...messages.slice(0, -1)])).toEqual([]);
  });

  test.each([
    ["an unknown tool", { toolName: "no_such", argumentsJson: "{}" }, 'There is no tool "no_such". There are: echo.'],
    [
      "arguments that are nested too deep",
      { toolName: "echo", argumentsJson: `{"a":${"[".repeat(1_000)}${"]".repeat(1_000)}}` },
      "The arguments are not valid JSON: nested deeper than 500 levels",
    ],
    ["arguments that are no JSON", { toolName: "echo", argumentsJson: '{"a":' }, "The arguments are not valid JSON"],
    ["no arguments at all: an empty object", { toolName: "echo", argumentsJson: "" }, "{}"],
  ])("%s is told to the model", async (_what, call, said) => {
    const { start } = agentSetup([{ calls: [{ callId: "c1", ...call }] }, { text: "sorry" }]);
    const agent = await start();
    expect(await agent.submit("go")).toMatchObject({ reason: "done", text: "sorry" });
    expect(textOf(agent.context().messages[2] ?? expect.fail())).toContain(said);
  });

  test.each([
    ["throws at once", () => expect.fail("broken")],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ])("a tool that %s gives an error result", async (_how, run) => {
    const { start } = agentSetup([echoCalls("c1"), { text: "done" }], { tools: [agentTool("echo", run)] });
    const agent = await start();
    await agent.submit("go");
    expect(agent.context().messages[2]).toMatchObject({ isError: true, parts: [{ text: "broken" }] });
  });

  test("an output over the cap is cut, kept whole, and found by its handle", async () => {
    const long = "line of output\n".repeat(10_000);
    const { start, events } = agentSetup([echoCalls("c1"), { text: "done" }], {
      tools: [agentTool("echo", async () => ({ text: long, isError: false }), { hint: "use recall" })],
      policy: { ...PLIMSOLL_POLICY, truncation: { capTokens: 500 } },
    });
    const agent = await start();
    await agent.submit("go");
    const text = textOf(agent.context().messages[2] ?? expect.fail());
    expect(text).toContain("use recall");
    const handle = events.flatMap((event) => (event.type === "tool-end" ? [event.handle] : []))[0] ?? "";
    expect(await agent.recall(handle, { startChar: 15, maximumChars: 15 })).toMatchObject({
      text: "line of output\n",
      totalChars: long.length,
    });
  });

  test("output that cannot be kept is an error result, not a lost session", async () => {
    const full = { put: () => Promise.reject(new PlimsollError("bad-session", "the disk is full")), get: async () => null };
    const { start } = agentSetup([echoCalls("c1"), { text: "done" }], {
      tools: [agentTool("echo", async () => ({ text: "long\n".repeat(50_000), isError: false }))],
      artifacts: full,
      policy: { ...PLIMSOLL_POLICY, truncation: { capTokens: 16_000 } },
    });
    const agent = await start();
    expect(await agent.submit("go")).toMatchObject({ reason: "done" });
    expect(agent.context().messages[2]).toMatchObject({
      isError: true,
      parts: [{ text: expect.stringContaining("the disk is full") }],
    });
  });

  test("ends after the steps that it may take", async () => {
    const { start, model } = agentSetup((index) => echoCalls(`c${index}`), { maxSteps: 3 });
    const agent = await start();
    expect(await agent.submit("go")).toMatchObject({ reason: "max-steps", steps: 3 });
    expect(model.requests()).toHaveLength(3);
    expect(await agent.submit("go on")).toMatchObject({ reason: "max-steps", steps: 3 });
  });

  test("a provider's failure is an outcome, and the session goes on", async () => {
    const error = new PlimsollError("provider-failed", "quota used up");
    const { start, events } = agentSetup([{ error }, { text: "here again" }]);
    const agent = await start();
    expect(await agent.submit("go")).toMatchObject({ reason: "failed", error });
    expect(await agent.submit("again")).toMatchObject({ reason: "done", text: "here again" });
    expect(events.filter(({ type }) => type === "agent-end")).toHaveLength(2);
  });

  test("a closed agent refuses every call by name, and holds no log; also if it is closed while it runs", async () => {
    const sessions = createMemorySessionStore();
    const { start, options } = agentSetup([{ text: "done" }], { sessions });
    const agent = await start();
    const running = agent.submit("go");
    await Promise.all([agent.close(), agent.close()]);
    expect((await running).reason).toMatch(/cancelled|done/);
    const calls = [
      () => agent.submit("go"),
      () => agent.replaceHistoryAndSubmit([], "go"),
      async () => agent.steer("go"),
      () => agent.compact(),
      () => agent.undo(),
      () => agent.switchModel(options.model),
      async () => agent.setMode("default"),
      () => agent.recall("h", { startChar: 0, maximumChars: 1 }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "closed" });
    agent.cancel();
    expect(agent.state().status).toBe("closed");
    await (await sessions.open("main")).writer.close();
  });

  test("after a write that failed the next one brings what is missing", async () => {
    const memory = createMemorySessionStore();
    let failures = 1;
    const failingOnce: typeof memory = {
      ...memory,
      create: async (start) => {
        const writer = await memory.create(start);
        const append: typeof writer.append = (entries) => {
          const isReply = entries.some((entry) => entry.type === "message" && entry.message.role === "assistant");
          failures -= isReply ? 1 : 0;
          return isReply && failures === 0
            ? Promise.reject(new PlimsollError("bad-session", "the disk is full"))
            : writer.append(entries);
        };
        return { ...writer, append };
      },
    };
    const { start } = agentSetup([{ text: "one" }, { text: "two" }], { sessions: failingOnce });
    const agent = await start();
    await expect(agent.submit("go")).rejects.toThrow("the disk is full");
    expect(await agent.submit("again")).toMatchObject({ reason: "done", text: "two" });
    expect((await memory.read("main"))?.entries).toEqual(await agent.entries());
  });

  test("a subscriber that throws disturbs neither the run nor the others", async () => {
    const { start } = agentSetup([{ text: "done" }]);
    const agent = await start();
    const heard: string[] = [];
    agent.subscribe(() => expect.fail("broken display"));
    const leave = agent.subscribe(({ type }) => heard.push(type));
    await agent.submit("go");
    leave();
    await agent.submit("again");
    expect(heard.filter((type) => type === "agent-end")).toHaveLength(1);
  });

  test.each([[""], [" \n"]])("there is nothing to send in %j", async (input) => {
    await expect((await agentSetup([]).start()).submit(input)).rejects.toMatchObject({ code: "bad-input" });
  });
});

describe("while it runs", () => {
  test("a message sent meanwhile enters at the next step and begins a turn", async () => {
    const { options, model, events } = agentSetup([echoCalls("c1"), { text: "as you wish" }]);
    const agent = await startAgent({
      ...options,
      tools: [
        agentTool("echo", async () => {
          agent.steer("turn left");
          return { text: "ok", isError: false };
        }),
      ],
    });
    await agent.submit("go");
    expect(model.requests()[1]?.context.messages.map(textOf)).toEqual(["go", "", "ok", "turn left"]);
    expect(events.flatMap((event) => (event.type === "turn-end" ? [event.reason] : []))).toEqual(["steered", "done"]);
  });

  test("cancelling ends a request that hangs; the log can go on", async () => {
    const asked: (() => void)[] = [];
    const isAsked = new Promise<void>((resolve) => asked.push(resolve));
    const { start } = agentSetup((index) => {
      for (const each of asked) each();
      return index === 0 ? "hang" : { text: "here again" };
    });
    const agent = await start();
    const run = agent.submit("go");
    await expect(agent.submit("meanwhile")).rejects.toMatchObject({ code: "bad-input" });
    await isAsked;
    agent.cancel();
    expect(await run).toMatchObject({ reason: "cancelled" });
    expect(await agent.submit("again")).toMatchObject({ reason: "done" });
  });

  test("a run that is cancelled before its first step asks no model, and its message stays", async () => {
    const { start, model } = agentSetup([{ text: "here again" }]);
    const agent = await start();
    const run = agent.submit("go");
    agent.cancel();
    expect(await run).toMatchObject({ reason: "cancelled", steps: 0 });
    expect(model.requests()).toHaveLength(0);
    expect(await agent.submit("again")).toMatchObject({ reason: "done", text: "here again" });
    expect(agent.context().messages.map(textOf)).toEqual(["go", "again", "here again"]);
  });

  test("cancelling ends a tool that never does; its call has a result", async () => {
    const { options } = agentSetup([echoCalls("c1"), { text: "here again" }]);
    const agent = await startAgent({
      ...options,
      tools: [
        agentTool("echo", () => {
          agent.cancel();
          return new Promise(() => undefined);
        }),
      ],
    });
    expect(await agent.submit("go")).toMatchObject({ reason: "cancelled" });
    expect(agent.context().messages[2]).toMatchObject({ isError: true, callId: "c1" });
    expect(await agent.submit("again")).toMatchObject({ reason: "done" });
  });

  test("a compaction that is asked for waits for the next step", async () => {
    const { options } = agentSetup((index) => (index < 5 ? echoCalls(`c${index}`) : { text: "done" }));
    const asked: Promise<{ readonly kind: string }>[] = [];
    const agent = await startAgent({
      ...options,
      tools: [
        agentTool("echo", async (_, { callId }) => {
          if (callId === "c3") asked.push(agent.compact({ keep: { messages: 2 } }));
          return { text: "output ".repeat(200), isError: false };
        }),
      ],
    });
    await agent.submit("go");
    expect(await Promise.all(asked)).toMatchObject([{ kind: "compacted" }]);
  });
});

describe("compaction in the loop", () => {
  const outputs = (chars: number) => [agentTool("echo", async () => ({ text: "x y ".repeat(chars / 4), isError: false }))];

  test("happens at the gates, fits every request, and is told with sizes, strategy and step", async () => {
    const { start, events, model } = agentSetup((index) => (index < 40 ? echoCalls(`c${index}`) : { text: "done" }), {
      tools: outputs(3000),
    });
    const agent = await start();
    expect(await agent.submit("go")).toMatchObject({ reason: "done", steps: 41 });
    const made = events.filter((event) => event.type === "compaction-end");
    expect(made.length).toBeGreaterThan(1);
    expect(
      made.every((event) => event.messagesRemoved >= 0 && (event.tokensRemoved ?? 0) > 0 && event.strategies.length > 0),
    ).toBe(true);
    expect(made.every((event) => (event.step ?? 0) > 0)).toBe(true);
    expect(agent.state().totals.compactions).toBe(made.length);
    const sizes = model.requests().map(({ context }) => JSON.stringify(context.messages).length / 4);
    expect(Math.max(...sizes)).toBeLessThan(AGENT_LIMITS.contextWindowTokens);
  });

  test("an overflow is recovered from as often as the policy says", async () => {
    const overflow = new PlimsollError("context-overflow", "too long", { limitTokens: 3000, requestedTokens: 3100 });
    const replies: ScriptedReply[] = [
      ...Array.from({ length: 6 }, (_, index) => echoCalls(`c${index}`)),
      { error: overflow },
      { text: "done" },
    ];
    const { start, events } = agentSetup(replies, { tools: outputs(2000) });
    const agent = await start();
    expect(await agent.submit("go")).toMatchObject({ reason: "done" });
    expect(events.filter(({ type }) => type === "overflow-detected")).toMatchObject([
      { limitTokens: 3000, requestedTokens: 3100, recovery: 1 },
    ]);
    expect(events.filter(({ type }) => type === "compaction-end")).toMatchObject([{ reason: "overflow" }]);
  });

  test("a reply that is too long for the window is asked for shorter, before anything is compacted", async () => {
    const overflow = new PlimsollError("context-overflow", "too long", { limitTokens: 3000, promptTokens: 500 });
    const { start, events, model } = agentSetup([{ error: overflow }, { text: "done" }, { text: "again" }]);
    const agent = await start();
    expect(await agent.submit("go")).toMatchObject({ reason: "done", text: "done" });
    await agent.submit("on");
    expect(model.requests().map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1000, 750, 750]);
    expect(events.filter(({ type }) => type === "output-lowered")).toMatchObject([{ limitTokens: 3000, maxOutputTokens: 750 }]);
    expect(events.filter(({ type }) => type === "overflow-detected" || type === "compaction-start")).toEqual([]);
    expect(agent.state().context).toMatchObject({ windowTokens: 3000 });
  });

  test("a reply that does not fit beside what cannot be cut is asked for shorter, with a word", async () => {
    const limits = { contextWindowTokens: 9000, maxOutputTokens: 2000 };
    const { options, events, model } = agentSetup([{ text: "done" }]);
    const agent = await startAgent({ ...options, model: { ...options.model, limits } });
    expect(await agent.submit("some words of a person ".repeat(1380))).toMatchObject({ reason: "done" });
    const [asked = 0] = model.requests().map(({ maxOutputTokens }) => maxOutputTokens);
    expect(asked).toBeLessThan(2000);
    expect(events.filter(({ type }) => type === "output-lowered")).toMatchObject([
      { limitTokens: 9000, maxOutputTokens: asked },
    ]);
  });

  const dropping = { ...PLIMSOLL_POLICY, strategies: [{ kind: "drop-oldest", amount: "all-but-keep", notice: "count" }] };
  test.each([
    ["which no writer heard is told with what came of it", dropping, "the bug", /wrote no summary here.+it needs/],
    ["which a digest heard is not", PLIMSOLL_POLICY, "the bug", undefined],
    ["that nobody gave is not", dropping, null, undefined],
  ])("a focus %s", async (_what, policy, focus, told) => {
    const { start } = agentSetup((index) => (index < 6 ? echoCalls(`c${index}`) : { text: "done" }), {
      tools: outputs(800),
      policy,
    });
    const agent = await start();
    await agent.submit("go");
    const outcome = await agent.compact({ keep: { messages: 2 }, focus });
    expect(outcome).toEqual({
      kind: "compacted",
      entry: expect.anything(),
      ...(told === undefined ? {} : { unusedFocus: expect.stringMatching(told) }),
    });
  });

  test("is undone to the exact context from before, and stays so when the session is resumed", async () => {
    const { start, options, sessions } = agentSetup((index) => (index < 6 ? echoCalls(`c${index}`) : { text: "done" }), {
      tools: outputs(800),
    });
    const agent = await start();
    await agent.submit("go");
    const before = agent.context().messages;
    expect(await agent.compact({ keep: { messages: 2 }, focus: "the bug" })).toMatchObject({ kind: "compacted" });
    expect(agent.context().messages.length).toBeLessThan(before.length);
    await agent.undo();
    expect(agent.context().messages).toEqual(before);
    await agent.close();
    const resumed = await startAgent({ ...options, session: { kind: "resume", sessionId: "main" } });
    expect(resumed.context().messages).toEqual(before);
    expect(((await sessions.read("main"))?.entries ?? []).reduce(foldEntry, EMPTY_VIEW).messages.slice()).toEqual(before);
    await expect(resumed.undo()).rejects.toMatchObject({ code: "bad-input" });
  });

  test("the work of a step does not grow with the session", async () => {
    const work = createWorkCounter();
    const steps: number[] = [];
    const { options } = agentSetup((index) => (index < 2000 ? echoCalls(`c${index}`) : { text: "done" }), {
      tools: outputs(400),
      maxSteps: 3000,
      context: { work },
    });
    const agent = await startAgent({
      ...options,
      onEvent: ({ type }) => {
        if (type === "step-start") steps.push(work.total().charactersScanned);
      },
    });
    await agent.submit("go");
    const between = (from: number, to: number) => (steps[to] ?? 0) - (steps[from] ?? 0);
    // Of 400 steps each: in 100 there may be a cut more.
    expect(between(1600, 2000)).toBeLessThan(1.1 * between(200, 600));
  }, 60_000);
});

describe("what it is started with", () => {
  test("two tools of one name are refused in one line, before anything is logged", async () => {
    const { start, sessions } = agentSetup([], { tools: [ECHO_TOOL, agentTool("other", ECHO_TOOL.run), ECHO_TOOL] });
    await expect(start()).rejects.toMatchObject({ code: "bad-input", message: 'two tools have the name "echo"' });
    expect(await sessions.list()).toEqual([]);
  });

  test("replacing the history leaves the old one in the log", async () => {
    const { start, model } = agentSetup([{ text: "one" }, { text: "two" }]);
    const agent = await start();
    await agent.submit("first");
    await agent.replaceHistoryAndSubmit(
      [{ role: "user", origin: "injected", parts: [{ type: "text", text: "what happened before" }], atMs: null }],
      "second",
    );
    expect(model.requests()[1]?.context.messages.map(textOf)).toEqual(["what happened before", "second"]);
    expect(JSON.stringify(await agent.entries())).toContain("first");
  });

  test("parts with an image are sent as they are", async () => {
    const { start, model } = agentSetup([{ text: "a cat" }]);
    const image = {
      type: "image",
      mediaType: "image/png",
      widthPx: 1,
      heightPx: 1,
      sizeBytes: 1,
      source: { kind: "absent" },
    } as const;
    await (await start()).submit([{ type: "text", text: "what is this?" }, image]);
    expect(model.requests()[0]?.context.messages[0]?.parts).toEqual([{ type: "text", text: "what is this?" }, image]);
  });

  test("a mode refuses tools; the model is told of all of them all the same", async () => {
    const { start, model } = agentSetup([echoCalls("c1"), { text: "one" }, echoCalls("c2"), { text: "two" }], {
      modes: { plan: [] },
      mode: "plan",
    });
    const agent = await start();
    await agent.submit("go");
    expect(textOf(agent.context().messages[2] ?? expect.fail())).toContain('may not be used in mode "plan"');
    agent.setMode("default");
    await agent.submit("go");
    expect(textOf(agent.context().messages[6] ?? expect.fail())).toBe('{"id":"c2"}');
    expect(model.requests().map(({ context }) => context.tools.length)).toEqual([1, 1, 1, 1]);
    expect(() => agent.setMode("no-such")).toThrow('unknown mode "no-such": known: default, plan');
  });

  test("dynamic context is asked for at each request and never logged", async () => {
    let commit = 0;
    const { start, model } = agentSetup([echoCalls("c1"), { text: "done" }], {
      dynamicContext: () => {
        commit += 1;
        return `commit ${commit}`;
      },
    });
    const agent = await start();
    await agent.submit("go");
    const [first, second] = model.requests().map(({ context }) => context.dynamicContext);
    expect(first).not.toBe(second);
    expect(JSON.stringify(await agent.entries())).not.toContain("commit ");
  });

  test("under a model that binds reasoning dynamic context is a message where it changed, until a cut takes it", async () => {
    const branches = ["main", "topic", " ", "topic"].values();
    const { start, model } = agentSetup(
      [
        { ...echoCalls("c1"), text: "so it goes, on and on. ".repeat(300) },
        echoCalls("c2"),
        echoCalls("c3"),
        echoCalls("c4"),
        { text: "done" },
        { text: "more" },
      ],
      { isBoundReasoning: () => true, dynamicContext: () => branch },
    );
    let branch = "main";
    const agent = await start();
    agent.subscribe(({ type }) => {
      if (type === "tool-end") branch = branches.next().value ?? "topic";
    });
    await agent.submit("go");
    const said = () =>
      agent
        .context()
        .messages.flatMap((message) => (message.role === "user" && message.origin === "injected" ? [textOf(message)] : []));
    expect(said()).toEqual(["main", "topic"]);
    for (const [index, { context }] of model.requests().entries()) {
      expect(context.dynamicContext).toBeNull();
      // Nothing that was sent is taken back.
      const next = model.requests()[index + 1]?.context.messages ?? context.messages;
      expect(next.slice(0, context.messages.length)).toEqual(context.messages);
    }
    // As a cut that takes all of it does.
    await agent.replaceHistoryAndSubmit([], "and now?");
    expect(
      model
        .requests()
        .at(-1)
        ?.context.messages.map((message) => textOf(message))
        .at(-1),
    ).toBe("topic");
  });

  test("reasoning that is refused leaves the log, and the request goes out once more", async () => {
    const refused = new PlimsollError("provider-failed", "the block is bound", { outcome: { kind: "reasoning-refused" } });
    let count = 0;
    const { start, model } = agentSetup(() => {
      count += 1;
      return count === 2 ? { error: refused } : { text: `answer ${count}` };
    });
    const agent = await start();
    const thought = { type: "reasoning", text: "why", opaque: null } as const;
    await agent.replaceHistoryAndSubmit([human("1", "go"), assistant("2", [thought, { type: "text", text: "so" }])], "on");
    const outcome = await agent.submit("again");
    expect(outcome).toMatchObject({ reason: "done", text: "answer 3" });
    expect(JSON.stringify(model.requests()[1]?.context.messages)).toContain("why");
    expect(JSON.stringify(model.requests()[2]?.context.messages)).not.toContain("why");
    expect(JSON.stringify(await agent.entries())).toContain("removedReasoning");
  });

  test("a sub-agent has a log of its own that names its parent, and its events come through", async () => {
    const task = agentTool("task", async (_, context) => {
      const { text, isError } = await context.runSubAgent({ prompt: "look closely" });
      return { text, isError };
    });
    const { start, events, sessions } = agentSetup(
      [{ calls: [{ callId: "c1", toolName: "task", argumentsJson: "{}" }] }, { text: "found it" }, { text: "done" }],
      { tools: [ECHO_TOOL, task] },
    );
    const agent = await start();
    await agent.submit("go");
    expect(textOf(agent.context().messages[2] ?? expect.fail())).toBe("found it");
    const [child] = (await sessions.list()).filter(({ parentId }) => parentId === "main");
    expect((await sessions.read(child?.sessionId ?? ""))?.entries[0]).toMatchObject({
      parent: { sessionId: "main", callId: "c1" },
    });
    expect(events.some((event) => event.sessionId === child?.sessionId && event.type === "agent-end")).toBe(true);
  });

  test("switching to a smaller window compacts first", async () => {
    const { start, options } = agentSetup((index) => (index < 6 ? echoCalls(`c${index}`) : { text: "done" }), {
      tools: [agentTool("echo", async () => ({ text: "x y ".repeat(500), isError: false }))],
    });
    const agent = await start();
    await agent.submit("go");
    const limits = { contextWindowTokens: 2500, maxOutputTokens: 500 };
    expect(await agent.switchModel({ ...options.model, modelId: "test/small", limits })).toMatchObject({ kind: "compacted" });
    expect(agent.state()).toMatchObject({ modelId: "test/small", context: { windowTokens: 2500 } });
  });

  test("a reply as large as the window is not asked for", async () => {
    const { options, model } = agentSetup([{ text: "done" }]);
    const limits = { contextWindowTokens: 4000, maxOutputTokens: 4000 };
    const agent = await startAgent({ ...options, model: { ...options.model, limits } });
    await agent.submit("go");
    expect(model.requests().map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1000]);
  });
});
