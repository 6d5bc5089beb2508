import type { PendingCall } from "@plimsoll/agent";
import type { ToolEffect } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { parseRule } from "./allow-rule.ts";
import { type Answer, createPermissions, type PermissionMode } from "./permissions.ts";

const callOf = (effect: ToolEffect, callId = "c"): PendingCall => {
  return { sessionId: "s", callId, toolName: "a_tool", argumentsJson: "{}", effect };
};
const READ = callOf({ kind: "read" });
const WRITE = callOf({ kind: "write", what: "edit a.ts", files: ["a.ts"], before: null, after: "x" });
const UNKNOWN = callOf({ kind: "unknown" });
const command = (line: string) => callOf({ kind: "execute", command: line, folder: "." }, line);

const signal = () => new AbortController().signal;
const permissionsOf = (rules: readonly string[], mode: PermissionMode = "ask") => createPermissions(rules.map(parseRule), mode);

/** A person who answers when the test says so. */
function person() {
  const asked: { readonly call: PendingCall; readonly signal: AbortSignal; readonly answer: (answer: Answer) => void }[] = [];
  return {
    asked,
    ask: (call: PendingCall, isVoid: AbortSignal) =>
      new Promise<Answer>((answer) => {
        asked.push({ call, signal: isVoid, answer });
      }),
    next: async (count: number) => {
      await expect.poll(() => asked.length, { timeout: 30_000 }).toBe(count);
      return asked[count - 1] ?? expect.fail("nobody was asked");
    },
  };
}

describe("with nobody to ask", () => {
  test.each<readonly [string, readonly string[], PermissionMode, PendingCall, "allow" | "deny"]>([
    ["reading is allowed", [], "ask", READ, "allow"],
    ["reading is allowed in read-only mode", [], "read-only", READ, "allow"],
    ["commands are refused", [], "ask", command("ls"), "deny"],
    ["changes are refused", [], "ask", WRITE, "deny"],
    ["unknown tools are refused", [], "ask", UNKNOWN, "deny"],
    ["what was allowed runs", ["command:ls"], "ask", command("ls"), "allow"],
    ["read-only is stronger than what was allowed", ["all"], "read-only", command("ls"), "deny"],
    ["read-only is stronger for changes, too", ["writes", "tool:a_tool"], "read-only", WRITE, "deny"],
    ["read-only is stronger than a tool's name for its commands", ["tool:a_tool"], "read-only", command("ls"), "deny"],
    ["in read-only mode an unknown tool runs if it is named", ["tool:a_tool"], "read-only", UNKNOWN, "allow"],
    ["in read-only mode no other unknown tool does", ["all"], "read-only", UNKNOWN, "deny"],
  ])("%s", async (_what, rules, mode, call, expected) => {
    const permissions = permissionsOf(rules, mode);
    expect((await permissions.authorize(call, signal())).kind).toBe(expected);
    expect(permissions.refused()).toEqual(expected === "deny" ? [call] : []);
  });
});

describe("with a person", () => {
  test.each<readonly [string, Answer, unknown, readonly unknown[]]>([
    ["once allows it and makes no rule", { kind: "once" }, { kind: "allow" }, []],
    ["always makes a rule", { kind: "always" }, { kind: "allow" }, [{ kind: "command", command: "ls", folder: "." }]],
    ["no is told to the model", { kind: "no", words: null }, { kind: "deny", why: "the person said no." }, []],
    ["words go with it", { kind: "no", words: "use rg" }, { kind: "deny", why: "the person said no: use rg" }, []],
  ])("%s", async (_what, answer, expected, rules) => {
    const permissions = permissionsOf([]);
    permissions.askThrough(async () => answer);
    expect(await permissions.authorize(command("ls"), signal())).toEqual(expected);
    expect([permissions.rules(), permissions.refused()]).toEqual([rules, []]);
  });

  test("what cannot be answered is a no", async () => {
    const permissions = permissionsOf([]);
    permissions.askThrough(() => Promise.reject(new Error("the editor is gone")));
    expect(await permissions.authorize(command("ls"), signal())).toEqual({ kind: "deny", why: "nobody answered." });
  });

  test("one question is asked at a time, in order, and an answer holds for the same command behind it", async () => {
    const { ask, asked, next } = person();
    const permissions = permissionsOf([]);
    permissions.askThrough(ask);
    const decisions = ["one", "two", "one"].map((line) => permissions.authorize(command(line), signal()));
    (await next(1)).answer({ kind: "always" });
    (await next(2)).answer({ kind: "no", words: null });
    expect(await Promise.all(decisions)).toMatchObject([{ kind: "allow" }, { kind: "deny" }, { kind: "allow" }]);
    expect(asked.map(({ call }) => call.callId)).toEqual(["one", "two"]);
  });

  test("reading and what is allowed do not wait behind a question", async () => {
    const { ask, next } = person();
    const permissions = permissionsOf(["writes"]);
    permissions.askThrough(ask);
    void permissions.authorize(command("one"), signal());
    await next(1);
    expect(await permissions.authorize(READ, signal())).toEqual({ kind: "allow" });
    expect(await permissions.authorize(WRITE, signal())).toEqual({ kind: "allow" });
  });

  test("a rule or a mode that is set while a question is open answers it; the question is void", async () => {
    const { ask, next } = person();
    const permissions = permissionsOf([]);
    permissions.askThrough(ask);
    const first = permissions.authorize(command("one"), signal());
    const question = await next(1);
    permissions.allow(parseRule("writes"));
    expect(question.signal.aborted).toBe(false);
    permissions.allow(parseRule("commands"));
    expect(await first).toEqual({ kind: "allow" });
    expect(question.signal.aborted).toBe(true);
    const second = permissions.authorize(UNKNOWN, signal());
    await next(2);
    permissions.setMode("read-only");
    expect(await second).toMatchObject({ kind: "deny", why: expect.stringContaining("read-only") });
  });

  test("a run that is cancelled voids its question, its waiting ones are never asked, and the next run's are", async () => {
    const { ask, asked, next } = person();
    const permissions = permissionsOf([]);
    permissions.askThrough((call, isVoid) => {
      const answer = ask(call, isVoid);
      return new Promise((resolve, reject) => {
        isVoid.addEventListener("abort", () => reject(new Error("void")));
        answer.then(resolve, reject);
      });
    });
    const run = new AbortController();
    const first = permissions.authorize(command("one"), run.signal);
    const second = permissions.authorize(command("two"), run.signal);
    const question = await next(1);
    run.abort();
    expect((await first).kind).toBe("deny");
    await expect(second).rejects.toThrow();
    question.answer({ kind: "always" });
    const third = permissions.authorize(command("three"), signal());
    (await next(2)).answer({ kind: "once" });
    expect(await third).toEqual({ kind: "allow" });
    expect([asked.map(({ call }) => call.callId), permissions.rules()]).toEqual([["one", "three"], []]);
  });
});
