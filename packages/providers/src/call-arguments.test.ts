import { startAgent } from "@plimsoll/agent";
import { createMemoryArtifactStore, PLIMSOLL_POLICY } from "@plimsoll/core";
import { startSimulator } from "@plimsoll/simulator";
import { createMemorySessionStore } from "@plimsoll/stores";
import { describe, expect, onTestFinished, test } from "vitest";
import { openPartDoor, PART_DOORS } from "../testing/doors.ts";
import { ITEM_FORMS, type KeptName } from "../testing/item-forms.ts";
import { keptHistory } from "../testing/kept-items.ts";
import { CLIENTS } from "../testing/wire-clients.ts";

const CUT = '{"path":"a.ts","content":"half of a fi';
const LONG = `{"content":"${"a".repeat(5_000)}`;

/** Arguments as a model writes them, and the object that is sent in their place. */
const UNSOUND: readonly (readonly [string, string, object])[] = [
  ["cut off", CUT, { unparsed: CUT }],
  ["cut off after much", LONG, { unparsed: LONG.slice(0, 2_000) }],
  ["a list", "[]", { unparsed: "[]" }],
  ["a number", "7", { unparsed: "7" }],
  ["words", "look at a.ts", { unparsed: "look at a.ts" }],
  ["nothing", "null", {}],
  ["an empty text", "", {}],
  ["a text that is empty", '""', {}],
];

/** The same, as a value where items hold values. */
const asValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const givenTo = (name: KeptName, text: string) => (ITEM_FORMS[name].holds === "text" ? text : asValue(text));

/** The arguments of the call in the sent request; `undefined` if there is none. */
const heldArguments = (sent: unknown): unknown => {
  const found: unknown[] = [];
  JSON.stringify(sent, (key, value: unknown) => {
    if (["arguments", "input", "args"].includes(key)) found.push(value);
    return value;
  });
  return found[0];
};
const argumentsIn = (sent: unknown): unknown => {
  const found = heldArguments(sent);
  return typeof found === "string" ? JSON.parse(found) : found;
};

describe.each(PART_DOORS)("a call of %s through a %s", (name, through) => {
  test.each(UNSOUND)("whose arguments are %s has an object for them", async (_, text, expected) => {
    const door = openPartDoor(name, { through });
    onTestFinished(door.close);
    const history = keptHistory(name, [{ id: "c1", seal: null, given: givenTo(name, text) }]);
    const { items } = await door.fit(history);
    expect(argumentsIn(items)).toEqual(expected);
    expect(items).toHaveLength(history.length);
    expect(JSON.stringify(items)).toContain("seen c1");
    const isOther = (item: unknown) => heldArguments(item) === undefined;
    expect(items.filter(isOther)).toEqual(history.filter(isOther));
    expect(JSON.stringify(await door.fit(history).then((again) => again.items))).toBe(JSON.stringify(items));
    expect(JSON.stringify(await door.entries())).not.toContain("unparsed");
  });

  test.each([
    ["null", null, {}],
    ["a list", [1], { unparsed: "[1]" }],
  ])("whose arguments are %s for a value has an object for them", async (_, given, expected) => {
    const door = openPartDoor(name, { through });
    onTestFinished(door.close);
    const { items } = await door.fit(keptHistory(name, [{ id: "c1", seal: null, given }]));
    expect(argumentsIn(items)).toEqual(expected);
  });
});

test.each(PART_DOORS)("sound calls of %s through a %s are the caller's own", async (name, through) => {
  const door = openPartDoor(name, { through });
  onTestFinished(door.close);
  const history = keptHistory(name, [{ id: "c1", seal: null }]);
  expect((await door.fit(history)).items).toEqual(history);
});

test("a call whose input is text is sent as it is", async () => {
  const door = openPartDoor("openai-responses");
  onTestFinished(door.close);
  const call = { type: "custom_tool_call", id: "ctc_1", call_id: "c1", name: "patch", input: "*** Begin Patch" };
  const output = { type: "custom_tool_call_output", call_id: "c1", output: "Done." };
  const history = [{ type: "message", role: "user", content: "go" }, call, output];
  const { items } = await door.fit(history);
  expect(items.every((item, index) => item === history[index])).toBe(true);
});

test("a proxy that mends nothing passes them as they came", async () => {
  const door = openPartDoor("openai-chat", { through: "proxy", mending: "off" });
  onTestFinished(door.close);
  const history = keptHistory("openai-chat", [{ id: "c1", seal: null, given: CUT }]);
  expect((await door.fit(history)).items).toEqual(history);
});

describe.each(Object.entries(CLIENTS))("an agent on %s", (_, clientOf) => {
  test.each(UNSOUND)("sends an object for arguments that are %s, and logs them as they were", async (__, text, expected) => {
    const bodies: unknown[] = [];
    const simulator = await startSimulator({
      replies: ({ replyIndex }) => ({
        parts: [
          replyIndex === 0 ? { type: "tool-call", toolName: "look", argumentsJson: text } : { type: "text", text: "Done." },
        ],
      }),
      onRequest: (_wire, body) => bodies.push(body),
    });
    onTestFinished(() => simulator.close());
    const agent = await startAgent({
      session: { kind: "new", sessionId: "s", system: "You look." },
      sessions: createMemorySessionStore(),
      artifacts: createMemoryArtifactStore(),
      model: { client: clientOf(simulator), modelId: "m", limits: { contextWindowTokens: 100_000, maxOutputTokens: 1_000 } },
      policy: PLIMSOLL_POLICY,
      tools: [],
      nowMs: () => 0,
    });
    expect((await agent.submit("go")).error).toBeNull();
    expect(bodies).toHaveLength(2);
    const { messages, input } = Object(bodies[1]);
    expect(argumentsIn(messages ?? input)).toEqual(expected);
    const calls = (await agent.entries()).flatMap((entry) =>
      entry.type === "message" ? entry.message.parts.filter((part) => part.type === "tool-call") : [],
    );
    // A stream of the Messages wire says nothing of arguments that there are none of.
    expect(calls.map(({ argumentsJson }) => argumentsJson || "{}")).toEqual([text || "{}"]);
    await agent.close();
  });
});
