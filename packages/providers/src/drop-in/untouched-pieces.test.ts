import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Policy } from "@plimsoll/core";
import { PLIMSOLL_POLICY, presetNamed } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { openCodeInfo } from "../../testing/array-subjects.ts";
import type { Fields } from "../fields.ts";
import { PROMPTS } from "./ai-sdk-middleware.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import { createContentsCompactor } from "./google-genai.ts";
import { LANGCHAIN_MESSAGES } from "./langchain-messages.ts";
import { createAgentItemsCompactor } from "./openai-agents.ts";
import { createChatCompactor } from "./openai-chat.ts";
import { createItemsCompactor } from "./openai-responses.ts";
import { OPENCODE_MESSAGES } from "./opencode-messages.ts";
import { PI_MESSAGES } from "./pi.ts";
import type { CompactorOptions } from "./request.ts";

/** One wire: the pieces of a person's message and of a result, each with the fields that only its own agent knows, and items made of them. */
interface Wire {
  readonly said: (id: string) => readonly Fields[];
  readonly told: (id: string, text: string) => readonly Fields[];
  readonly fit: (options: CompactorOptions) => (items: readonly never[]) => Promise<readonly unknown[]>;
  /** A person's message; a call and its result; and the person's words with the result if the wire has one item for both. */
  readonly person: (pieces: readonly Fields[]) => unknown;
  readonly step: (id: string, result: readonly Fields[], said: readonly Fields[] | null) => readonly unknown[];
}

const made =
  <Item>(fit: (items: readonly Item[]) => Promise<readonly unknown[]>) =>
  (items: readonly never[]) =>
    fit(items);

