import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Fields } from "../src/fields.ts";
import type { ContractTurn } from "../src/testing/index.ts";

/** A content: one text, or pieces as the wire has them. */
type Content = string | readonly Fields[];

/** One step of a model: what is left out is not there. */
export interface FormedStep {
  readonly id: string;
  /** The tool's name; `look` by default. */
  readonly name?: string;
  /** The arguments: text or a value, as the items hold them; none by default. */
  readonly given?: unknown;
  /** Words before the call. */
  readonly said?: string;
  /** The seal of reasoning before the call. */
  readonly seal?: string | null;
  readonly result: Content;
  /** A person's pieces with the result, on wires that have one item for both. */
  readonly beside?: readonly Fields[];
  /** True for items that have their vendor's ids. */
  readonly isLinked?: boolean;
}

/** A kind of items: the form that a program gives its messages, and a step. */
interface ItemForm {
  /** Whether arguments are a text, or a value. */
  readonly holds: "text" | "value";
  readonly said: (content: Content) => unknown;
  readonly replied: (text: string) => unknown;
  readonly step: (step: FormedStep) => readonly unknown[];
}

const only = <Piece>(text: string | null | undefined, piece: Piece): readonly Piece[] => (text ? [piece] : []);
const pieces = (content: Content): readonly Fields[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;
const parts = (content: Content) => (typeof content === "string" ? [{ text: content }] : content);

/** The fields that OpenCode keeps of a message. */
export function openCodeInfo(role: "user" | "assistant", more: Fields): Fields {
  const model = { providerID: "simulated", modelID: "simulated-model" };
  return { id: "msg_1", sessionID: "ses_1", role, time: { created: 1 }, ...(role === "user" ? { model } : model), ...more };
}

const openCodeReply = (...own: readonly Fields[]) => ({
  info: openCodeInfo("assistant", {}),
  parts: [{ type: "step-start" }, ...own, { type: "step-finish", reason: "tool-calls" }],
});
const piReply = (...content: readonly Fields[]) => ({ role: "assistant", content, timestamp: 1 });
const agentReply = (text: string) => ({ role: "assistant", status: "completed", content: [{ type: "output_text", text }] });

/** The name of a kind of items. */
export type FormName = KeptName | "opencode" | "pi";
/** The name of a kind whose programs hear of refusals. */
export type KeptName = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "ai-sdk" | "langchain" | "agents";

/** The kinds of items that programs keep. */
export const ITEM_FORMS: { readonly [name in FormName]: ItemForm } = {
  "openai-chat": {
    holds: "text",
    said: (content) => ({ role: "user", content }),
    replied: (content) => ({ role: "assistant", content }),
    step: ({ id, name = "look", given = "{}", said = null, seal, result: content }) => [
      {
        ...{ role: "assistant", content: said },
        ...only(seal, { reasoning: "hm", reasoning_details: [{ type: "reasoning.encrypted", data: seal }] })[0],
        tool_calls: [{ id, type: "function", function: { name, arguments: given } }],
      },
      { role: "tool", tool_call_id: id, content },
    ],
  },
  "openai-responses": {
    holds: "text",
    said: (content) => ({ type: "message", role: "user", content }),
    replied: (content) => ({ role: "assistant", content }),
    step: ({ id, name = "look", given = "{}", said, seal, result: output, isLinked }) => [
      ...only(seal, { type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: seal }),
      ...only(said, { role: "assistant", content: said }),
      { type: "function_call", ...(isLinked && { id: `fc_${id}` }), call_id: id, name, arguments: given },
      { type: "function_call_output", call_id: id, output },
    ],
  },
  anthropic: {
    holds: "value",
    said: (content) => ({ role: "user", content }),
    replied: (content) => ({ role: "assistant", content }),
    step: ({ id, name = "look", given: input = {}, said, seal, result: content, beside = [] }) => [
      {
        role: "assistant",
        content: [
          ...only(seal, { type: "thinking", thinking: "hm", signature: seal }),
          ...only(said, { type: "text", text: said }),
          { type: "tool_use", id, name, input },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }, ...beside] },
    ],
  },
  gemini: {
    holds: "value",
    said: (content) => ({ role: "user", parts: parts(content) }),
    replied: (text) => ({ role: "model", parts: [{ text }] }),
    step: ({ id, name = "look", given: args = {}, said, seal, result, beside = [] }) => {
      const [first, ...media] = parts(result);
      const answer = { id, name, response: { output: first?.text }, ...(media.length > 0 && { parts: media }) };
      const call = { functionCall: { id, name, args } };
      const thought = { text: "hm", thought: true, thoughtSignature: seal };
      return [
        { role: "model", parts: [...only(seal, thought), ...only(said, { text: said }), call] },
        { role: "user", parts: [{ functionResponse: answer }, ...beside] },
      ];
    },
  },
  "ai-sdk": {
    holds: "value",
    said: (content) => ({ role: "user", content: pieces(content) }),
    replied: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    step: ({ id: toolCallId, name: toolName = "look", given: input = {}, said, seal, result: value }) => {
      const output = { type: typeof value === "string" ? "text" : "content", value };
      const content = [
        ...only(seal, { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: seal } } }),
        ...only(said, { type: "text", text: said }),
        { type: "tool-call", toolCallId, toolName, input },
      ];
      return [
        { role: "assistant", content },
        { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] },
      ];
    },
  },
  langchain: {
    holds: "value",
    said: (content) => new HumanMessage({ content: content as never }),
    replied: (text) => new AIMessage(text),
    step: ({ id, name = "look", given: args = {}, said = "so", seal, result: content }) => {
      const text = { type: "text", text: said };
      const blocks = [...only(seal, { type: "thinking", thinking: "hm", signature: seal }), text];
      // Its own type holds only objects.
      const reply = Object.assign(new AIMessage({ content: blocks as never }), {
        tool_calls: [{ id, name, args, type: "tool_call" }],
      });
      return [reply, new ToolMessage({ content: content as never, tool_call_id: id, name })];
    },
  },
  agents: {
    holds: "text",
    said: (content) => ({ role: "user", content }),
    replied: agentReply,
    step: ({ id: callId, name = "look", given = "{}", said, seal, result: output, isLinked }) => [
      ...only(seal, { type: "reasoning", id: `rs_${callId}`, content: [], providerData: { encrypted_content: seal } }),
      ...only(said, agentReply(said ?? "")),
      {
        ...{ type: "function_call", ...(isLinked && { id: `fc_${callId}` }), callId, name },
        ...{ arguments: given, status: "completed" },
      },
      { type: "function_call_result", callId, name, status: "completed", output },
    ],
  },
  opencode: {
    holds: "value",
    said: (content) => ({ info: openCodeInfo("user", {}), parts: pieces(content) }),
    replied: (text) => openCodeReply({ type: "text", text }),
    // A call's result is in the reply that has the call; its pieces are attachments.
    step: ({ id: callID, given: input = {}, said, result }) => {
      const [output, attachments] = typeof result === "string" ? [result, []] : [`result ${callID} `.repeat(150), result];
      const state = {
        status: "completed",
        input,
        output,
        title: callID,
        metadata: {},
        time: { start: 1, end: 1 },
        attachments,
      };
      return [openCodeReply(...only(said, { type: "text", text: said }), { type: "tool", callID, tool: "read", state })];
    },
  },
  pi: {
    holds: "value",
    said: (content) => ({ role: "user", content, timestamp: 1 }),
    replied: (text) => piReply({ type: "text", text }),
    step: ({ id, name = "look", given = {}, said, result }) => [
      piReply(...only(said, { type: "text", text: said }), { type: "toolCall", id, name, arguments: given }),
      { role: "toolResult", toolCallId: id, toolName: name, isError: false, content: pieces(result), timestamp: 1 },
    ],
  },
};

/** The items of a step. Their types are their wire's. */
export const stepItems = (name: FormName, step: FormedStep): never[] => [...ITEM_FORMS[name].step(step)] as never[];

/** Makes the items of turns of a kind. */
export function turnItems(kind: FormName): (turn: ContractTurn) => never[] {
  const { holds, said, replied } = ITEM_FORMS[kind];
  return (turn) => {
    if (turn.kind === "human") return [...(turn.before === null ? [] : [replied(turn.before)]), said(turn.text)] as never[];
    const { callId: id, path, said: words, result } = turn;
    const given = holds === "text" ? JSON.stringify({ path }) : { path };
    return stepItems(kind, { id, name: "read_file", given, said: words, result });
  };
}
