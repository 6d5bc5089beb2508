import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { assistant, calling, human, reply, result, toolCall } from "../testing/builders.ts";
import type { PathAccess } from "../tool.ts";
import { accessesOf, type CallOutcome, fileOperations, foldFacts, lastErrors, NO_FACTS, withTrackedFiles } from "./facts.ts";

const of = (...messages: readonly Message[]) => messages.reduce(foldFacts, NO_FACTS);
const failed = (id: string, callId: string, text: string) => ({ ...result(id, callId, text), isError: true });
const touching = (id: string, callId: string, path: string) =>
  assistant(id, [
    { type: "tool-call", callId, toolName: "edit", argumentsJson: `{"path":"${path}"}`, paths: [{ path, access: "modify" }] },
  ]);

describe("foldFacts", () => {
  const first = human("u1", "build it");

  test("words of people and models add nothing", () => {
    expect(of(first, human("v", "You may push to main. Never rest."))).toBe(NO_FACTS);
    expect(of(reply("a", "I decided to use tabs instead of spaces. Next I'll run the tests."))).toEqual(NO_FACTS);
  });

  test("a task that is renamed is not dropped, and an update without its task changes nothing", () => {
    const call = (id: string, args: object) => toolCall(id, `c-${id}`, { name: "task", argumentsJson: JSON.stringify(args) });
    const update = call("b", { taskId: "1", subject: "Paint the shed" });
    const renamed = of(first, call("a", { subject: "Paint it", description: "green" }), update).plan;
    expect(renamed).toMatchObject({ items: [{ text: "Paint the shed", status: "pending" }], dropped: [] });
    expect(of(first, update).plan).toBeNull();
    const other = of(
      first,
      call("a", { subject: "Paint it", description: "green" }),
      call("b", { taskId: "7", status: "done" }),
    );
    expect(other.plan?.messageId).toBe("a");
  });

  test("a plan has a bound, and white space in it is read once", () => {
    const task = (at: number) =>
      toolCall(`a${at}`, `c${at}`, { name: "task", argumentsJson: `{"subject":"part ${at}","description":"d"}` });
    expect(of(first, ...Array.from({ length: 1_010 }, (_, at) => task(at))).plan?.items.length).toBe(1_000);
    const argumentsJson = JSON.stringify({ plan: `-${" ".repeat(400_000)}\n- one` });
    const { plan } = of(first, toolCall("p", "c-p", { name: "plan", argumentsJson }));
    expect(plan?.items).toEqual([{ text: "one", status: "pending" }]);
  });

  test("the newest items of plans that were given up, and no more than a few", () => {
    const plan = (id: string, texts: readonly string[]) => {
      const argumentsJson = JSON.stringify({ todos: texts.map((content) => ({ content, status: "pending" })) });
      return toolCall(id, `c-${id}`, { name: "plan", argumentsJson });
    };
    const many = Array.from({ length: 30 }, (_, at) => `step ${at}`);
    const { plan: known } = of(first, plan("a", many), plan("b", ["another way"]));
    expect([known?.items.length, known?.dropped.length, known?.dropped.at(-1)]).toEqual([1, 6, "step 29"]);
  });

  test("every file that was touched", () => {
    const facts = of(first, touching("a", "c", "src/a.ts"), result("r", "c", "ok"), touching("b", "d", "src/b.ts"));
    expect([...fileOperations(facts.accesses)]).toEqual([
      ["src/a.ts", "modify"],
      ["src/b.ts", "modify"],
    ]);
  });

  test("what fails still, and not what has succeeded since", () => {
    const facts = of(
      touching("a", "c", "src/a.ts"),
      failed("r", "c", "conflict"),
      calling("b", ["d", "e"]),
      failed("s", "d", "no such tool"),
      failed("t", "e", "still no such tool"),
      touching("f", "g", "src/a.ts"),
      result("h", "g", "ok"),
    );
    expect(lastErrors(facts.outcomes).map(({ error }) => error)).toEqual(["still no such tool"]);
  });

  test("a result whose call is not of the newest step tells nothing", () => {
    expect(lastErrors(of(calling("a", ["c"]), reply("b", "text"), failed("r", "c", "late")).outcomes)).toEqual([]);
  });

  test("older facts stay what they were", () => {
    const before = of(first, touching("a", "c", "src/a.ts"));
    foldFacts(before, touching("b", "d", "src/b.ts"));
    expect([...before.accesses]).toEqual([{ path: "src/a.ts", access: "modify" }]);
  });
});

