import { expect, test } from "vitest";
import { type Fields, recordsAt } from "../fields.ts";
import { createPiExtension } from "./pi.ts";

const RESULT = "line of a file\n".repeat(400);

/** pi with the extension, in a window that sixty steps are more than. */
function started() {
  const handlers = new Map<string, (event: unknown, context: unknown) => unknown>();
  createPiExtension({ nowMs: () => 0 })({ on: (event, handler) => handlers.set(event, handler) });
  const told: string[] = [];
  const ui = { notify: (text: string) => void told.push(text) };
  const model = { id: "m", contextWindow: 32_000, maxTokens: 2_000 };
  const context = { model, ui, hasUI: true, sessionManager: { getSessionId: () => "one" } };
  const messages: Fields[] = [{ role: "user", content: "Look at every part.", timestamp: 0 }];
  return {
    told,
    messages,
    step: (index: number) => {
      const call = { type: "toolCall", id: `c${index}`, name: "read", arguments: { path: `${index}.ts` } };
      const text = { type: "text", text: `${index} ${RESULT}` };
      messages.push({ role: "assistant", content: [call], stopReason: "toolUse" });
      messages.push({ role: "toolResult", toolCallId: `c${index}`, toolName: "read", content: [text], isError: false });
    },
    sent: async () =>
      JSON.stringify(recordsAt(await handlers.get("context")?.({ messages: [...messages] }, context), "messages")),
    typed: (text: string, source = "interactive") => handlers.get("input")?.({ text, source }, context),
  };
}

async function cut() {
  const pi = started();
  pi.messages.push({ role: "user", content: "plimsoll: keep this: the harbour is at 54°N", timestamp: 0 });
  for (let index = 0; index < 40; index++) pi.step(index);
  return { ...pi, first: await pi.sent() };
}

test("what was dropped is told to the person, and the model is not asked", async () => {
  const { typed, told, first } = await cut();
  expect(first).toContain("the harbour is at 54°N");
  expect(await typed("plimsoll: what did you drop?")).toEqual({ action: "handled" });
  expect(told.join("\n")).toContain("- results of read: ");
});

test("an undo sends what was cut again", async () => {
  const { typed, told } = await cut();
  expect(await typed("plimsoll: undo")).toEqual({ action: "handled" });
  expect(told).toEqual([expect.stringContaining("The last cut is undone")]);
});

test.each([
  ["what is to be kept goes to the model", "plimsoll: keep this: x", "interactive"],
  ["other messages do", "undo", "interactive"],
  ["what an extension sends does", "plimsoll: undo", "extension"],
])("%s", async (_, text, source) => {
  expect(await started().typed(text, source)).toEqual({ action: "continue" });
});
