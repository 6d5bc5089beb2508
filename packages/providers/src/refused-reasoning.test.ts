import { PLIMSOLL_POLICY, type SessionStore } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { describe, expect, onTestFinished, test } from "vitest";
import { openPartDoor, PART_DOORS, type Refused, untilTaken } from "../testing/doors.ts";
import type { KeptName } from "../testing/item-forms.ts";
import { keptHistory } from "../testing/kept-items.ts";
import { WIRE_SESSIONS } from "../testing/wire-sessions.ts";
import { sdkRejection } from "./client/failure.ts";
import { type Fields, recordsAt } from "./fields.ts";

const seal = (name: string) => `gAAAAAB${name.padEnd(40, "Qx7")}`;
const [OLD, NEW, NEXT] = [seal("old"), seal("new"), seal("next")];
const STEPS = [
  { id: "c1", seal: OLD },
  { id: "c2", seal: NEW },
];

/** The place of the first step's reasoning in the sent request. */
const placeOf: { readonly [name: string]: string } = {
  "openai-chat": "messages[1].reasoning_details[0]",
  "openai-responses": "input[1].encrypted_content",
  anthropic: "messages.1.content.0",
  gemini: "contents[1].parts[0]",
  "ai-sdk": "messages.1.content.0",
  langchain: "messages.1.content.0",
  agents: "input[1]",
};

/** Refusals of reasoning, with the place of it if they name one; each is tried on the wires whose servers may send it. */
const NAMED: readonly (readonly [string, number, (place: string) => unknown])[] = [
  ["a place alone", 400, (place) => ({ message: `${place}: so nicht`, type: "invalid_request_error" })],
  ["a place as a pointer", 422, (place) => ({ message: "so nicht", pointer: `/${place.replace(/\W+/g, "/")}` })],
  ["a code", 400, () => ({ message: "so nicht", code: "invalid_encrypted_content", param: null })],
  ["the beginning of a seal", 400, () => ({ message: `The content ${OLD.slice(0, 20)}... cannot be read` })],
  ["a damaged signature", 400, () => ({ message: "messages.9.content.0: Invalid `signature` in `thinking` block" })],
  [
    "a bound signature",
    400,
    () => ({ message: "Invalid `signature` in `thinking` block: the block is bound to a different conversation" }),
  ],
  [
    "another organization",
    400,
    () => ({
      message: "The encrypted content for item rs_c9 could not be verified. Reason: organization_id did not match.",
      code: "invalid_encrypted_content",
    }),
  ],
  ["xAI's words", 400, () => "Could not decrypt the provided encrypted_content."],
  ["a type", 400, () => ({ type: "thinking_error", message: "块格式无效，请检查配置或请求参数" })],
  ["a key's status", 401, () => ({ message: "invalid thinking signature", type: "authentication_error" })],
  ["a rate's status", 429, () => ({ message: "upstream 400: invalid_encrypted_content", type: "rate_limit_error" })],
];

/** Fields of replies by which servers that do not know them name them, without a place. */
const FIELDS: readonly (readonly [string, KeptName])[] = [
  ["property 'reasoning_details' is unsupported", "openai-chat"],
  ["reasoning_details is not supported", "openai-chat"],
  ['Unknown name "thoughtSignature": Cannot find field.', "gemini"],
  ["Unexpected field `encrypted_content`", "openai-responses"],
];

const holds = (items: readonly Fields[], text: string) => JSON.stringify(items).includes(text);