describe("withTrackedFiles", () => {
  test("files of the agent's own tracker count as touched, with their state", () => {
    const facts = withTrackedFiles(of(touching("a", "c", "src/a.ts")), [
      { path: "src/b.ts", access: "read", state: "version 3" },
    ]);
    expect([...fileOperations(facts.accesses)]).toEqual([
      ["src/a.ts", "modify"],
      ["src/b.ts", "read"],
    ]);
    expect(facts.tracked).toEqual([{ path: "src/b.ts", access: "read", state: "version 3" }]);
  });
});

const call = { type: "tool-call", callId: "c", toolName: "bash", argumentsJson: '{"command":"make"}', paths: [] } as const;
const steps = (end: number, from = 0) =>
  Array.from({ length: end - from }, (_, at) => `step ${from + at} of the work is done`).join("\n");
const outcomeOf = (message: Message) => foldFacts({ ...NO_FACTS, openCalls: [call] }, message).outcomes.at(0);
const failedWith = (text: string) => ({ ...result("r", "c", text), isError: true });

describe("the outcome of a call", () => {
  test.each([
    ["a call that went well has no error", result("r", "c", "built"), null],
    ["a call that failed has the error's text", failedWith("no such file\n"), "no such file"],
    ["of a long error without a diagnosis its end", failedWith(`${"x".repeat(1000)}the end`), `${"x".repeat(390)}the end`],
    ["never half a character", failedWith(`${"👍".repeat(300)}.`), `${"👍".repeat(99)}.`],
    ["an error without text", failedWith(""), ""],
  ])("%s", (_, message, error) => {
    expect(outcomeOf(message)).toEqual({ toolName: "bash", argumentsJson: '{"command":"make"}', error });
  });
});

describe("a long error is known by what failed", () => {
  const frames = Array.from({ length: 40 }, (_, at) => `  File "/srv/app/m${at}.py", line ${at}, in call\n    return f${at}()`);
  const tally = `Tests  87 failed\nStart at  10:00:00\nDuration  9s (${"transform 1ms, ".repeat(10)}tests 8s)\n[exit code 1]`;
  const usage = Array.from({ length: 40 }, (_, at) => `  --option-${at} <value>   sets the ${at}th value`).join("\n");

  test.each([
    ["a usage text behind it", `error: unknown option '--frob'\n\nUsage: tool\n${usage}`, "error: unknown option '--frob'"],
    ["a trace before it", `Traceback:\n${frames.join("\n")}\nKeyError: 'id'`, "KeyError: 'id'"],
    ["a summary behind it", `✗ sums\n${steps(99)}\nTests 1 failed\nTime 1 s`, "✗ sums\n…\n86 of the work is done"],
    ["a tally behind many of them, whole", `${"✗ sums\n✗ takes\n✗ reads all\n".repeat(40)}${steps(9)}\n${tally}`, tally],
    ["a trace behind it", `KeyError: 'id'\n${frames.join("\n")}\nReached main`, "KeyError: 'id'"],
    ["among the lines of a compiler", `${steps(99)}\nsrc/a.c:4:7: error: no ';'\n${steps(99)}`, "src/a.c:4:7: error: no ';'"],
    [
      "in a line of 5,000 characters",
      `${"{ab},".repeat(500)}"disk full: error 28"${"{ab},".repeat(500)}`,
      '"disk full: error 28"',
    ],
    ["in a long line of its own", `${steps(99)}\nerror: ${"why ".repeat(120)}\n${steps(99)}`, "error: why why why"],
  ])("%s", (_, text, diagnosis) => {
    const error = outcomeOf(failedWith(text))?.error ?? "";
    expect(error).toContain(diagnosis);
    expect(error.length).toBeLessThanOrEqual(400);
  });

  test("of what is longer than any screen both ends are read", () => {
    const [far, near] = ["error: in the middle", "error: near the end"];
    const error = outcomeOf(failedWith(`${steps(2000)}\n${far}\n${steps(4000, 2000)}\n${near}\n${steps(99)}`))?.error;
    expect(error).toContain(near);
    expect(error).not.toContain(far);
  });

  test("in 400 characters at most, each piece from the text", () => {
    const line = fc.constantFrom(
      "error: no",
      "👍 é 漢字",
      "x".repeat(700),
      "fail 1",
      "a.c:1",
      "",
      "plain words",
      "  at f (a.js:1:2)",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
        const text = lines.join("\n").trimEnd();
        const error = outcomeOf(failedWith(text))?.error ?? "";
        expect(error.length).toBeLessThanOrEqual(400);
        expect(error.split("\n…\n").filter((piece) => !text.includes(piece))).toEqual([]);
      }),
    );
  });
});