const WIRES: { readonly [name: string]: Wire } = {
  Messages: {
    said: (id) => [
      { type: "text", text: `words ${id}`, cache_control: { type: "ephemeral" } },
      { type: "image", source: { type: "file", file_id: `file_said_${id}` } },
      { type: "document", source: { type: "file", file_id: `file_doc_${id}` }, title: "Ports", citations: { enabled: true } },
      { type: "container_upload", file_id: `file_up_${id}` },
    ],
    told: (id, text) => [
      { type: "text", text },
      { type: "image", source: { type: "file", file_id: `file_told_${id}` } },
      { type: "search_result", source: "https://e.org", title: id, content: [{ type: "text", text: `found ${id}` }] },
    ],
    fit: (options) => made(createMessagesCompactor(options).fit),
    person: (content) => ({ role: "user", content }),
    step: (id, content, said) => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { path: id } }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: id, content, cache_control: { type: "ephemeral" } }, ...(said ?? [])],
      },
    ],
  },
  Chat: {
    said: (id) => [
      { type: "text", text: `words ${id}` },
      { type: "file", file: { file_id: `file_said_${id}` } },
      { type: "image_url", image_url: { url: `https://e.org/${id}`, detail: "low" } },
      { type: "input_audio", input_audio: { data: btoa(`audio ${id}`), format: "wav" } },
    ],
    told: (_, text) => [{ type: "text", text }],
    fit: (options) => made(createChatCompactor(options).fit),
    person: (content) => ({ role: "user", content, name: "ann" }),
    step: (id, content) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "read", arguments: `{"path":"${id}"}` } }],
      },
      { role: "tool", tool_call_id: id, content },
    ],
  },
  Responses: {
    said: (id) => [
      { type: "input_text", text: `words ${id}` },
      { type: "input_file", file_id: `file_said_${id}` },
      { type: "input_image", file_id: `file_image_${id}`, detail: "high" },
    ],
    told: (id, text) => [
      { type: "input_text", text },
      { type: "input_image", file_id: `file_told_${id}`, detail: "low" },
    ],
    fit: (options) => made(createItemsCompactor(options).fit),
    person: (content) => ({ type: "message", role: "user", content }),
    step: (id, output) => [
      { type: "function_call", call_id: id, name: "read", arguments: `{"path":"${id}"}`, status: "completed" },
      { type: "function_call_output", call_id: id, output },
    ],
  },
  Gemini: {
    said: (id) => [
      { text: `words ${id}` },
      {
        fileData: { fileUri: `https://e.org/files/said_${id}`, mimeType: "video/mp4" },
        videoMetadata: { fps: 2 },
        mediaResolution: { level: "MEDIA_RESOLUTION_LOW" },
      },
    ],
    told: (id, text) => [{ text }, { fileData: { fileUri: `https://e.org/files/told_${id}`, mimeType: "image/png" } }],
    fit: (options) => made(createContentsCompactor(options).fit),
    person: (parts) => ({ role: "user", parts }),
    step: (id, [first, ...media], said) => [
      { role: "model", parts: [{ functionCall: { id, name: "read", args: { path: id } } }] },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id,
              name: "read",
              response: { output: first?.text },
              ...(media.length > 0 ? { parts: media } : {}),
            },
          },
          ...(said ?? []),
        ],
      },
    ],
  },
  "AI SDK": {
    said: (id) => [
      { type: "text", text: `words ${id}`, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
      {
        type: "file",
        data: { type: "reference", reference: { anthropic: `file_said_${id}` } },
        mediaType: "application/pdf",
        filename: "a.pdf",
      },
      { type: "image", image: `https://e.org/${id}`, providerOptions: { openai: { imageDetail: "low" } } },
    ],
    told: (id, text) => [
      { type: "text", text },
      { type: "file-id", fileId: `file_told_${id}` },
      { type: "image-file-id", fileId: { anthropic: `file_image_${id}` }, providerOptions: { anthropic: { a: 1 } } },
    ],
    fit: (options) => made(createArrayCompactor({ ...PROMPTS, observed: () => null }, options).fit),
    person: (content) => ({ role: "user", content, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } }),
    step: (id, value) => [
      {
        role: "assistant",
        content: [
          {
            type: "tool-call",
            toolCallId: id,
            toolName: "read",
            input: { path: id },
            providerOptions: { google: { thoughtSignature: id } },
          },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: id,
            toolName: "read",
            output: { type: "content", value },
            providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
          },
        ],
      },
    ],
  },
  LangChain: {
    said: (id) => [
      { type: "text", text: `words ${id}`, cache_control: { type: "ephemeral" } },
      { type: "file", fileId: `file_said_${id}`, metadata: { filename: "a.pdf" } },
      { type: "image_url", image_url: { url: `https://e.org/${id}`, detail: "low" } },
    ],
    told: (id, text) => [
      { type: "text", text },
      { type: "image", fileId: `file_told_${id}` },
    ],
    fit: (options) => made(createArrayCompactor(LANGCHAIN_MESSAGES, options).fit),
    person: (content) => new HumanMessage({ content: [...content] as never }),
    step: (id, content) => [
      new AIMessage({ content: "", tool_calls: [{ id, name: "read", args: { path: id } }] }),
      new ToolMessage({ content: [...content] as never, tool_call_id: id, name: "read" }),
    ],
  },
  "OpenAI Agents": {
    said: (id) => [
      { type: "input_text", text: `words ${id}`, providerData: { a: 1 } },
      { type: "input_file", file: { id: `file_said_${id}` }, filename: "a.pdf" },
      { type: "input_image", image: { id: `file_image_${id}` }, detail: "low" },
    ],
    told: (id, text) => [
      { type: "input_text", text },
      { type: "input_image", image: { id: `file_told_${id}` } },
    ],
    fit: (options) => made(createAgentItemsCompactor(options).fit),
    person: (content) => ({ role: "user", content }),
    step: (callId, output) => [
      { type: "function_call", callId, name: "read", arguments: `{"path":"${callId}"}`, status: "completed" },
      { type: "function_call_result", callId, name: "read", status: "completed", output },
    ],
  },
  OpenCode: {
    said: (id) => [
      { id: `prt_${id}`, type: "text", text: `words ${id}`, metadata: { a: 1 } },
      {
        id: `prt_file_${id}`,
        type: "file",
        mime: "image/png",
        filename: `${id}.png`,
        url: `https://e.org/${id}`,
        source: { type: "file", path: id },
      },
    ],
    told: (id) => [
      { id: `prt_told_${id}`, type: "file", mime: "image/png", url: `data:image/png;base64,${btoa(`told ${id}`)}` },
    ],
    fit: (options) => made(createArrayCompactor(OPENCODE_MESSAGES, options).fit),
    person: (parts) => ({ info: openCodeInfo("user", {}), parts }),
    step: (callID, attachments) => {
      const output = `result ${callID} `.repeat(150);
      const state = {
        status: "completed",
        input: { path: callID },
        output,
        title: callID,
        metadata: {},
        time: { start: 1, end: 1 },
        attachments,
      };
      return [
        { info: openCodeInfo("assistant", {}), parts: [{ type: "step-start" }, { type: "tool", callID, tool: "read", state }] },
      ];
    },
  },
  pi: {
    said: (id) => [
      { type: "text", text: `words ${id}`, textSignature: id },
      { type: "image", data: btoa(`image ${id}`), mimeType: "image/png", path: id },
    ],
    told: (id, text) => [
      { type: "text", text },
      { type: "image", data: btoa(`told ${id}`), mimeType: "image/webp", path: id },
    ],
    fit: (options) => made(createArrayCompactor(PI_MESSAGES, options).fit),
    person: (content) => ({ role: "user", content, timestamp: 1 }),
    step: (id, content) => [
      { role: "assistant", content: [{ type: "toolCall", id, name: "read", arguments: { path: id } }], timestamp: 1 },
      { role: "toolResult", toolCallId: id, toolName: "read", isError: false, content, timestamp: 1, details: { path: id } },
    ],
  },
};

