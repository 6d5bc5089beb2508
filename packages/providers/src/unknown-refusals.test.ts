import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { describe, expect, test } from "vitest";
import { ALL_DOORS, type Call, chatAnswer, type OpenDoor, REFUSING_DOORS, refusal } from "../testing/doors.ts";
import { createChatCompactor } from "./drop-in/openai-chat.ts";
import { createChatSession } from "./openai-chat/session.ts";

const LIMITS = { contextWindowTokens: 200_000, maxOutputTokens: 1000 };
const TURNS = 9;

const words = (text: string) => ({ message: text });
const HTML = (text: string) =>
  `<!DOCTYPE html><html lang="en"><head><title>400</title><style>p{color:red}</style></head><body class="error" id='page'><p>${text}</p></body></html>`;

/** Refusals that say nothing that is known, and name nothing. */
const UNNAMED: readonly (readonly [string, number, unknown])[] = [
  ["German, a word and a colon", 400, words("Fehler: die Ladung ist zu schwer für dieses Schiff")],
  ["French", 400, words("Erreur : la cargaison dépasse ce que le navire peut porter")],
  ["Chinese", 400, words("错误:货物太重,船无法承载")],
  ["Russian", 400, words("Ошибка: груз слишком тяжёлый")],
  ["Arabic", 500, words("خطأ: الحمولة ثقيلة جدا")],
  ["capitals", 400, words("FAILURE: THE CARGO CANNOT BE TAKEN ABOARD")],
  ["one word", 400, words("overladen")],
  ["one word and a colon", 400, words("problem:")],
  ["a name of its own before it", 400, words("harbourmaster: not this one")],
  ["a type of error before it", 400, words("invalid_request_error: the vessel is overladen")],
  ["a class before it", 400, words("harbour.BadCargoError: HarbourException - the vessel is overladen")],
  ["a class of Java", 500, words("java.lang.IllegalStateException: the vessel is overladen")],
  ["other units", 400, words("cargo of 312 stone where the vessel carries 200 stone")],
  ["a percentage", 400, words("draught at 104.7% of the mark")],
  ["a version", 400, words("harbour/1.18.0 (build v2.4.1) turned it away")],
  ["an address", 502, words("http://10.0.0.1:8080/v1/chat turned it away")],
  ["an identifier of the request", 400, words("turned away (request_id: 8f3a-77)")],
  ["an identifier with figures", 400, words("turned away, trace_id=req_011CabcD")],
  ["a quoted phrase", 400, words('the harbour said "not in this weather" and closed')],
  ["a quoted word of a language", 400, words("Die 'Ladung' passt nicht")],
  ["French apostrophes", 400, words("l'entrée n'est pas celle qu'il faut à l'appel")],
  ["a sentence with the words of requests", 400, words("The messages are more than the model can carry in one input")],
  ["a code beside it", 400, { message: "turned away", type: "bad_cargo", code: "cargo_refused" }],
  ["an empty param", 400, { message: "turned away", param: "", type: "x" }],
  ["no param", 400, { message: "turned away", param: null }],
  ["words under another name", 400, { detail: "turned away at the gate" }],
  ["a path of the address", 400, { status: 400, error: "Bad Request", path: "/v1/chat/completions" }],
  ["HTML", 400, HTML("The vessel is overladen")],
  ["HTML with capitals", 500, HTML("THE VESSEL IS OVERLADEN").toUpperCase()],
  ["a status that fits nothing", 406, words("not to our taste")],
  ["a status of a condition", 412, words("turned away")],
  ["a law", 451, ""],
  ["nothing", 400, ""],
  ["blanks", 422, "  \n "],
  ["an empty object", 400, {}],
  ["JSON in a string", 400, JSON.stringify({ error: { message: "turned away", type: "bad_cargo", param: null } })],
  ["JSON in a string in a string", 400, JSON.stringify(JSON.stringify({ error: { message: "turned away" } }))],
  ["JSON in the words", 400, words('HarbourException - {"error": {"message": "turned away", "type": "bad_cargo"}}')],
  [
    "a dictionary in the words",
    400,
    words("Error code: 400 - {'error': {'message': 'turned away', 'param': None, 'code': 'bad_cargo'}}"),
  ],
];