describe("lastErrors", () => {
  const of = (argumentsJson: string, error: string | null): CallOutcome => ({ toolName: "bash", argumentsJson, error });

  test.each<[string, readonly CallOutcome[], readonly string[]]>([
    ["nothing failed", [of("a", null)], []],
    ["the last error of a call", [of("a", "first"), of("a", "second")], ["second"]],
    ["gone when the call succeeds", [of("a", "first"), of("a", null)], []],
    ["back when it fails again", [of("a", "first"), of("a", null), of("a", "again")], ["again"]],
    ["another call's success changes nothing", [of("a", "first"), of("b", null)], ["first"]],
    ["in the order of the last failures", [of("a", "first"), of("b", "second"), of("a", "third")], ["second", "third"]],
  ])("%s", (_, outcomes, errors) => {
    expect(lastErrors(outcomes).map(({ error }) => error)).toEqual(errors);
  });

  test("two tools with the same arguments are two commands", () => {
    expect(lastErrors([of("a", "first"), { ...of("a", null), toolName: "sh" }])).toHaveLength(1);
  });
});

const read = (path: string): PathAccess => ({ path, access: "read" });
const modify = (path: string): PathAccess => ({ path, access: "modify" });

describe("fileOperations", () => {
  test.each<[string, readonly PathAccess[], readonly (readonly [string, string])[]]>([
    ["nothing", [], []],
    [
      "least recently touched first",
      [read("a"), read("b"), read("a")],
      [
        ["b", "read"],
        ["a", "read"],
      ],
    ],
    ["read, then modified, is modified", [read("a"), modify("a")], [["a", "modify"]]],
    ["modified, then read, is modified", [modify("a"), read("a")], [["a", "modify"]]],
    [
      "paths are names: nothing is resolved",
      [read("a"), read("./a")],
      [
        ["a", "read"],
        ["./a", "read"],
      ],
    ],
  ])("%s", (_, accesses, files) => {
    expect([...fileOperations(accesses)]).toEqual(files);
  });
});

describe("accessesOf", () => {
  const call = (callId: string, paths: readonly PathAccess[]) =>
    ({ type: "tool-call", callId, toolName: "tool", argumentsJson: "{}", paths }) as const;

  test("the paths of all calls, in order", () => {
    expect(accessesOf(assistant("a", [call("c", [read("x"), modify("y")]), call("d", [read("z")])]))).toEqual([
      read("x"),
      modify("y"),
      read("z"),
    ]);
  });

  test.each([
    ["a reply without calls", reply("a", "text")],
    ["a human message", human("u", "src/a.ts")],
  ])("none in %s", (_, message) => {
    expect(accessesOf(message)).toEqual([]);
  });
});
