import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UnitFacts } from "../keep/keep-rule.ts";
import type { Message, ToolCallPart } from "../message/message.ts";
import { arbitraryValidMessages } from "../testing/arbitrary-transcript.ts";
import { assistant, human, reply, result, summaryMessage } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import type { PathAccess } from "../tool.ts";
import { inLogOrder } from "./logged-units.ts";
import { createRecallIndex, type RecallView } from "./recall-index.ts";

/** All that may be recalled, with the facts about it. */
function unitsOf(index: RecallView) {
  const facts: UnitFacts[] = [];
  const ranked = index.ranked({ passes: () => true, worth: (each) => facts.push(each) });
  return ranked
    .map(({ unit }) => unit)
    .toSorted(inLogOrder)
    .flatMap((unit, at) => facts.slice(at, at + 1).map((each) => ({ ...unit, facts: each })));
}

function toolCall(callId: string, toolName: string, given: object, paths: readonly PathAccess[] = []): ToolCallPart {
  return { type: "tool-call", callId, toolName, argumentsJson: JSON.stringify(given), paths };
}

function indexOf(messages: readonly Message[]) {
  const work = createWorkCounter();
  const index = createRecallIndex(work);
  for (const message of messages) index.add(message);
  const facts = unitsOf(index.now()).map((unit) => ({ text: unit.of.text, lines: unit.lines.length, ...unit.facts }));
  return { index, work, facts };
}

/** The facts of the unit whose text begins so. */
function factsOf(messages: readonly Message[], beginning: string): UnitFacts | undefined {
  return indexOf(messages).facts.find(({ text }) => text.startsWith(beginning));
}

const code = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `export const ${name}${at} = ${at};`).join("\n");

const reading = (id: string, path: string, text: string): readonly Message[] => [
  assistant(id, [toolCall(`c${id}`, "look", { path }, [{ path, access: "read" }])]),
  result(`r${id}`, `c${id}`, text),
];

const writing = (id: string, path: string, strings: object): Message =>
  assistant(id, [toolCall(`c${id}`, "put", strings, [{ path, access: "modify" }])]);

describe("what a unit shares with what was said last", () => {
  const reads = [...reading("a", "one.ts", "the parse_rows of one"), ...reading("b", "two.ts", "the merge_rows of two")];
  const much = "so many plain words ".repeat(650);

  test.each<[string, readonly Message[], number]>([
    ["nothing without a rare word in both", [reply("m", "the rows of one")], 0],
    ["a rare word that the model named", [reply("m", "next is parse_rows")], Math.log1p(3 / 2)],
    ["the same of the person", [human("m", "what of parse_rows?")], Math.log1p(3 / 2)],
    [
      "less of a word that another unit has, too",
      [...reading("c", "three.ts", "and parse_rows"), reply("m", "see parse_rows")],
      Math.log1p(4 / 3),
    ],
    ["nothing of what the model named long ago", [reply("m", "see parse_rows"), reply("n", much)], 0],
    ["the person's last message, however long ago", [human("m", "what of parse_rows?"), reply("n", much)], Math.log1p(4 / 2)],
    ["nothing of the person's messages before", [human("m", "what of parse_rows?"), human("n", "go on, please")], 0],
  ])("is %s", (_, said, shared) => {
    expect(factsOf([...reads, ...said], "the parse_rows")?.shared).toBeCloseTo(shared, 9);
  });

  test("is nothing of what came later", () => {
    const { index } = indexOf(reads);
    const now = index.now();
    index.add(reply("m", "next is parse_rows"));
    expect(unitsOf(index.now()).map(({ facts }) => facts.shared)).toEqual([expect.any(Number), 0, expect.any(Number)]);
    expect(unitsOf(now).map(({ facts }) => facts.shared)).toEqual([0, 0]);
  });
});