/** Every object in a value, as JSON. */
function piecesIn(value: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const each of value) piecesIn(each, found);
  else if (isRecord(value)) {
    found.add(JSON.stringify(value));
    for (const each of Object.values(value)) piecesIn(each, found);
  }
  return found;
}

const POLICIES = ["plimsoll", "plimsoll-model", "sven", "opal", "pi", "klaude-code"];
const LIMITS = { contextWindowTokens: 8_000, maxOutputTokens: 500 };

/** Plays growing arrays; gives each piece that the engine took nothing of and that was not sent as it came. */
async function changedPieces(wire: Wire, policy: Policy, options: Partial<CompactorOptions>): Promise<readonly string[]> {
  const fit = wire.fit({ policy, limits: LIMITS, nowMs: () => 0, ...options });
  const items: unknown[] = [];
  const said: (readonly Fields[])[] = [];
  const told: (readonly Fields[])[] = [];
  const wrong = new Set<string>();
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < 40; at += 1) {
    const words = wire.said(`${at}`);
    const result = wire.told(`${at}`, `result ${at} `.repeat(at % 5 === 3 ? 1_500 : 60 + (at % 3) * 100));
    const isBoth = at % 4 === 1;
    if (at % 4 === 0) items.push(wire.person(words));
    if (at % 4 === 0 || isBoth) said.push(words);
    items.push(...wire.step(`call_${at}`, result, isBoth ? words : null));
    told.push(result);
    const sent: unknown = JSON.parse(JSON.stringify(await fit([...items] as never)));
    least = Math.min(least, Array.isArray(sent) ? sent.length - items.length : 0);
    if (JSON.stringify(sent).includes("[image not available")) wrong.add(`${at}: a medium was lost`);
    const pieces = piecesIn(sent);
    for (const own of [...said, ...told]) {
      const text = own[0]?.text;
      const texts = JSON.stringify(sent).split(JSON.stringify(text)).length - 1;
      if (texts === 0) continue;
      // Text of an answer is in an object of its own on one wire.
      for (const piece of own.filter((each) => each.type !== undefined || each.text !== text || each === said.at(-1)?.[0]))
        if (!pieces.has(JSON.stringify(piece))) wrong.add(`${at}: ${JSON.stringify(piece).slice(0, 160)}`);
    }
  }
  if (least >= 0) wrong.add("nothing was cut");
  return [...wrong];
}

describe.each(Object.entries(WIRES))("what the engine did not touch is sent as the agent gave it: %s", (_, wire) => {
  test.each(POLICIES)("%s", async (name) => {
    expect(await changedPieces(wire, presetNamed(name) ?? expect.fail(name), {})).toEqual([]);
  });

  test("where older media are taken for a limit, and the texts beside them stay", async () => {
    const limits = { contextWindowTokens: 200_000, maxOutputTokens: 500, request: { images: 3 } };
    const changed = await changedPieces(wire, PLIMSOLL_POLICY, { limits });
    const texts = changed.filter((each) => each.includes('"text":'));
    expect([texts, changed.length > 1]).toEqual([[], true]);
  });
});