/** Refusals that name the fault, or are about something else than the request. */
const NAMED: readonly (readonly [string, number, unknown])[] = [
  ["param", 400, { message: "so nicht", param: "temperature" }],
  ["param in JSON in a string", 400, JSON.stringify({ error: { message: "so nicht", param: "temperature" } })],
  ["param in a dictionary in the words", 400, words("Error code: 400 - {'error': {'message': 'so nicht', 'param': 'top_p'}}")],
  ["param of a server's fault", 500, { message: "so nicht", param: "temperature" }],
  ["backticks", 400, words("valeur interdite pour `temperature`")],
  ["single quotes", 400, words("Ungültiger Wert für 'temperature'")],
  ["double quotes", 400, words('"temperature" 必须小于 2')],
  ["a quoted place", 400, words("valor no válido en 'messages[3].content'")],
  ["a place", 400, words("messages.3.content.0: Eingabe passt nicht")],
  ["a place in the words", 422, words("rejeté à messages.12.content par le serveur")],
  ["brackets", 400, words("contents[0].parts がありません")],
  ["an identifier", 400, words("top_logprobs darf nicht gesetzt sein")],
  ["an identifier in camel case", 400, words("generationConfig がありません")],
  ["a list of places", 422, { detail: [{ loc: ["body", "messages", 3, "content"], msg: "so nicht", type: "x" }] }],
  ["a path as a list", 400, { issues: [{ path: ["tools", 0], message: "so nicht" }] }],
  [
    "a field that is violated",
    400,
    { message: "so nicht", details: [{ fieldViolations: [{ field: "contents", description: "so nicht" }] }] },
  ],
  ["a key", 401, words("Fehler: wer da?")],
  ["a right", 403, words("accès refusé")],
  ["money", 402, words("zu wenig")],
  ["a rate", 429, words("trop vite")],
  ["a place that is not there", 404, words("hier ist nichts")],
  ["a gateway's key", 407, words("wer da?")],
  ["a method", 405, words("so nicht")],
  ["param behind a status that fits nothing", 406, { message: "so nicht", param: "temperature" }],
];

/** From then on it takes nothing larger than a share of the request after so many turns. */
function harbour(error: () => Error, takenRatio = 0.9) {
  const seen = { refused: 0 };
  let turns = 0;
  const call: Call = async ({ messages }) => {
    const tokens = Math.ceil(JSON.stringify(messages).length / 4);
    if (turns < TURNS || tokens < TURNS * 1000 * takenRatio) return chatAnswer(`r${turns++}`, tokens);
    seen.refused += 1;
    throw error();
  };
  return { seen, call };
}

/** It refuses as many of the next requests as it is told, and notes the characters of each. */
function moody(error: () => Error) {
  const seen = { sizes: [] as number[], failing: 0 };
  const call: Call = async ({ messages }) => {
    const chars = JSON.stringify(messages).length;
    seen.sizes.push(chars);
    if (seen.failing-- > 0) throw error();
    return chatAnswer(`r${seen.sizes.length}`, Math.ceil(chars / 4));
  };
  return { seen, call };
}

const said = (turn: number) => `${turn}: ${"some words of a person ".repeat(170)}`;

/** Sends the message behind so many turns, as often as it is called; an error is given back. */
async function lastOf(open: OpenDoor, call: Call): Promise<() => Promise<unknown>> {
  const door = await open(PLIMSOLL_POLICY, LIMITS);
  for (let turn = 0; turn < TURNS; turn += 1) {
    door.say(said(turn));
    await door.send(call);
  }
  door.say(said(TURNS));
  return () => door.send(call).catch((thrown: unknown) => thrown);
}