describe("units", () => {
  test("have at most sixteen lines, in order", () => {
    expect(indexOf([human("u", code("a", 40))]).facts.map(({ lines }) => lines)).toEqual([16, 16, 8]);
  });

  test("of two lines may have 1,600 characters with their line ends", () => {
    const lines = (lastChars: number) => `${"x".repeat(799)}\n${"y".repeat(lastChars)}`;
    expect(indexOf([human("u", lines(799))]).facts.map((unit) => unit.lines)).toEqual([2]);
    expect(indexOf([human("u", lines(800))]).facts.map((unit) => unit.lines)).toEqual([1, 1]);
  });

  test("of long lines have fewer, but at least one", () => {
    const long = ["x".repeat(1500), "y".repeat(1500), "z".repeat(5000), "short line"].join("\n");
    expect(indexOf([human("u", long)]).facts.map(({ lines }) => lines)).toEqual([1, 1, 1, 1]);
  });

  test.each<[string, readonly Message[], string, UnitFacts["kind"] | undefined]>([
    ["a person's message", [human("u", "Use tabs in all files.")], "Use", "person"],
    ["what the model said", [reply("a", "I will use tabs.")], "I will", "said"],
    ["a reading", reading("a", "src/a.ts", code("a", 3)), "export", "read"],
    ["one without a file", [assistant("a", [toolCall("c", "run", {})]), result("r", "c", "all tests pass")], "all", "output"],
    [
      "a failed call",
      [assistant("a", [toolCall("c", "run", {})]), { ...result("r", "c", "no such file"), isError: true }],
      "no such",
      "failed",
    ],
    ["what a call wrote", [writing("a", "src/a.ts", { text: code("b", 3) })], "export", "written"],
    ["a compaction's text is none", [summaryMessage("s", "All is well here.")], "All", undefined],
    ["the agent's own is none", [{ ...human("i", "A reminder of the agent."), origin: "injected" }], "A reminder", undefined],
    ["lines that say too little are none", [human("u", "}\n\n]")], "}", undefined],
  ])("%s", (_, messages, beginning, kind) => {
    expect(factsOf(messages, beginning)?.kind).toBe(kind);
  });
});

