import type { Policy } from "@plimsoll/core";
import { PLIMSOLL_POLICY, presetNamed } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { type FormName, ITEM_FORMS, stepItems } from "../../testing/item-forms.ts";
import { COMPACTORS } from "../../testing/kept-items.ts";
import type { Fields } from "../fields.ts";
import type { CompactorOptions } from "./request.ts";

/** One wire: the pieces of a person's message and of a result, each with the fields that only its own agent knows. */
interface Wire {
  readonly said: (id: string) => readonly Fields[];
  readonly told: (id: string, text: string) => readonly Fields[];
}

const WIRES: { readonly [name in FormName]: Wire } = {
  anthropic: {
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
  },
  "openai-chat": {
    said: (id) => [
      { type: "text", text: `words ${id}` },
      { type: "file", file: { file_id: `file_said_${id}` } },
      { type: "image_url", image_url: { url: `https://e.org/${id}`, detail: "low" } },
      { type: "input_audio", input_audio: { data: btoa(`audio ${id}`), format: "wav" } },
    ],
    told: (_, text) => [{ type: "text", text }],
  },
  "openai-responses": {
    said: (id) => [
      { type: "input_text", text: `words ${id}` },
      { type: "input_file", file_id: `file_said_${id}` },
      { type: "input_image", file_id: `file_image_${id}`, detail: "high" },
    ],
    told: (id, text) => [
      { type: "input_text", text },
      { type: "input_image", file_id: `file_told_${id}`, detail: "low" },
    ],
  },
  gemini: {
    said: (id) => [
      { text: `words ${id}` },
      {
        fileData: { fileUri: `https://e.org/files/said_${id}`, mimeType: "video/mp4" },
        videoMetadata: { fps: 2 },
        mediaResolution: { level: "MEDIA_RESOLUTION_LOW" },
      },
    ],
    told: (id, text) => [{ text }, { fileData: { fileUri: `https://e.org/files/told_${id}`, mimeType: "image/png" } }],
  },
  "ai-sdk": {
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
  },
  langchain: {
    said: (id) => [
      { type: "text", text: `words ${id}`, cache_control: { type: "ephemeral" } },
      { type: "file", fileId: `file_said_${id}`, metadata: { filename: "a.pdf" } },
      { type: "image_url", image_url: { url: `https://e.org/${id}`, detail: "low" } },
    ],
    told: (id, text) => [
      { type: "text", text },
      { type: "image", fileId: `file_told_${id}` },
    ],
  },
  agents: {
    said: (id) => [
      { type: "input_text", text: `words ${id}`, providerData: { a: 1 } },
      { type: "input_file", file: { id: `file_said_${id}` }, filename: "a.pdf" },
      { type: "input_image", image: { id: `file_image_${id}` }, detail: "low" },
    ],
    told: (id, text) => [
      { type: "input_text", text },
      { type: "input_image", image: { id: `file_told_${id}` } },
    ],
  },
  opencode: {
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
async function changedPieces(name: FormName, policy: Policy, options: Partial<CompactorOptions>): Promise<readonly string[]> {
  const { fit } = COMPACTORS[name]({ policy, limits: LIMITS, nowMs: () => 0, ...options });
  const wire = WIRES[name];
  const items: unknown[] = [];
  const said: (readonly Fields[])[] = [];
  const told: (readonly Fields[])[] = [];
  const wrong = new Set<string>();
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < 40; at += 1) {
    const words = wire.said(`${at}`);
    const result = wire.told(`${at}`, `result ${at} `.repeat(at % 5 === 3 ? 1_500 : 60 + (at % 3) * 100));
    const isBoth = at % 4 === 1;
    if (at % 4 === 0) items.push(ITEM_FORMS[name].said(words));
    if (at % 4 === 0 || isBoth) said.push(words);
    items.push(...stepItems(name, { id: `call_${at}`, name: "read", result, beside: isBoth ? words : [] }));
    told.push(result);
    const sent: unknown = JSON.parse(JSON.stringify(await fit([...items] as never[])));
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

describe.each(Object.keys(WIRES) as FormName[])("what the engine did not touch is sent as the agent gave it: %s", (form) => {
  test.each(POLICIES)("%s", async (name) => {
    expect(await changedPieces(form, presetNamed(name) ?? expect.fail(name), {})).toEqual([]);
  });

  test("where older media are taken for a limit, and the texts beside them stay", async () => {
    const limits = { contextWindowTokens: 200_000, maxOutputTokens: 500, request: { images: 3 } };
    const changed = await changedPieces(form, PLIMSOLL_POLICY, { limits });
    const texts = changed.filter((each) => each.includes('"text":'));
    expect([texts, changed.length > 1]).toEqual([[], true]);
  });
});
