import { describe, expect, test } from "vitest";
import { result } from "../testing/builders.ts";
import { type CallOutcome, callOutcome, lastErrors } from "./facts.ts";

const call = { type: "tool-call", callId: "c", toolName: "bash", argumentsJson: '{"command":"make"}', paths: [] } as const;
const failed = (text: string) => ({ ...result("r", "c", text), isError: true });

describe("callOutcome", () => {
  test.each([
    ["a call that went well has no error", result("r", "c", "built"), null],
    ["a call that failed has the error's text", failed("no such file\n"), "no such file"],
    ["of a long error its end", failed(`${"x".repeat(1000)}the end`), `${"x".repeat(393)}the end`],
    ["never half a character", failed(`${"👍".repeat(300)}.`), `${"👍".repeat(200)}.`],
    ["an error without text", failed(""), ""],
  ])("%s", (_, message, error) => {
    expect(callOutcome(call, message)).toEqual({ toolName: "bash", argumentsJson: '{"command":"make"}', error });
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
