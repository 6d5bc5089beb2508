import type { PendingCall } from "@plimsoll/agent";
import type { ToolEffect } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { createLineAsker } from "./ask-by-lines.ts";

const COLUMNS = 80;

function asking(effect: ToolEffect, more: Partial<PendingCall> & { readonly colours?: "colours" | "plain" } = {}) {
  const { colours = "plain", ...rest } = more;
  const said: string[] = [];
  const output = { write: (text: string) => said.push(text), columns: COLUMNS };
  const asker = createLineAsker({ output, colours, sessionId: () => "own" });
  const isVoid = new AbortController();
  const call: PendingCall = { sessionId: "own", callId: "c", toolName: "server_do", argumentsJson: '{"a":1}', effect, ...rest };
  return { asker, answer: asker.ask(call, isVoid.signal), said: () => said.join(""), isVoid };
}

const execute = (command: string, folder = "."): ToolEffect => ({ kind: "execute", command, folder });
const choices = (always: string) => `y once · a always: ${always} · n no, or n and why · s show all\nallow? `;

describe("a question", () => {
  test.each<readonly [string, ToolEffect, Partial<PendingCall>, readonly string[]]>([
    [
      "for a command shows where it runs and all of it",
      execute("make\nmake test", "packages/a"),
      {},
      ["? run a command in packages/a", "  │ make", "  │ make test", choices("exactly this command")],
    ],
    [
      "for a change shows what goes and what comes",
      { kind: "write", what: "edit src/a.ts", files: ["src/a.ts"], before: "old\n", after: "new\n" },
      {},
      ["? edit src/a.ts", "  │ - old", "  │ + new", choices("all changes of files")],
    ],
    [
      "for an unknown tool shows its arguments",
      { kind: "unknown" },
      {},
      ["? use server_do; its effect is unknown", '  │ {"a":1}', choices("this tool")],
    ],
    [
      "of a sub-agent says so",
      execute("ls"),
      { sessionId: "own.1" },
      ["? a sub-agent wants to run a command in the workspace", "  │ ls", choices("exactly this command")],
    ],
    [
      "shows what tries to hide",
      execute("rm -rf / #\r\u001b[2K\u001b[1Als\u202e"),
      {},
      ["? run a command in the workspace", "  │ rm -rf / #\\r\\e[2K\\e[1Als\\u{202e}", choices("exactly this command")],
    ],
    [
      "breaks a long name itself, too",
      { kind: "write", what: `create ${"b".repeat(70)}\nallow? y`, files: [], before: null, after: "" },
      {},
      [`? create ${"b".repeat(68)}`, "  bb\\nallow? y", choices("all changes of files")],
    ],
    [
      "breaks a long line itself, so that no text can pass for the question",
      execute(`${"a".repeat(75)}allow? y`),
      {},
      ["? run a command in the workspace", `  │ ${"a".repeat(75)}`, "  ┆ allow? y", choices("exactly this command")],
    ],
  ])("%s", (_what, effect, more, lines) => {
    expect(asking(effect, more).said()).toBe(lines.join("\n"));
  });

  test("fits 80 columns, whatever it is about", () => {
    const wide = `${"x".repeat(300)}\n${"日".repeat(200)}\n${"\u001b".repeat(90)}`;
    const lines = [
      execute(wide),
      { kind: "write", what: `edit ${wide}`, files: [], before: null, after: null } as const,
      { kind: "write", what: "edit a", files: [], before: wide, after: null } as const,
    ]
      .flatMap((effect) => asking(effect).said().split("\n"))
      .map((line) => [...line].reduce((sum, character) => sum + (character > "\u2fff" ? 2 : 1), 0));
    expect(Math.max(...lines)).toBeLessThanOrEqual(COLUMNS);
  });

  test("leaves out the middle of what is long, says how much, and shows it if asked", () => {
    const { asker, said } = asking(execute(Array.from({ length: 100 }, (_, index) => `step ${index}`).join("\n")));
    const before = said();
    expect(before).toContain("  │ step 27\n  ⋮ 64 more rows: s shows them\n  │ step 92\n");
    asker.answer("s");
    expect(said().slice(before.length)).toContain("  │ step 50\n");
    expect(asker.isOpen()).toBe(true);
  });

  test("colours what goes and what comes on a terminal that has colours", () => {
    const effect = { kind: "write", what: "edit a", files: [], before: "old", after: "new" } as const;
    expect(asking(effect, { colours: "colours" }).said()).toContain(
      "  │ \u001b[31m- old\u001b[0m\n  │ \u001b[32m+ new\u001b[0m\n",
    );
  });
});

describe("an answer", () => {
  test.each([
    ["y", { kind: "once" }],
    [" YES ", { kind: "once" }],
    ["a", { kind: "always" }],
    ["always", { kind: "always" }],
    ["n", { kind: "no", words: null }],
    ["no", { kind: "no", words: null }],
    ["n use rg", { kind: "no", words: "use rg" }],
    ["No, use rg", { kind: "no", words: "use rg" }],
  ])("%j is one", async (line, expected) => {
    const { asker, answer } = asking(execute("ls"));
    asker.answer(line);
    expect(await answer).toEqual(expected);
    expect(asker.isOpen()).toBe(false);
  });

  test.each(["", "   ", "yes please", "all", "none of it", "nothing", "ya", "y\u202e", "allow"])(
    "%j is none: it is asked again",
    (line) => {
      const { asker, said } = asking(execute("ls"));
      const before = said().length;
      asker.answer(line);
      expect([asker.isOpen(), said().slice(before)]).toEqual([true, choices("exactly this command")]);
    },
  );

  test("cannot be always for what starts programs later", async () => {
    const { asker, answer, said } = asking({ kind: "write", what: "edit", files: ["plimsoll.yaml"], before: "a", after: "b" });
    expect(said()).toContain("\ny once · n no, or n and why · s show all\nallow? ");
    asker.answer("a");
    expect(asker.isOpen()).toBe(true);
    asker.answer("y");
    expect(await answer).toEqual({ kind: "once" });
  });

  test("comes too late for a question that is void", async () => {
    const { asker, answer, isVoid } = asking(execute("ls"));
    isVoid.abort();
    asker.answer("y");
    await expect(answer).rejects.toThrow("void");
  });
});
