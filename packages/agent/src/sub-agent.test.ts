import { PlimsollError } from "@plimsoll/core";
import { expect, test } from "vitest";
import { subAgentReply } from "./start-agent.ts";

const error = new PlimsollError("provider-failed", "quota used up");

test.each([
  ["its last words", { reason: "done", text: "found it", error: null }, "found it", false],
  ["words that the output limit cut off", { reason: "length", text: "found", error: null }, "found", false],
  ["why, with its words", { reason: "max-steps", text: "so far", error: null }, "The sub-agent ended: max-steps. so far", true],
  ["why it ended without words", { reason: "cancelled", text: "", error: null }, "The sub-agent ended: cancelled.", true],
  ["its error", { reason: "failed", text: "", error }, "The sub-agent ended: quota used up.", true],
] as const)("the end of a sub-agent is told as %s", (_what, outcome, text, isError) => {
  expect(subAgentReply({ ...outcome, steps: 1 })).toEqual({ text, isError });
});