describe.each(PART_DOORS)("reasoning of %s that is refused through a %s", (name, through) => {
  test.each(NAMED)("leaves once, is remembered, and the session goes on: %s", async (_, status, bodyAt) => {
    const sessions = createMemorySessionStore();
    const refused = (items: readonly Fields[]) => (holds(items, OLD) ? { status, body: bodyAt(placeOf[name] ?? "") } : null);
    const first = openPartDoor(name, { through, sessions });
    const taken = await untilTaken(first, keptHistory(name, STEPS), refused);
    expect([taken.requests, taken.failure]).toEqual([2, null]);
    expect(holds(taken.items, "seen c1") && holds(taken.items, "seen c2")).toBe(true);
    // The model's words from then on are its own.
    const later = keptHistory(name, [...STEPS, { id: "c3", seal: NEXT }], "And then?");
    const history = [...keptHistory(name, STEPS), ...later.slice(keptHistory(name, STEPS).length - 1)];
    const next = await untilTaken(first, history, refused);
    expect([next.requests, holds(next.items, NEXT), holds(next.items, OLD)]).toEqual([1, true, false]);
    await first.close();
    const again = openPartDoor(name, { through, sessions });
    onTestFinished(again.close);
    expect((await untilTaken(again, history, refused)).requests).toBe(1);
  });

  const unknown: Refused = { status: 400, body: { message: "Die Fracht ist nicht in Ordnung" } };

  test.each([
    ["the newest", NEW, 2],
    ["an older one", OLD, 3],
  ])("leaves after unknown words if it is %s", async (_, bad, requests) => {
    const door = openPartDoor(name, { through });
    onTestFinished(door.close);
    const taken = await untilTaken(door, keptHistory(name, STEPS), (items) => (holds(items, bad) ? unknown : null));
    expect([taken.requests, taken.failure, holds(taken.items, OLD)]).toEqual([requests, null, bad === NEW]);
  });

  test.each([
    "Die Fracht ist nicht in Ordnung",
    "adaptive thinking is not supported on this model",
    "Reasoning is mandatory for this endpoint and cannot be disabled.",
  ])("is there again after a refusal that it was not the reason of: %s", async (message) => {
    const sessions = createMemorySessionStore();
    const first = openPartDoor(name, { through, sessions });
    const history = keptHistory(name, STEPS);
    const refusing = await untilTaken(first, history, () => ({ status: 400, body: { message } }));
    expect(refusing.failure).not.toBeNull();
    // Its caller changed the setting.
    expect(await untilTaken(first, history, () => null)).toMatchObject({ requests: 1, items: history });
    await first.close();
    const again = openPartDoor(name, { through, sessions });
    onTestFinished(again.close);
    expect((await untilTaken(again, history, () => null)).items).toEqual(history);
  });
});

/** Refusals of something else, some with the name of reasoning. */
const NEAR: readonly (readonly [string, number, unknown])[] = [
  ["an image", 400, { message: "Invalid image url", param: "messages[0].content[1].image_url" }],
  ["a parameter", 400, { message: "Unknown parameter: 'reasoning.generate'.", param: "reasoning.generate" }],
  ["a parameter of seals", 400, { message: "Encrypted content is not supported with this model.", param: "include" }],
  ["a setting of thinking", 400, { message: "thinking.block_binding: Extra inputs are not permitted" }],
  ["a model without thinking", 400, { message: "adaptive thinking is not supported on this model", param: "thinking" }],
  ["a schema in its place", 400, { message: "tools.function.parameters is not a valid json schema", param: "tools" }],
  ["a budget", 400, { message: "thinking.budget_tokens: Input should be greater than or equal to 1024" }],
  [
    "a schema",
    400,
    { message: "Invalid schema for function 'look': None is not of type 'object'", param: "tools[0].parameters" },
  ],
  [
    "the request itself, which is sent back,",
    422,
    {
      detail: [
        { loc: ["body", "tools", 0], msg: "so nicht", input: { role: "assistant", encrypted_content: OLD, signature: OLD } },
      ],
    },
  ],
  ["a key", 401, { message: "Incorrect API key provided", code: "invalid_api_key" }],
  ["a cloud's key", 403, { message: "The request signature we calculated does not match the signature you provided." }],
  ["a model", 404, { message: "The model `m` does not exist", code: "model_not_found" }],
  ["a reply's length", 400, { message: "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens" }],
  [
    "reasoning that is wanted",
    400,
    { message: "The `reasoning_content` in the thinking mode must be passed back to the API." },
  ],
  [
    "a signature that is wanted",
    400,
    { message: "Function call is missing a thought_signature in functionCall parts.", status: "INVALID_ARGUMENT" },
  ],
  ["a result of a call", 400, { message: "No tool output found for function call c1.", param: "input" }],
];

describe.each(PART_DOORS)("reasoning of %s stays through a %s", (name, through) => {
  test.each(NEAR)("where %s is refused", async (_, status, body) => {
    const door = openPartDoor(name, { through });
    onTestFinished(door.close);
    const history = keptHistory(name, STEPS);
    const taken = await untilTaken(door, history, () => ({ status, body }));
    expect([taken.requests, taken.items]).toEqual([1, history]);
  });
});

