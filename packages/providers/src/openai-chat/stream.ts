import { cutStream } from "../client/failure.ts";
import type { DriverEvent } from "../client/model-client.ts";
import type { Fields } from "../fields.ts";
import { numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { decodeOpenAiChat } from "./decode.ts";

/** A call that is being streamed. */
interface OpenCall {
  id: string;
  name: string;
  argumentsText: string;
}

/**
 * The chunks of a streamed completion as deltas and a reply: they are put together to the completion that a whole answer would have been.
 *
 * @throws PlimsollError with the reason `cut-stream` where the stream ends before it gave a reason to end.
 */
export async function* decodeOpenAiChatStream(chunks: AsyncIterable<unknown>): AsyncGenerator<DriverEvent> {
  const calls = new Map<number, OpenCall>();
  const words = { content: "", reasoning: "", refusal: "" };
  let head: Fields = {};
  let usage: Fields | null = null;
  let ending: Fields = {};
  for await (const chunk of chunks) {
    head = { id: stringAt(chunk, "id") ?? head.id, model: stringAt(chunk, "model") ?? head.model };
    usage = recordAt(chunk, "usage") ?? usage;
    const [choice] = recordsAt(chunk, "choices");
    if (choice === undefined) continue;
    if (stringAt(choice, "finish_reason") !== null) ending = choice;
    const delta = recordAt(choice, "delta");
    const text = stringAt(delta, "content") ?? "";
    const reasoning = stringAt(delta, "reasoning_content") ?? stringAt(delta, "reasoning") ?? "";
    words.content += text;
    words.reasoning += reasoning;
    words.refusal += stringAt(delta, "refusal") ?? "";
    if (reasoning !== "") yield { type: "reasoning-delta", text: reasoning };
    if (text !== "") yield { type: "text-delta", text };
    for (const call of recordsAt(delta, "tool_calls")) yield* callDelta(calls, call);
  }
  if (stringAt(ending, "finish_reason") === null) throw cutStream();
  const message = {
    content: words.content,
    reasoning_content: words.reasoning,
    refusal: words.refusal,
    tool_calls: [...calls.values()].map(({ id, name, argumentsText }) => ({
      id,
      function: { name, arguments: argumentsText },
    })),
  };
  yield { type: "reply", ...decodeOpenAiChat({ ...head, usage, choices: [{ ...ending, message }] }) };
}

/** Servers that send a call whole may leave its index out. */
function* callDelta(calls: Map<number, OpenCall>, delta: Fields): Generator<DriverEvent> {
  const id = stringAt(delta, "id");
  const index = numberAt(delta, "index") ?? (id === null ? calls.size - 1 : calls.size);
  const called = recordAt(delta, "function");
  const open = calls.get(index);
  const argumentsText = stringAt(called, "arguments") ?? "";
  if (open !== undefined) {
    open.argumentsText += argumentsText;
    return;
  }
  const call = { id: id ?? "", name: stringAt(called, "name") ?? "", argumentsText };
  calls.set(index, call);
  yield { type: "tool-call-start", callId: call.id, toolName: call.name };
}