describe.each(REFUSING_DOORS)("%s", (_, open) => {
  const last = async (error: () => Error) => {
    const { seen, call } = harbour(error);
    const answer = await (await lastOf(open, call))();
    return { answer, refused: seen.refused };
  };

  test.each(UNNAMED)("tries less after words that name nothing: %s", async (__, status, body) => {
    const { answer, refused } = await last(() => refusal(status, body));
    expect([answer, refused]).toEqual([expect.objectContaining({ object: "chat.completion" }), 1]);
  });

  test.each(NAMED)("tries nothing where the reason is named: %s", async (__, status, body) => {
    const { answer, refused } = await last(() => refusal(status, body));
    expect([answer instanceof Error, refused]).toEqual([true, 1]);
  });
});

const ANSWERED = 9_000;
describe.each(REFUSING_DOORS)("%s, where more was answered before", (_, open) => {
  test("leaves a refusal to its caller, and takes half if the same words come again", async () => {
    const sizes: number[] = [];
    let isShrunk = false;
    const call: Call = async ({ messages }) => {
      const tokens = Math.ceil(JSON.stringify(messages).length / 4);
      sizes.push(tokens);
      if (isShrunk && tokens > 4_500) throw refusal(400, words("The vessel is overladen"));
      return chatAnswer(`r${sizes.length}`, tokens);
    };
    const door = await open(PLIMSOLL_POLICY, { contextWindowTokens: 12_000, maxOutputTokens: 1000 });
    let turn = 0;
    const isSmallAgain = () =>
      Math.max(0, ...sizes) > ANSWERED && (sizes.at(-1) ?? 0) > 5_000 && (sizes.at(-1) ?? 0) < ANSWERED - 1_500;
    while (!isSmallAgain() && turn < 60) {
      door.say(said(turn++));
      await door.send(call);
    }
    isShrunk = true;
    sizes.length = 0;
    door.say(said(turn));
    await expect(door.send(call)).rejects.toThrow("overladen");
    expect(sizes).toHaveLength(1);
    expect((await door.send(call)).choices[0]?.message.content).toBe("yes");
    const [first = 0, again, half = 0, ...rest] = sizes;
    expect([again, rest]).toEqual([first, []]);
    expect(half).toBeLessThan(first * 0.6);
  });

  test("a refusal of the moment takes nothing", async () => {
    const { seen, call } = moody(() => refusal(400, words("Not now")));
    const { sizes } = seen;
    const door = await open(PLIMSOLL_POLICY, { contextWindowTokens: 12_000, maxOutputTokens: 1000 });
    for (let turn = 0; turn < 30; turn += 1) {
      const isSmall = (sizes.at(-1) ?? 0) + 8_000 < Math.max(0, ...sizes);
      seen.failing = isSmall ? 1 : 0;
      door.say(said(turn));
      const before = sizes.length;
      await door.send(call).catch(() => door.send(call));
      expect(sizes.length - before).toBe(isSmall ? 2 : 1);
      expect(sizes.at(-1)).toBe(sizes.at(before));
    }
  });
});

describe.each(REFUSING_DOORS)("%s, where usage is impossible", (_, open) => {
  test.each([-5, 2000.5, Number.NaN, 0, Number.POSITIVE_INFINITY, 9e15])(
    "%s tokens of a prompt are no evidence",
    async (prompt) => {
      const sizes: number[] = [];
      const door = await open(PLIMSOLL_POLICY, { contextWindowTokens: 12_000, maxOutputTokens: 1000 });
      for (let turn = 0; turn < 20; turn += 1) {
        door.say(said(turn));
        await door.send(async ({ messages }) => {
          sizes.push(Math.ceil(JSON.stringify(messages).length / 4));
          return chatAnswer(`r${turn}`, prompt);
        });
      }
      expect(sizes).toHaveLength(20);
      expect(Math.max(...sizes)).toBeGreaterThan(9000);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(11_000);
    },
  );
});

/** Statuses of a fault of the moment, in words that say something else. */
const MOMENT: readonly (readonly [number, string])[] = [
  [503, "The vessel is overladen"],
  [504, "turned away"],
  [529, "Fehler: zu schwer"],
  [409, "cargo refused"],
  [425, ""],
];