const LIMITS = { contextWindowTokens: 200_000, maxOutputTokens: 1_000 };
const TOKENS = { input_tokens: 9, output_tokens: 9 };
const reply = (id: string, sealed: string) => ({
  ...{ id: `msg_${id}`, type: "message", role: "assistant", model: "claude-opus-4-5", stop_reason: "tool_use", usage: TOKENS },
  content: [
    { type: "thinking", thinking: "hm", signature: sealed },
    { type: "tool_use", id, name: "look", input: {} },
  ],
});
const response = (id: string, sealed: string) => ({
  ...{ id: `resp_${id}`, object: "response", model: "gpt-5", status: "completed", usage: TOKENS },
  output: [
    { type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: sealed },
    { type: "function_call", id: `fc_${id}`, call_id: id, name: "look", arguments: "{}" },
  ],
});

const SESSIONS = [
  ["anthropic", "claude-opus-4-5", reply],
  ["openai-responses", "gpt-5", response],
] as const;

describe.each(SESSIONS)("reasoning of a session on %s that is refused", (name, model, answer) => {
  const create = (sessions: SessionStore) =>
    WIRE_SESSIONS[name]({ policy: PLIMSOLL_POLICY, limits: LIMITS, sessionId: "s", model, sessions });
  const isAnswer = (value: unknown): value is never => value !== null;
  test.each<(typeof NAMED)[number]>([...NAMED, ["unknown words", 422, () => ({ message: "Die Fracht ist nicht in Ordnung" })]])(
    "leaves once, also for whoever reopens it: %s",
    async (__, status, bodyAt) => {
      const sessions = createMemorySessionStore();
      const bodies: string[] = [];
      let isRefusing = false;
      const call = (id: string, sealed: string) => async (body: unknown) => {
        bodies.push(JSON.stringify(body));
        const refusal = { status, error: bodyAt(placeOf[name] ?? "") };
        if (isRefusing && bodies.at(-1)?.includes(OLD) === true) throw Object.assign(new Error(`${status}`), refusal);
        const given = answer(id, sealed);
        return isAnswer(given) ? given : expect.fail("no answer");
      };
      const session = await create(sessions);
      session.user("go");
      await session.send(call("c1", OLD));
      session.result("c1", "seen c1");
      isRefusing = true;
      await session.send(call("c2", NEXT));
      session.result("c2", "seen c2");
      await session.send(call("c3", NEXT));
      session.result("c3", "seen c3");
      await session.close();
      const again = await create(sessions);
      again.user("and then?");
      await again.send(call("c4", NEXT));
      await again.close();
      expect(bodies.map((body) => [body.includes(OLD), body.includes(NEXT), body.includes("seen c1")])).toEqual([
        [false, false, false],
        [true, false, true],
        [false, false, true],
        [false, true, true],
        [false, true, true],
      ]);
    },
  );

  test("is there again after a refusal that it was not the reason of", async () => {
    const session = await create(createMemorySessionStore());
    onTestFinished(session.close);
    const bodies: string[] = [];
    const call = (given: unknown) => async (body: unknown) => {
      bodies.push(JSON.stringify(body));
      if (!isAnswer(given)) throw Object.assign(new Error("400"), { status: 400, error: { message: "so nicht" } });
      return given;
    };
    session.user("go");
    await session.send(call(answer("c1", OLD)));
    session.result("c1", "seen c1");
    await expect(session.send(call(null))).rejects.toThrow();
    await session.send(call(answer("c2", NEXT)));
    const held = bodies.map((body) => body.includes(OLD));
    expect([held[1], held.slice(2, -1).includes(false), held.at(-1)]).toEqual([true, true, true]);
  });
});

test.each(FIELDS.flatMap((each) => (["drop-in", "proxy"] as const).map((through) => [...each, through] as const)))(
  "%s: reasoning of %s leaves through a %s",
  async (message, name, through) => {
    const door = openPartDoor(name, { through });
    onTestFinished(door.close);
    const refused = (items: readonly Fields[]) => (holds(items, OLD) ? { status: 400, body: { message } } : null);
    const taken = await untilTaken(door, keptHistory(name, STEPS), refused);
    expect([taken.requests, taken.failure, holds(taken.items, "seen c1")]).toEqual([2, null, true]);
  },
);