describe("what became of a unit", () => {
  test("a text that is stated again is told by the newest alone", () => {
    const again = indexOf([...reading("a", "src/a.ts", code("a", 10)), ...reading("b", "src/a.ts", code("a", 10))]);
    expect(unitsOf(again.index.now()).map(({ of }) => of.message.id)).toEqual(["rb"]);
  });

  test("numbers before the lines do not matter for that", () => {
    const numbered = code("a", 10)
      .split("\n")
      .map((line, at) => `${at + 7}\t${line}`)
      .join("\n");
    const again = indexOf([...reading("a", "src/a.ts", numbered), ...reading("b", "src/a.ts", code("a", 10))]);
    expect(unitsOf(again.index.now()).map(({ of }) => of.message.id)).toEqual(["rb"]);
  });

  test("a line that a text has twice counts once for that", () => {
    const waiting = "Waiting for the debugger\nWaiting for the debugger";
    const again = indexOf([...reading("a", "src/a.ts", waiting), ...reading("b", "src/b.ts", waiting)]);
    expect(unitsOf(again.index.now()).map(({ of }) => of.message.id)).toEqual(["rb"]);
  });

  test("a result that says nothing beyond its call is none, and takes no place from what it names", () => {
    const write = writing("a", "src/a.ts", { path: "src/a.ts", text: "const userStore = 1;" });
    const told = indexOf([write, result("ra", "ca", "Wrote src/a.ts."), reply("b", "See src/a.ts and userStore.")]);
    expect(unitsOf(told.index.now()).map(({ of }) => of.message.id)).toEqual(["a", "b"]);
    expect(told.facts[0]?.ageChars).toBe("const userStore = 1;Wrote src/a.ts.See src/a.ts and userStore.".length);
  });

  test("a text that is partly stated again stays, and says how much of it is", () => {
    const messages = [...reading("a", "src/a.ts", code("a", 10)), ...reading("b", "src/a.ts", code("a", 5))];
    expect(indexOf(messages).facts.map(({ restatedRatio }) => restatedRatio)).toEqual([0.5, 0]);
  });

  test.each<[string, string, string]>([
    ["lines that say too little", "}\n\n)", "}\n\n)"],
    ["a line that the unit itself has twice", "one line of it", "another text"],
  ])("%s are not stated again", (_, ending, later) => {
    const messages = [
      ...reading("a", "src/a.ts", `one line of it\n${ending}`),
      ...reading("b", "src/b.ts", `the next\n${later}`),
    ];
    expect(factsOf(messages, "one line")?.restatedRatio).toBe(0);
  });

  test("what a tool repeats is no use", () => {
    const messages = [...reading("a", "src/a.ts", code("a", 10)), ...reading("b", "src/a.ts", code("a", 2))];
    expect(factsOf(messages, "export const a0")).toMatchObject({ quotes: 0, mentions: 0, sinceUseChars: null });
  });

  test.each<[string, string, boolean]>([
    ["all of its lines but those that say too little", `${code("a", 2)}\n}\n}\n}`, true],
    ["four of five lines", `${code("a", 4)}\nexport const fresh = 5;`, true],
    ["one of five lines", `${code("a", 1)}\n${code("fresh", 4)}`, false],
  ])("a call that quotes %s states nothing: %s", (_, text, isQuotation) => {
    const { facts } = indexOf([...reading("a", "src/a.ts", code("a", 10)), writing("b", "src/a.ts", { text })]);
    expect(facts.filter(({ kind }) => kind === "written")).toHaveLength(isQuotation ? 0 : 1);
  });

  test("a call that quotes what it changes states nothing, but uses what it quotes", () => {
    const change = writing("b", "src/a.ts", {
      old: "export const a3 = 3;\nexport const a4 = 4;",
      new: "export const zebra = 34;",
    });
    const { facts } = indexOf([...reading("a", "src/a.ts", code("a", 10)), change]);
    expect(facts.map(({ text, kind, quotes }) => [text.slice(0, 18), kind, quotes])).toEqual([
      ["export const a0 = ", "read", 1],
      ["export const zebra", "written", 0],
    ]);
  });

  test("rare words that the model names are uses of what stated them last", () => {
    const messages = [
      human("u", "The port is PORT_4711 here."),
      human("v", "The host is alpha-beta."),
      reply("a", "PORT_4711 it is"),
    ];
    expect(indexOf(messages).facts.map(({ mentions, sinceUseChars }) => [mentions, sinceUseChars])).toEqual([
      [1, 15],
      [0, null],
      [0, null],
    ]);
  });

  test("a rare word in the last line of many is one of its unit", () => {
    const messages = [human("u", `${code("a", 5)}\nThe port is PORT_4711.`), reply("a", "PORT_4711 it is")];
    expect(factsOf(messages, "export")?.mentions).toBe(1);
  });

  test("of what the model alone said, what it said last is used", () => {
    const messages = [
      reply("a", "Let us call it PORT_4711."),
      reply("b", "Or is PORT_4711 a bad name?"),
      reply("c", "PORT_4711!"),
    ];
    expect(["Let us", "Or is"].map((beginning) => factsOf(messages, beginning)?.mentions)).toEqual([1, 1]);
  });

  test("what the model says again and again does not take over what it names", () => {
    const messages = [
      ...reading("a", "src/a.ts", "const PORT_4711 = open();\nconst HOST_0815 = here();"),
      reply("b", "I see PORT_4711 and\nconst HOST_0815 = here();"),
      reply("c", "So PORT_4711 must be closed."),
    ];
    expect(factsOf(messages, "const PORT")).toMatchObject({ mentions: 2, restatedRatio: 0 });
  });

  test("what the model said first counts as its own until something else states it", () => {
    const said = reply("a", "Let us call it PORT_4711.");
    const messages = [said, reply("b", "PORT_4711 is a good name."), ...reading("c", "src/a.ts", "const PORT_4711 = open();")];
    expect(factsOf([...messages, reply("d", "PORT_4711 is there.")], "Let us")?.mentions).toBe(1);
    expect(factsOf([...messages, reply("d", "PORT_4711 is there.")], "const PORT")?.mentions).toBe(1);
  });

  test("its file was read and written so often, and after it", () => {
    const read = reading("a", "src/a.ts", code("a", 4));
    const messages = [...read, ...reading("b", "src/a.ts", code("b", 4)), writing("d", "src/a.ts", { text: code("d", 4) })];
    expect(factsOf(messages, "export const a0")?.file).toMatchObject({ reads: 2, writes: 1, isWrittenSince: true });
    expect(factsOf(messages, "export const d0")?.file).toMatchObject({ reads: 2, writes: 1, isWrittenSince: false });
    expect(factsOf(read, "export const a0")?.file).toMatchObject({ reads: 1, writes: 0, sinceWriteChars: null });
  });
});