/** Attempts that a program or a client makes of a request, all of them refused. */
const ATTEMPTS = 3;

describe.each(ALL_DOORS)("%s, where a status of the moment stands before words that nobody knows", (_, open) => {
  const opened = async (error: () => Error, takenRatio?: number) => {
    const { seen, call } = harbour(error, takenRatio);
    return { seen, sent: await lastOf(open, call) };
  };

  test.each(MOMENT)("%s is tried with less once it was repeated: %s", async (status, text) => {
    const { seen, sent } = await opened(() => refusal(status, text === "" ? "" : words(text)));
    let answer: unknown = null;
    for (let attempt = 0; attempt < ATTEMPTS && !("object" in Object(answer)); attempt += 1) answer = await sent();
    expect(answer).toMatchObject({ object: "chat.completion" });
    expect(seen.refused).toBe(_ === "an agent" || _ === "a proxy" ? ATTEMPTS : 1);
  });

  test.each([0.6, 0.4, 0.25])("growing steps follow if it is sent again, down to a share of %s", async (takenRatio) => {
    const { sent } = await opened(() => refusal(503, words("The vessel is overladen")), takenRatio);
    let [answer, attempts] = [await sent(), 1];
    for (; answer instanceof Error && attempts < 2 * ATTEMPTS; attempts += 1) answer = await sent();
    expect(answer).toMatchObject({ object: "chat.completion" });
  });

  test("nothing is cut for good by a burst whose words say overload", async () => {
    const { seen, call } = moody(() => refusal(503, words("Service Unavailable")));
    const sent = await lastOf(open, call);
    Object.assign(seen, { sizes: [], failing: ATTEMPTS });
    while (!("object" in Object(await sent())));
    expect(seen.sizes).toHaveLength(ATTEMPTS + 1);
    expect(Math.min(...seen.sizes)).toBeGreaterThan(TURNS * 1000 * 4);
  });

  test.each([
    [503, "The model is overloaded"],
    [503, "Service unavailable"],
    [503, "This model is experiencing high demand. Please try again later."],
    [504, "Gateway Time-out"],
    [529, "Overloaded"],
    [503, "server busy, please try again.  maximum pending requests exceeded"],
    [503, "Loading model"],
    [503, "No server is available to handle this request."],
    [504, "upstream request timeout"],
    [503, "当前分组 default 下对于模型 m 无可用渠道"],
    [503, "服务器繁忙,请稍后再试"],
    [503, "Slow Down"],
  ])("%s is overload where it says so: %s", async (status, text) => {
    const { seen, sent } = await opened(() => refusal(status, words(text)));
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) expect(await sent()).toBeInstanceOf(Error);
    expect(seen.refused).toBe(_ === "an agent" ? ATTEMPTS * ATTEMPTS : ATTEMPTS);
  });
});

describe.each(ALL_DOORS)("%s, answered with less after words that nobody knows", (name, open) => {
  test.each([
    ["a server's error: the next request is whole again", 500, [TURNS], true],
    ["a second error at about that size leaves its cut", 500, [TURNS, TURNS + 1], false],
    ["a client's error leaves its cut at once", 400, [TURNS], false],
  ])("%s", async (_, status, turns, isWhole) => {
    const { seen, call } = moody(() => refusal(status, words("kaput")));
    const told: unknown[] = [];
    const door = await open(PLIMSOLL_POLICY, LIMITS, { onEvent: (event) => void ("refusal" in event && told.push(event)) });
    const sizes: number[] = [];
    for (let turn = 0; turn < TURNS + 5; turn += 1) {
      seen.failing = !turns.includes(turn) ? 0 : name === "an agent" && status >= 500 ? ATTEMPTS : 1;
      door.say(said(turn));
      await door.send(call);
      sizes.push(seen.sizes.at(-1) ?? 0);
    }
    const [before = 0, less = 0] = sizes.slice(TURNS - 1);
    expect([less < before, Math.max(...sizes) > before * 1.1]).toEqual([true, isWhole]);
    const [cut, undone] = ["end", "undone"].map((end) => ({ type: `compaction-${end}`, refusal: { status, words: "kaput" } }));
    expect(told).toMatchObject(status < 500 ? [cut] : isWhole ? [cut, undone] : [cut, undone, cut]);
  });
});

