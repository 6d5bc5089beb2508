import { describe, expect, test } from "vitest";
import type { Message, ToolCallPart } from "../message/message.ts";
import { type RecalledPassage, recalledText } from "../prompts/notices.ts";
import { assistant, callPart, human, reply, result } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import { createRecallIndex } from "./recall-index.ts";
import { type RecallChoice, recalledPassages } from "./recaller.ts";

/** Sixteen lines are a unit. */
const page = (name: string, units: number) => Array.from({ length: units * 16 }, (_, at) => `line ${at} of ${name}`).join("\n");

function passagesOf(messages: readonly Message[], choice: Partial<RecallChoice> = {}): readonly RecalledPassage[] {
  const index = createRecallIndex(createWorkCounter());
  for (const message of messages) index.add(message);
  return recalledPassages({ index: index.now(), worth: () => 1, stays: () => false, maximumChars: 100_000, ...choice });
}

function recalled(messages: readonly Message[], choice: Partial<RecallChoice> = {}): readonly string[] {
  return passagesOf(messages, choice).map(({ handle, text }) => `${handle} ${text.split("\n").length}`);
}

const RUN: ToolCallPart = callPart("c", "run");

describe("recalled passages", () => {
  const [one, two, three] = [human("one", page("one", 3)), human("two", page("two", 1)), human("three", page("three", 1))];

  test("neighbouring units are one passage, and passages are in the order of the log", () => {
    expect(recalled([one, two, three])).toEqual(["one 48", "two 16", "three 16"]);
  });

  test("what the view still shows is not recalled", () => {
    expect(recalled([one, two, three], { stays: (message) => message === two })).toEqual(["one 48", "three 16"]);
  });

  test("the worthiest for their length first, of equal ones the newest", () => {
    const alike: RecallChoice["worth"] = ({ chars }) => chars + 60;
    const [six, ten] = [human("six", page("six", 1)), human("ten", page("ten", 1))];
    expect(recalled([two, six, ten], { maximumChars: 700, worth: alike })).toEqual(["six 16", "ten 16"]);
    const older: RecallChoice["worth"] = ({ ageChars }) => ageChars;
    expect(recalled([two, six, ten], { maximumChars: 400, worth: older })).toEqual(["two 16"]);
  });

  test("of equally worthy ones the shorter is taken first", () => {
    const [long, short] = [human("long", `${page("long", 1)} ${"word ".repeat(100)}`), human("short", page("short", 1))];
    expect(recalled([short, long], { maximumChars: 900 })).toEqual(["short 16"]);
  });

  test.each([
    ["names with values, and a name alone", "Exit code: 0\nWall time: 1.5 seconds\nOutput:\n", ["a: b"]],
    ["a sentence that ends in a number", "Chunk ID: c91d03\nProcess exited with code 0\nOutput:\n", ["a: b"]],
    ["eight of them", `${"Wall time: 1\n".repeat(7)}Exit code: 0\nOutput:\n`, ["a: b"]],
    ["no exit code, which makes it none", "Format: 1\nAbout: x\nParts:\n", ["Format: 1\nAbout: x\nParts:\na: b"]],
    ["a name alone, which is none", "Output:\n", ["Output:\na: b"]],
    ["a text before it, which makes it none", "a\nExit code: 0\nOutput:\n", ["a\nExit code: 0\nOutput:\na: b"]],
    ["small letters, which make it none", "exit code: 0\noutput:\n", ["exit code: 0\noutput:\na: b"]],
  ])("the header above a command's output is none of it: %s", (_, header, texts) => {
    expect(passagesOf([result("r", "c", `${header}a: b`)]).map(({ text }) => text)).toEqual(texts);
  });

  test("of a command without output nothing is brought back, of one that failed its header", () => {
    const text = "Exit code: 1\nWall time: 1 second\nOutput:\n";
    expect(passagesOf([result("r", "c", text)])).toEqual([]);
    expect(passagesOf([{ ...result("r", "c", text), isError: true }])).toMatchObject([{ text }]);
  });

  test.each([
    ["nothing that it says in brackets", "(no output)", []],
    ["nothing, with line ends", "[No matches]\n", []],
    ["more behind the brackets, which goes with them", "(no output)\nof a: b", ["of a: b"]],
    ["nothing under a header", "Exit code: 0\nOutput:\n(no output)", []],
    ["one element, whose text it is", "<error>a: b</error>", ["<error>a: b</error>"]],
    ["a list of one line", "[8080, 9090]", ["[8080, 9090]"]],
    ["a list of its own", "[1, 2]\n[3, 4]", ["[1, 2]\n[3, 4]"]],
  ])("of a result that shows %s", (_, text, texts) => {
    expect(passagesOf([result("r", "c", text)]).map((each) => each.text)).toEqual(texts);
  });

  const FRAMED = "<path>a.ts</path>\n<type>file</type>\n<content>\nTEXT\n\n(End of file - total 2 lines)\n</content>\n";

  test.each([
    ["tags and a notice", FRAMED.replace("TEXT", "a: b\n<c d>"), "a: b"],
    ["also around numbered lines, few as they are", FRAMED.replace("TEXT", "1: line a\n2: <b>"), "line a\n<b>"],
    ["words in brackets below", "a: b\n\n[516 more lines (of 520). Use offset=5 to continue.]\n", "a: b"],
    ["none in the middle", "a: b\n<c>\n(no more lines)\nd", "a: b\n<c>\n(no more lines)\nd"],
    ["none of an indented line, a list, a section or a component", "[a]\nline b\n  <c>", "[a]\nline b\n  <c>"],
    ["none with quotes or more behind it", '["a b", "c"]\nb\n[c is d] e', '["a b", "c"]\nb\n[c is d] e'],
  ])("what a tool puts around a result is none of it: %s", (_, text, shown) => {
    expect(passagesOf([result("r", "c", text)]).map((each) => each.text)).toEqual([shown]);
    expect(passagesOf([human("u", text)])[0]?.text).toContain(text.trimEnd());
  });

  test("a unit is not a frame alone: it is filled with what is shown", () => {
    const text = FRAMED.replace("TEXT", page("one", 2));
    expect(recalled([result("r", "c", text)], { maximumChars: 400 })).toEqual(["r 16"]);
    expect(recalled([result("r", "c", text)])).toEqual(["r 32"]);
  });

  test("a passage names its file and lines, and shows them without their numbers", () => {
    const text = Array.from({ length: 20 }, (_, at) => `${at + 40}\tline ${at} of the file`).join("\n");
    const read: ToolCallPart = callPart("c", "look", { paths: [{ path: "src/a.ts", access: "read" }] });
    const [passage] = passagesOf([assistant("a", [read]), result("r", "c", text)]);
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at} of the file`).join("\n");
    expect(passage).toEqual({
      source: "tool",
      shows: "src/a.ts",
      handle: "r",
      editsSince: 0,
      isCut: { before: false, after: false },
      fromLine: 40,
      throughLine: 59,
      text: lines,
    });
    expect(passagesOf([one])[0]).toMatchObject({ shows: null, editsSince: 0, fromLine: null, throughLine: null });
  });

  test.each<[string, ToolCallPart, string, number]>([
    ["a command, its words", { ...RUN, argumentsJson: '{"command":"rg x; ls"}' }, "rg x; ls", 1],
    ["a script, its commands", { ...RUN, argumentsJson: 'await tools.sh({cmd:"ls"}); tools.sh({cmd:"pwd"})' }, "ls && pwd", 1],
    ["another call, its arguments", { ...RUN, argumentsJson: '{"query":"x"}' }, '{"query":"x"}', 1],
    ["a file, its path, and only its own edits count", { ...RUN, paths: [{ path: "b", access: "read" }] }, "b", 0],
  ])("of %s", (_, part, shows, editsSince) => {
    const edit: ToolCallPart = { ...RUN, callId: "e", paths: [{ path: "a", access: "modify" }] };
    const messages = [assistant("a", [part]), result("r", "c", "what it gave"), assistant("b", [edit])];
    expect(passagesOf(messages).find(({ handle }) => handle === "r")).toMatchObject({ shows, editsSince });
  });

  test("a handle is a word of letters, whatever its source writes, and a shorter id is its own", () => {
    const ids = ["0123456789abcdef", "result:tool_0123456789abcdef", "short"];
    expect(recalled(ids.map((id) => human(id, page(id, 1)))).map((each) => each.split(" ")[0])).toEqual([
      "mtmthccctk",
      "tpqmgthmfj",
      "short",
    ]);
  });

  test("the heads of files with long paths are within the size", () => {
    const messages = Array.from({ length: 9 }, (_, at) => at).flatMap((at) => {
      const path = `src/${"folder/".repeat(20)}${at}.ts`;
      const calls: ToolCallPart = callPart(`c${at}`, "look", { paths: [{ path, access: "read" }] });
      return [assistant(`a${at}`, [calls]), result(`r${at}`, `c${at}`, `one line of file ${at}`)];
    });
    const block = recalledText(passagesOf(messages, { maximumChars: 1000 })) ?? "";
    expect(block.split("src/").length - 1).toBe(4);
    expect(block.length).toBeLessThanOrEqual(1000);
  });

  test("units of two texts are two passages, and worth nothing to each other, also if what is between them is told later", () => {
    const second = human("second", `${page("again", 1)}\n${page("rest", 1)}`);
    const messages = [human("first", page("NAME_1", 1)), second, human("again", page("again", 1))];
    expect(recalled(messages)).toEqual(["first 16", "second 16", "again 16"]);
    const worth: RecallChoice["worth"] = ({ mentions }) => mentions;
    expect(recalled([...messages, reply("a", "NAME_1")], { worth })).toEqual(["first 16"]);
  });

  test("a unit between worthy ones is worth something: what is needed is seldom all in one unit", () => {
    const worth: RecallChoice["worth"] = ({ mentions }) => mentions;
    const named = human("named", `${page("start NAME_1", 1)}\n${page("middle", 1)}\n${page("end NAME_2", 1)}`);
    const uses = reply("a", "NAME_1 and NAME_2");
    expect(recalled([named, two, uses], { worth, maximumChars: 2000 })).toEqual(["named 48"]);
  });

  test.each<[string, readonly [string, string, string], readonly string[]]>([
    ["the one after it", ["start NAME_1", "middle", "end"], ["named 32"]],
    ["the one before it", ["start", "middle", "end NAME_1"], ["named 32"]],
    ["not one behind what was stated again since", ["start", "two", "end NAME_1"], ["named 16"]],
  ])("a worthy unit is worth something to its neighbours: %s", (_, names, expected) => {
    const worth: RecallChoice["worth"] = ({ mentions }) => mentions;
    const named = human("named", names.map((name) => page(name, 1)).join("\n"));
    expect(recalled([named, two, reply("a", "NAME_1")], { worth, maximumChars: 3000 })).toEqual(expected);
  });

  test("one that does not fit is passed over for one that does", () => {
    const long = human("long", "word ".repeat(1000));
    const worth: RecallChoice["worth"] = ({ chars }) => (chars > 1000 ? 1e9 : 1);
    expect(recalled([long, two], { maximumChars: 500, worth })).toEqual(["two 16"]);
  });

  test("a unit that fits to the character is taken", () => {
    const chars = page("two", 1).length + 1 + "person".length + 60;
    expect(recalled([two], { maximumChars: chars })).toEqual(["two 16"]);
    expect(recalled([two], { maximumChars: chars - 1 })).toEqual([]);
  });

  test("a rest of less than a fiftieth stays empty, also if a short unit would fit", () => {
    const [long, short] = [human("long", page("long", 24)), human("short", "some words that fit")];
    const worth: RecallChoice["worth"] = ({ chars }) => chars;
    const longChars = page("long", 24).length + 24 * ("person".length + 60);
    expect(recalled([long, short], { maximumChars: longChars + 200, worth })).toEqual(["long 384", "short 1"]);
    expect(recalled([long, short], { maximumChars: longChars + 80, worth })).toEqual(["long 384"]);
  });

  test.each([0, -1, Number.NaN])("a unit that is worth %s is not recalled", (worth) => {
    expect(recalled([one, two], { worth: () => worth })).toEqual([]);
  });

  test("nothing is recalled without room", () => {
    expect(recalled([one, two], { maximumChars: 0 })).toEqual([]);
  });
});