interface Server {
  readonly history: readonly Fields[];
  readonly refused: (items: readonly Fields[]) => Refused | null;
}

/** Items that a server takes, also after a restart, from which on nothing is refused. */
async function takenTwice(name: KeptName, through: "drop-in" | "proxy", server: Server) {
  const { history, refused } = server;
  const sessions = createMemorySessionStore();
  const first = openPartDoor(name, { through, sessions });
  const taken = await untilTaken(first, history, refused);
  await first.close();
  const again = openPartDoor(name, { through, sessions });
  onTestFinished(again.close);
  expect(await untilTaken(again, history, refused)).toEqual({ ...taken, requests: 1 });
  return taken;
}

test.each(["drop-in", "proxy"] as const)("a call whose reasoning is missing stands alone through a %s", async (through) => {
  const body = {
    message: "Item 'fc_c1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_c1'.",
    param: "input",
  };
  const history = keptHistory("openai-responses", [{ id: "c1", seal: null }]);
  const refused = (items: readonly Fields[]) => (holds(items, "fc_c1") ? { status: 400, body } : null);
  const taken = await takenTwice("openai-responses", through, { history, refused });
  expect([taken.requests, taken.failure, holds(taken.items, "seen c1")]).toEqual([2, null, true]);
});

test.each(["drop-in", "proxy"] as const)(
  "thinking in the content of a chat's reply leaves alone through a %s",
  async (through) => {
    const door = openPartDoor("openai-chat", { through });
    onTestFinished(door.close);
    const thought = { type: "thinking", thinking: "hm", signature: OLD };
    const history = keptHistory("openai-chat", [{ id: "c1", seal: null }]).map((item) =>
      item.role === "assistant" ? { ...item, content: [thought, { type: "text", text: "so" }] } : item,
    );
    const body = { message: "messages[1]: unknown variant `thinking`, expected `text` at line 1 column 812" };
    const taken = await untilTaken(door, history, (items) => (holds(items, "hm") ? { status: 400, body } : null));
    expect([taken.requests, taken.failure]).toEqual([2, null]);
    expect(taken.items[1]).toEqual({ ...history[1], content: [{ type: "text", text: "so" }] });
  },
);

test.each(["drop-in", "proxy"] as const)(
  "a call of Gemini stays without its damaged signature through a %s",
  async (through) => {
    const history = keptHistory("gemini", STEPS).map((item) => ({
      ...item,
      parts: recordsAt(item, "parts").map((part) =>
        part.functionCall === undefined ? part : { ...part, thoughtSignature: OLD },
      ),
    }));
    const body = { code: 400, message: "Corrupted thought signature.", status: "INVALID_ARGUMENT" };
    const refused = (items: readonly Fields[]) => (holds(items, OLD) ? { status: 400, body } : null);
    const taken = await takenTwice("gemini", through, { history, refused });
    expect([taken.requests, taken.failure]).toEqual([2, null]);
    const calls = taken.items.flatMap((item) => recordsAt(item, "parts")).filter((part) => part.functionCall !== undefined);
    const callOf = (id: string) => ({ functionCall: { id, name: "look", args: { path: "a.ts" } } });
    const thoughtSignature = "skip_thought_signature_validator";
    expect(calls).toEqual(["c1", "c2"].map((id) => ({ ...callOf(id), thoughtSignature })));
  },
);

test.each([
  ["Die Fracht ist nicht in Ordnung", true],
  ["Failed to download multimodal content", undefined],
  ["The number of function response parts is not that of the function call parts", undefined],
  ["no such place: https://example.com/a.png", undefined],
])("unknown words are about reasoning only if they name nothing else: %s", (message, isOfForm) => {
  const request = {
    model: "m",
    messages: [...keptHistory("anthropic", STEPS), { role: "user", content: "https://example.com/a.png" }],
  };
  const thrown = Object.assign(new Error("400"), { status: 400, error: { message } });
  expect(sdkRejection(thrown, request)?.outcome).toEqual({ kind: "unknown", ...(isOfForm === undefined ? {} : { isOfForm }) });
});
