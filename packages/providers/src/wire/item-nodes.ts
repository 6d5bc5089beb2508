import { isRecord } from "@plimsoll/core/extend";
import { argumentsObject, argumentsText, type Fields } from "../fields.ts";

/** A part of a history that can make it unusable, recognised only by its form: the same on each wire and in each agent's log. */
export interface ItemNode {
  readonly kind: "call" | "result" | "pair" | "thinking" | "image" | "empty";
  /** The id that joins a call and its result; `null` for other kinds. */
  readonly id: string | null;
  /** The name of a call's tool, a picture's type; empty if it has none. */
  readonly name: string;
  /** The node without its fault: another text in its place. */
  readonly said: (text: string) => Fields;
  /** The node under another id. */
  readonly renamed: (id: string) => Fields;
  /** The call with an object for its arguments; `null` for one that has it, and for other kinds. */
  readonly mended: Fields | null;
  /** Base64 of a picture; empty for other kinds. */
  readonly data: string;
  /** Whether thinking is signed. */
  readonly isSigned: boolean;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const block = (text: string): Fields => ({ type: "text", text });

const NO_FAULT = { id: null, name: "", said: block, mended: null, data: "", isSigned: true } as const;

function nodeOf(value: Fields, kind: ItemNode["kind"], more: Partial<ItemNode>): ItemNode {
  return { kind, ...NO_FAULT, renamed: () => value, ...more };
}

/** Reads a node; `null` for everything else. */
export function itemNode(value: Fields): ItemNode | null {
  const joined = (kind: "call" | "result", key: string, more: Partial<ItemNode> = {}): ItemNode | null => {
    const id = textOf(value[key]);
    const renamed = (other: string) => ({ ...value, [key]: other });
    return id === "" ? null : nodeOf(value, kind, { id, name: textOf(value.name), renamed, ...more });
  };
  const { type, role } = value;
  const item = (by: "assistant" | "user") => (text: string) => ({
    type: "message",
    role: by,
    content: [{ type: by === "assistant" ? "output_text" : "input_text", text }],
  });
  switch (type) {
    case "tool_use":
      return joined("call", "id", { mended: withObject(value, "input") });
    case "toolCall":
      return joined("call", "id", { mended: withObject(value, "arguments") });
    // Of the AI SDK; others keep the input beside its text.
    case "tool-call":
      return joined("call", "toolCallId", { name: textOf(value.toolName), mended: withObject(value, "input") });
    case "tool_result":
      return joined("result", "tool_use_id");
    case "function_call":
      return joined("call", typeof value.callId === "string" ? "callId" : "call_id", {
        said: item("assistant"),
        mended: withText(value),
      });
    case "custom_tool_call":
      return joined("call", "call_id", { said: item("assistant") });
    case "function_call_output":
    case "custom_tool_call_output":
      return joined("result", "call_id", { said: item("user") });
    // OpenCode's part is the call and, once it has ended, its result.
    case "tool":
      return openCodeTool(value);
    case "thinking":
      return nodeOf(value, "thinking", { isSigned: textOf(value.signature ?? value.thinkingSignature) !== "" });
    // Of Codex, the Responses wire and OpenCode: without its signature its sender leaves it out.
    case "reasoning":
      return nodeOf(value, "thinking", {});
    case "file":
      return openCodeImage(value);
    case "image": {
      const source = isRecord(value.source) ? value.source : value;
      return nodeOf(value, "image", { name: textOf(source.media_type ?? source.mimeType), data: textOf(source.data) });
    }
    case "text":
      return textOf(value.text).trim() === "" && Object.keys(value).length === 2 ? nodeOf(value, "empty", {}) : null;
    case "function":
    case undefined: {
      const called = value.function;
      if (!isRecord(called)) break;
      const mended = withText(called);
      return joined("call", "id", {
        name: textOf(called.name),
        mended: mended === null ? null : { ...value, function: mended },
      });
    }
    default:
  }
  const said = (text: string) => ({ text });
  if ("args" in value && typeof value.id === "string" && typeof value.name === "string") return geminiCall(value, value.name);
  if (isRecord(value.functionCall)) {
    const call = value.functionCall.args === undefined ? null : withObject(value.functionCall, "args");
    const node = nodeOf(value, "call", { said, mended: call === null ? null : { ...value, functionCall: call } });
    return inside(value, "functionCall", node) ?? node;
  }
  if (isRecord(value.functionResponse)) return inside(value, "functionResponse", nodeOf(value, "result", { said }));
  if (isRecord(value.inlineData))
    return nodeOf(value, "image", { name: textOf(value.inlineData.mimeType), data: textOf(value.inlineData.data), said });
  const { toolCallId: _, tool_call_id: __, toolName: ___, isError: ____, ...rest } = value;
  if (role === "toolResult")
    return joined("result", "toolCallId", { said: (text) => ({ ...rest, role: "user", content: [block(text)] }) });
  if (role === "tool") return joined("result", "tool_call_id", { said: (text) => ({ role: "user", content: text }) });
  return null;
}

/** A part of Gemini's form, whose id may be missing: such a one cannot be identified, and is left untouched. */
function inside(value: Fields, key: string, node: ItemNode): ItemNode | null {
  const own = value[key];
  if (!isRecord(own) || textOf(own.id) === "") return null;
  return { ...node, id: textOf(own.id), name: textOf(own.name), renamed: (id) => ({ ...value, [key]: { ...own, id } }) };
}

/** A call as Gemini CLI records it, with its output once it has ended. */
function geminiCall(value: Fields, name: string): ItemNode {
  const { id: given, result } = value;
  const id = textOf(given);
  const mended = withObject(value, "args");
  if (Array.isArray(result) && result.length > 0) {
    const renamed = (other: string) => ({
      ...value,
      id: other,
      result: result.map((part: unknown) =>
        isRecord(part) && isRecord(part.functionResponse)
          ? { ...part, functionResponse: { ...part.functionResponse, id: other } }
          : part,
      ),
    });
    return nodeOf(value, "pair", { id, name, renamed, mended });
  }
  const said = (error: string) => ({
    ...value,
    status: "error",
    result: [{ functionResponse: { id: given, name, response: { error } } }],
  });
  return nodeOf(value, "call", { id, name, said, renamed: (other) => ({ ...value, id: other }), mended });
}

function withObject(value: Fields, key: string): Fields | null {
  return isRecord(value[key]) ? null : { ...value, [key]: argumentsObject(value[key]) };
}

/** The value with the text of an object as its arguments; `null` if they are that. */
function withText(value: Fields): Fields | null {
  const text = argumentsText(value.arguments);
  return text === value.arguments ? null : { ...value, arguments: text };
}

/** An item of a model with an object for the arguments of each call; the very item if nothing is wrong with it. */
export function withMendedCalls<Item>(item: Item): Item;
export function withMendedCalls(item: unknown): unknown {
  const mended = (node: Fields): Fields | undefined => {
    const call = itemNode(node);
    return call?.mended ?? (call === null || call.kind === "thinking" ? undefined : node);
  };
  return isRecord(item) ? (mended(item) ?? changedNodes(item, mended)) : item;
}

function openCodeTool(value: Fields): ItemNode | null {
  const { callID, state, tool } = value;
  if (typeof callID !== "string" || !isRecord(state)) return null;
  const isOpen = state.status === "pending" || state.status === "running";
  const start = isRecord(state.time) && typeof state.time.start === "number" ? state.time.start : 0;
  return nodeOf(value, isOpen ? "call" : "pair", {
    id: callID,
    name: textOf(tool),
    mended: withState(value, withObject(state, "input")),
    said: (error) => ({
      ...value,
      // OpenCode imports no call without both times.
      state: { status: "error", input: state.input ?? {}, error, time: { start, end: start } },
    }),
    renamed: (id) => ({ ...value, callID: id }),
  });
}

const withState = (value: Fields, state: Fields | null): Fields | null => (state === null ? null : { ...value, state });

/** A picture of OpenCode's: its replacement is a text with the ids of the part. */
function openCodeImage(value: Fields): ItemNode | null {
  const { id, sessionID, messageID, mime, url } = value;
  const [, data] = /^data:image\/[\w.+-]+;base64,(.*)$/s.exec(textOf(url)) ?? [];
  return data === undefined
    ? null
    : nodeOf(value, "image", { name: textOf(mime), data, said: (text) => ({ id, sessionID, messageID, ...block(text) }) });
}

/** Makes a value anew: `change` gives another node, `null` to leave it out, or `undefined` to look inside. Values in which nothing changes are the same. */
export function changedNodes(value: unknown, change: (node: Fields) => Fields | null | undefined): unknown {
  if (Array.isArray(value)) {
    const items = value.flatMap((each: unknown) => {
      const made = isRecord(each) ? change(each) : undefined;
      return made === undefined ? [changedNodes(each, change)] : made === null ? [] : [made];
    });
    if (items.length === value.length && items.every((each, index) => each === value[index])) return value;
    // No vendor takes a message without content.
    return items.length === 0 ? [block("(left out)")] : items;
  }
  if (!isRecord(value)) return value;
  const pairs = Object.entries(value).map(([key, each]) => {
    const made = isRecord(each) && !COPIES.test(key) ? change(each) : undefined;
    return [key, made ?? (COPIES.test(key) ? each : changedNodes(each, change))] as const;
  });
  return pairs.every(([key, each]) => each === value[key]) ? value : Object.fromEntries(pairs);
}

/** Keys under which agents keep copies of a history, or the content of their screen. */
const COPIES = /^(?:replacement_history|tool(?:Use|Call)Result|input|arguments|args|result|resultDisplay)$/;