test("a session that is closed behind such an error and opened again sends the whole context, and logs no word that is redacted", async () => {
  const { seen, call } = moody(() => refusal(500, words("kaput")));
  const sessions = createMemorySessionStore();
  const redact = (text: string) => text.replaceAll("kaput", "[hidden]");
  const request = { model: "m", max_tokens: LIMITS.maxOutputTokens };
  const whys: unknown[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const options = { policy: PLIMSOLL_POLICY, limits: LIMITS, sessions, sessionId: "s", redact, request };
    const session = await createChatSession(options);
    session.user(said(turn));
    seen.failing = turn === TURNS - 2 ? 1 : 0;
    await session.send(call);
    whys.push(session.last?.refusal?.words, session.last?.why.slice(0, 20));
    await session.close();
  }
  const [whole = 0, less = 0, next = 0] = seen.sizes.slice(-3);
  expect([less < whole, whole < next]).toEqual([true, true]);
  expect(whys.slice(-4)).toEqual(["[hidden]", "status 500 in unknow", "[hidden]", "the cut after status"]);
  const log = JSON.stringify((await sessions.read("s"))?.entries);
  expect([log.includes("hidden"), log.includes("kaput")]).toEqual([true, false]);
});

test.each(ALL_DOORS.filter(([name]) => name === "an agent" || name === "a proxy"))(
  "%s takes nothing for overload that repetitions cure",
  async (_, open) => {
    const { seen, call } = moody(() => refusal(503, words("The vessel is overladen")));
    const sent = await lastOf(open, call);
    Object.assign(seen, { sizes: [], failing: ATTEMPTS - 1 });
    for (let attempt = 0; attempt < ATTEMPTS && seen.sizes.length < ATTEMPTS; attempt += 1) await sent();
    expect(new Set(seen.sizes).size).toBe(1);
    expect(seen.sizes).toHaveLength(ATTEMPTS);
  },
);

test.each([
  ["no cut before", false],
  ["a cut before", true],
])(
  "two requests that meet, and that less helps neither: each gets its refusal, and only what was tried is undone; %s",
  async (_, isCut) => {
    const told: string[] = [];
    const options = { policy: PLIMSOLL_POLICY, limits: LIMITS, onEvent: ({ type }: { type: string }) => void told.push(type) };
    const compactor = createChatCompactor(options, "unused");
    const history: { role: "user" | "assistant"; content: string }[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      history.push({ role: "user", content: `Turn ${turn}. ${"words of it ".repeat(400)}` });
      await compactor.send(history, async (messages) => chatAnswer(`r${turn}`, Math.ceil(JSON.stringify(messages).length / 4)));
      history.push({ role: "assistant", content: "Done." });
    }
    if (isCut) await compactor.fit(history, { now: { reason: "manual", keep: null } });
    history.push({ role: "user", content: "And now?" });
    const count = (of: string) =>
      compactor.conversations().flatMap((log) => log.entries.filter(({ type }) => type === of)).length;
    const cuts = () => count("compaction") - count("revert");
    const before = cuts();
    const error = refusal(400, words("Die Fracht ist nicht in Ordnung"));
    let [arrive, arrived] = [() => {}, 0];
    const both = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const call = async () => {
      arrived += 1;
      if (arrived === 2) arrive();
      await both;
      throw error;
    };
    const ended = await Promise.allSettled([compactor.send(history, call), compactor.send([...history], call)]);
    expect(ended.map((end) => (end.status === "rejected" ? end.reason : end))).toEqual([error, error]);
    expect([before, cuts()]).toEqual([isCut ? 1 : 0, isCut ? 1 : 0]);
    expect(told.filter((type) => type === "compaction-undone")).toHaveLength(1);
    expect(compactor.last?.why).toMatch(/^the cut after status 400 is undone/);
  },
);