describe("its work", () => {
  test("a message costs its own characters, whatever came before; what is known of a unit costs none", () => {
    const { index, work } = indexOf(Array.from({ length: 50 }, (_, at) => human(`u${at}`, code(`v${at}x`, 20))));
    index.now();
    const before = work.total().charactersScanned;
    index.add(human("last", "a".repeat(1000)));
    const now = index.now();
    const after = work.total().charactersScanned;
    unitsOf(now);
    expect([after - before, work.total().charactersScanned - after]).toEqual([1000, 0]);
  });

  test("a view of some moment reads nothing that came after it", () => {
    const index = createRecallIndex(createWorkCounter());
    index.add(human("u", "Use tabs."));
    const then = index.now();
    index.add(human("v", "And commas."));
    expect(unitsOf(then).map(({ of }) => of.message.id)).toEqual(["u"]);
    expect(unitsOf(index.now()).map(({ of }) => of.message.id)).toEqual(["u", "v"]);
  });

  /** All that an index says, without the messages themselves. */
  const said = (index: ReturnType<typeof createRecallIndex>) =>
    unitsOf(index.now()).map((unit) => [unit.of.handle, unit.index, unit.facts]);

  test("when somebody asks changes nothing of what is answered, whatever is said", () => {
    fc.assert(
      fc.property(arbitraryValidMessages, fc.array(fc.boolean(), { maxLength: 30 }), (messages, asks) => {
        const [asked, late] = [createRecallIndex(createWorkCounter()), createRecallIndex(createWorkCounter())];
        for (const [at, message] of messages.entries()) {
          asked.add(message);
          late.add(message);
          const isAsked = asks[at % (asks.length + 1)] ?? true;
          for (const index of isAsked ? [asked] : []) said(index);
        }
        expect(said(late)).toEqual(said(asked));
      }),
    );
  });

  /** So many texts of 999,990 characters and more. */
  const long = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      human(`u${at}`, Array.from({ length: 10 }, (_line, line) => `${at} ${line} ${"x".repeat(99_990)}`).join("\n")),
    );

  test("eight million characters are held; of more, the newest half is, and what was let go of can be stated anew", () => {
    const texts = long(9);
    const { index } = indexOf([human("first", "The port is PORT_4711."), ...texts.slice(0, 7)]);
    expect(unitsOf(index.now()).at(0)?.of.message.id).toBe("first");
    for (const message of texts.slice(7)) index.add(message);
    const held = unitsOf(index.now());
    expect(held.at(-1)?.of.message.id).toBe("u8");
    const chars = held.reduce((sum, unit) => sum + unit.chars, 0);
    expect(chars).toBeLessThan(5_000_000);
    expect(chars).toBeGreaterThan(3_000_000);
    expect(held.some(({ of }) => of.message.id === "first" || of.message.id === "u0")).toBe(false);

    index.add(reply("a", "The port is PORT_4711."));
    expect(unitsOf(index.now()).at(-1)?.of.text).toBe("The port is PORT_4711.");
    expect(unitsOf(index.now())).toHaveLength(held.length + 1);
    for (const message of texts.slice(8)) index.add({ ...message, id: "again" });
    const ids = new Set(unitsOf(index.now()).map(({ of }) => of.message.id));
    expect([ids.has("u8"), ids.has("again")]).toEqual([false, true]);
  });

  test("of a log above eight million characters too", () => {
    const messages = long(19).flatMap((message, at) => [message, reply(`a${at}`, `I see ${at} 3 now: PORT_${at}.`)]);
    const [asked, late] = [createRecallIndex(createWorkCounter()), createRecallIndex(createWorkCounter())];
    let most = 0;
    for (const message of messages) {
      asked.add(message);
      late.add(message);
      most = Math.max(most, said(asked).length);
    }
    expect(said(late)).toEqual(said(asked));
    expect(said(late).length).toBeLessThan(most);
  });
});
