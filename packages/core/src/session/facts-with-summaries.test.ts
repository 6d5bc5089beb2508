import { describe, expect, test } from "vitest";
import { SMALL_POLICY, smallSession, turns, words } from "../../testing/small-session.ts";
import type { Message } from "../message/message.ts";
import type { Policy } from "../policy/policy.ts";
import { assistant, callPart, human, result } from "../testing/builders.ts";

describe("facts", () => {
  const command = (id: string, callId: string, run: string) =>
    assistant(id, [callPart(callId, "bash", { argumentsJson: `{"command":"${run}"}` })]);
  const failed = (id: string, callId: string, error: string) => ({ ...result(id, callId, error), isError: true });
  const history = [
    human("first", "Build the shed.\nUse oak only."),
    command("a", "c", "make"),
    failed("r", "c", "make: no rule"),
    command("b", "d", "lint"),
    failed("s", "d", "lint: 3 errors"),
    command("e", "f", "lint"),
    result("t", "f", "clean"),
    ...turns(8),
  ];

  test.each<[string, RegExp]>([
    ["pinned instructions", /<pinned-instructions>\nNever push\.\n<\/pinned-instructions>/],
    ["the live state of ports", /<todo>\n1\. dig\n<\/todo>/],
    ["files of the tracker, with their state", /<modified-files>\nsrc\/oak\.ts version 3\n<\/modified-files>/],
    [
      "the last error of a command that fails still",
      /<last-errors>\nbash \{"command":"make"\}: make: no rule\n<\/last-errors>/,
    ],
  ])("are written with the summary: %s", async (_, text) => {
    const { fit, written } = smallSession(history, {
      pinned: ["Never push."],
      stateProviders: [() => ({ title: "todo", text: "1. dig" }), () => null],
      fileTracker: () => [{ path: "src/oak.ts", access: "modify", state: "version 3" }],
    });
    expect((await fit()).kind).toBe("compacted");
    expect(written()).toMatch(text);
    expect(written()).not.toContain("lint: 3 errors");
  });

  test("are written anew at each compaction, from the state as it is then", async () => {
    const todo = { text: "1. dig" };
    const { fit, append, written } = smallSession(history, { stateProviders: [() => ({ title: "todo", text: todo.text })] });
    await fit();
    todo.text = "2. build";
    append(...turns(6, 20));
    await fit();
    expect(written()).toContain("2. build");
    expect(written()).not.toContain("1. dig");
    expect(written().match(/<todo>/g)).toHaveLength(1);
  });

  test("have a third of the room for pinned texts, each whole, and the event counts the others", async () => {
    const pinned = Array.from({ length: 15 }, (_, index) => `rule ${index}\n${words(300)}`);
    const { fit, written, events } = smallSession(history, { pinned });
    await fit();
    expect(pinned.map((text) => written().includes(text))).toEqual(pinned.map((_, index) => index < 11));
    expect(events.at(-1)).toMatchObject({ unkept: ["keep pinned texts: 11 of 15 kept, no room for 4"] });
    expect(written()).toContain("make: no rule");
  });

  test("survive a strategy that summarises nothing", async () => {
    const policy: Policy = { ...SMALL_POLICY, strategies: [{ kind: "drop-oldest", amount: "all-but-keep", notice: "count" }] };
    const { fit, written } = smallSession(history, { policy, pinned: ["Never push."] });
    await fit();
    expect(written()).toMatch(/dropped.*Never push\..*make: no rule/s);
  });

  describe("of what runs and is planned are the same", () => {
    const said = [
      human("o", "Serve it."),
      assistant("i", [callPart("j", "todo", { argumentsJson: '{"items":[{"text":"Dig","status":"pending"}]}' })]),
      result("k", "j", "ok"),
      command("g", "h", "nohup ./serve.sh &"),
      result("v", "h", ""),
      ...turns(10),
    ];
    const record = (text: string) => /<running-things>.*<\/plan-items>/s.exec(text)?.[0];

    test("after an undo", async () => {
      const { fit, manager, written } = smallSession(said);
      await fit();
      const first = record(written());
      expect(first).toMatch(/nohup \.\/serve\.sh &: running.*\[pending\] Dig/s);
      await manager.undo();
      await fit();
      expect(record(written())).toBe(first);
    });

    test("when the log is opened anew", async () => {
      const { fit, manager, written } = smallSession(said);
      await fit();
      const again = smallSession([], { entries: manager.entries() });
      manager.append({ type: "message", message: human("q", words(6000)) });
      again.append(human("q", words(6000)));
      await Promise.all([fit(), again.fit()]);
      expect(again.written()).toBe(written());
    });
  });

  test.each([
    ["nothing else", undefined, []],
    ["the files that it lists", "by-touch", ["src/oak.ts version 3"]],
    ["those of what was covered", "covered", ["src/oak.ts version 3"]],
  ] as const)("of a policy that gives them no room hold what the caller gave, and %s", async (_, files, listed) => {
    const { fit, written } = smallSession(history, {
      policy: { ...SMALL_POLICY, facts: { maxTokens: 0, files } },
      pinned: ["Never push."],
      stateProviders: [() => ({ title: "todo", text: "1. dig" })],
      fileTracker: () => [{ path: "src/oak.ts", access: "modify", state: "version 3" }],
    });
    await fit();
    expect(written()).toMatch(/Never push\..*1\. dig/s);
    expect(written()).not.toContain("<last-errors>");
    expect(/<modified-files>\n(.*)\n<\/modified-files>/.exec(written())?.slice(1) ?? []).toEqual(listed);
  });

  describe("of a policy that lists the files of what its summaries covered", () => {
    const policy: Policy = { ...SMALL_POLICY, facts: { maxTokens: 100, files: "covered" } };
    const touching = (id: string, path: string, access: "read" | "modify", input: object = { path }) => [
      assistant(id, [callPart(`c-${id}`, "tool", { argumentsJson: JSON.stringify(input), paths: [{ path, access }] })]),
      result(`r-${id}`, `c-${id}`, words(500)),
    ];
    const listed = (text: string) => /<(?:read|modified)-files>.*<\/(?:read|modified)-files>/s.exec(text)?.[0] ?? "";

    test.each<[string, readonly Message[], string]>([
      [
        "by name, read before modified, without those of the kept tail",
        [
          ...touching("a", "z.ts", "read"),
          ...touching("b", "a.ts", "read"),
          ...turns(8),
          ...touching("k", "kept.ts", "modify"),
        ],
        "<read-files>\na.ts\nz.ts\n</read-files>",
      ],
      [
        "what was read and is modified in the kept tail alone is read",
        [...touching("a", "a.ts", "read"), ...touching("b", "b.ts", "modify"), ...turns(8), ...touching("k", "a.ts", "modify")],
        "<read-files>\na.ts\n</read-files>\n\n<modified-files>\nb.ts\n</modified-files>",
      ],
      [
        "as calls name them: what a command shows is none",
        [...touching("a", "a.ts", "read", { command: "cat a.ts" }), ...touching("b", "b.ts", "read"), ...turns(8)],
        "<read-files>\nb.ts\n</read-files>",
      ],
      [
        "all of them, in a room of their own",
        [
          ...Array.from({ length: 9 }, (_, at) => touching(`${at}`, `src/${"long".repeat(20)}/${at}.ts`, "read")).flat(),
          ...turns(8),
        ],
        `<read-files>\n${Array.from({ length: 9 }, (_, at) => `src/${"long".repeat(20)}/${at}.ts`).join("\n")}\n</read-files>`,
      ],
    ])("%s", async (_, log, lists) => {
      const { fit, written } = smallSession([human("first", "Build."), ...log], { policy });
      await fit();
      expect(listed(written())).toBe(lists);
    });

    test("with what earlier compactions covered, and the states of a tracker", async () => {
      const { fit, append, written } = smallSession([human("first", "Build."), ...touching("a", "a.ts", "read"), ...turns(8)], {
        policy,
        fileTracker: () => [{ path: "t.ts", access: "modify", state: "version 3" }],
      });
      await fit();
      append(...touching("b", "b.ts", "read"), ...turns(6, 20));
      await fit();
      expect(listed(written())).toBe(
        "<read-files>\na.ts\nb.ts\n</read-files>\n\n<modified-files>\nt.ts version 3\n</modified-files>",
      );
    });

    test("no longer than a tenth of the room", async () => {
      const many = Array.from({ length: 200 }, (_, at) =>
        touching(`${at}`, `src/${"long".repeat(10)}/${at}.ts`, "read"),
      ).flat();
      const { fit, written } = smallSession([human("first", "Build."), ...many, ...turns(2)], { policy });
      await fit();
      expect(listed(written()).length).toBeLessThan(3000);
      expect(listed(written())).toMatch(/^<read-files>\n\(\d+ earlier not shown\)\n/);
    });
  });
});
