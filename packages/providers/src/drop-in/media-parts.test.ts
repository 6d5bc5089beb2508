import { type Part, textOf } from "@plimsoll/core";
import { withIds } from "@plimsoll/core/extend";
import type { ModelMessage } from "ai";
import { describe, expect, test } from "vitest";
import { chatMessages } from "../openai-chat/encode.ts";
import { COMPATIBLE_QUIRKS, OPENAI_QUIRKS } from "../openai-chat/hosts.ts";
import { responseItems } from "../openai-responses/encode.ts";
import { mediaParts } from "./media-parts.ts";
import { MODEL_MESSAGES } from "./model-messages.ts";
import { changedSaid } from "./response-items.ts";
import { userDraft } from "./wire-array.ts";

const MEGABYTE = Buffer.alloc(1_000_000, "A").toString("base64");
const CSV = "name,port\nharbour,22\n";
const CSV_DATA = Buffer.from(CSV).toString("base64");
const PDF = btoa("%PDF-1.4\n1 0 obj <</Type/Page>> endobj 2 0 obj <</Type /Page>> endobj");

/** Shows how a part is counted: as a text, or as a type of media with its pages or bytes if they are known. */
const countedPart = (part: Part) =>
  part.type === "image"
    ? [part.mediaType, part.pageCount ?? part.sizeBytes ?? []].flat().join(" ")
    : part.type === "text"
      ? part.text
      : part.type;
const counted = (parts: readonly Part[]) => parts.map(countedPart).join(" + ");

describe("media are counted by their type, base64 never as text", () => {
  test.each<[string, unknown, string]>([
    ["Chat: audio", { type: "input_audio", input_audio: { data: MEGABYTE, format: "wav" } }, "audio/wav"],
    ["Chat: audio in another", { type: "input_audio", input_audio: { data: MEGABYTE, format: "mp3" } }, "audio/mpeg"],
    ["Chat: a video", { type: "video_url", video_url: { url: `data:video/mp4;base64,${MEGABYTE}` } }, "video/mp4"],
    ["Chat: a video's address", { type: "video_url", video_url: { url: "https://e.org/a.webm?x=1" } }, "video/webm"],
    ["Chat: audio's address", { type: "audio_url", audio_url: { url: "https://e.org/a" } }, "audio/mpeg"],
    ["Chat: an image", { type: "image_url", image_url: { url: "https://e.org/a", detail: "low" } }, "image/png"],
    ["Chat: a file without a type", { type: "file", file: { filename: "a.pdf", file_data: PDF } }, "application/pdf 2"],
    ["Chat: a file that is kept", { type: "file", file: { file_id: "file-1" } }, "application/pdf"],
    ["Responses: a file that is kept", { type: "input_file", file_id: "file-1" }, "application/pdf"],
    ["Responses: an image that is kept", { type: "input_image", file_id: "file-1", detail: "auto" }, "image/png"],
    ["Responses: a file's address", { type: "input_file", file_url: "https://e.org/a" }, "application/pdf"],
    ["Responses: audio", { type: "input_audio", input_audio: { data: MEGABYTE, format: "mp3" } }, "audio/mpeg"],
    [
      "Messages: a document",
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } },
      "application/pdf 2",
    ],
    ["Messages: a kept document", { type: "document", source: { type: "file", file_id: "file_1" } }, "application/pdf"],
    ["Messages: an image's address", { type: "image", source: { type: "url", url: "https://e.org/a" } }, "image/png"],
    ["Gemini: inline audio", { inlineData: { mimeType: "audio/ogg", data: MEGABYTE } }, "audio/ogg"],
    ["Gemini: a video's address", { fileData: { fileUri: "https://youtu.be/1", mimeType: "video/*" } }, "video/mp4"],
    ["AI SDK: bytes", { type: "file", mediaType: "audio/mpeg", data: new Uint8Array(9) }, "audio/mpeg 9"],
    ["AI SDK: bytes in a buffer", { type: "file", mediaType: "video/mp4", data: new ArrayBuffer(9) }, "video/mp4 9"],
    [
      "AI SDK: a document's bytes",
      { type: "file", mediaType: "application/pdf", data: Buffer.from(PDF, "base64") },
      "application/pdf 2",
    ],
    ["AI SDK: an address", { type: "file", mediaType: "audio/wav", data: new URL("https://e.org/a") }, "audio/wav"],
    ["AI SDK 7: tags", { type: "file", mediaType: "audio/wav", data: { type: "data", data: MEGABYTE } }, "audio/wav"],
    ["AI SDK: any image", { type: "file", mediaType: "image/*", data: MEGABYTE }, "image/png"],
    ["LangChain: audio", { type: "audio", data: MEGABYTE, mimeType: "audio/wav" }, "audio/wav"],
    ["LangChain: audio without a type", { type: "audio", data: MEGABYTE }, "audio/mpeg"],
    ["LangChain: a video that is kept", { type: "video", fileId: "f" }, "video/mp4"],
    ["LangChain: a file", { type: "file", data: PDF, mimeType: "application/pdf" }, "application/pdf 2"],
    [
      "Chat: a video of frames",
      { type: "video", video: [`data:image/jpeg;base64,${MEGABYTE}`, `data:image/jpeg;base64,${MEGABYTE}`], fps: 2 },
      "image/jpeg + image/jpeg",
    ],
    [
      "Chat: frames by their addresses",
      { type: "video", video: ["https://e.org/1.jpg", "https://e.org/2.jpg"] },
      "image/jpeg + image/jpeg",
    ],
    [
      "Chat: an address in capitals",
      { type: "image_url", image_url: { url: `DATA:image/png;BASE64,${MEGABYTE}` } },
      "image/png",
    ],
    ["Chat: a video's address as a text", { type: "video_url", video_url: `data:video/mp4;base64,${MEGABYTE}` }, "video/mp4"],
    [
      "AI SDK: bytes that are shared",
      { type: "file", mediaType: "application/pdf", data: new SharedArrayBuffer(9) },
      "application/pdf 9",
    ],
    ["OpenAI Agents: audio", { type: "audio", audio: MEGABYTE, format: "wav" }, "audio/wav"],
    ["OpenCode: a file", { type: "file", mime: "video/mp4", url: `data:video/mp4;base64,${MEGABYTE}` }, "video/mp4"],
    ["a file by its first bytes", { type: "file", data: Buffer.from("OggS\0\x02").toString("base64") }, "audio/ogg"],
  ])("%s", (_, part, expected) => {
    expect(counted(mediaParts(part))).toBe(expected);
  });

  test.each<[string, unknown]>([
    ["in a part of a type that nobody knows", { type: "hologram", note: "of the ship", pixels: MEGABYTE }],
    ["deep in it", { type: "hologram", note: "of the ship", layers: [{ of: { pixels: MEGABYTE } }] }],
    ["in lines", { type: "hologram", note: "of the ship", pixels: MEGABYTE.replaceAll(/(.{76})/g, "$1\n") }],
    ["as an address", { type: "hologram", note: "of the ship", pixels: `data:application/x-hologram;base64,${MEGABYTE}` }],
  ])("%s", (_, part) => {
    const parts = mediaParts(part);
    expect(parts.map(({ type }) => type)).toEqual(["text", "image"]);
    expect(counted(parts)).toContain("of the ship");
    expect(parts.reduce((sum, each) => sum + (each.type === "text" ? each.text.length : 0), 0)).toBeLessThan(100);
  });
});

describe("a text file is counted as its text", () => {
  test.each<[string, unknown]>([
    ["by its type", { type: "file", mediaType: "text/csv", data: CSV_DATA }],
    ["with a charset", { type: "file", mediaType: "text/csv; charset=utf-8", data: CSV_DATA }],
    ["JSON", { inlineData: { mimeType: "application/json", data: CSV_DATA } }],
    ["XML", { inlineData: { mimeType: "application/atom+xml", data: CSV_DATA } }],
    ["a program", { type: "file", mimeType: "application/x-python", data: CSV_DATA }],
    ["YAML", { type: "file", mimeType: "application/yaml", data: CSV_DATA }],
    ["SVG", { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: CSV_DATA } }],
    ["in an address", { type: "input_file", filename: "a.csv", file_data: `data:text/csv;base64,${CSV_DATA}` }],
    ["in an address without base64", { type: "input_file", file_data: `data:text/csv,${encodeURIComponent(CSV)}` }],
    ["in an address without a type", { type: "image_url", image_url: { url: `data:,${encodeURIComponent(CSV)}` } }],
    ["as bytes", { type: "file", mediaType: "text/plain", data: Buffer.from(CSV) }],
    ["of a type that says nothing", { type: "file", mediaType: "application/octet-stream", data: CSV_DATA }],
    ["without a type", { type: "file", file: { filename: "ports", file_data: CSV_DATA } }],
    ["of 16 bits", { type: "file", mediaType: "text/plain", data: Buffer.from(`\ufeff${CSV}`, "utf16le") }],
    ["whose source says so", { type: "document", source: { type: "text", media_type: "text/plain", data: CSV } }],
    ["that would be base64, too", { type: "document", source: { type: "text", data: CSV } }],
    ["that is not encoded at all", { type: "text-plain", mimeType: "text/plain", data: CSV }],
  ])("%s", (_, part) => {
    expect(mediaParts(part)).toEqual([{ type: "text", text: CSV }]);
  });

  test("but not what is said to be text and is none", () => {
    const part = { type: "file", mediaType: "text/plain", data: Buffer.from("\0\0\xff\0", "latin1") };
    expect(counted(mediaParts(part))).toBe("text/plain 4");
  });
});

describe("every output of a tool in the AI SDK", () => {
  test.each<[string, object, string]>([
    ["text", { type: "text", value: "seen" }, "seen"],
    ["an empty text", { type: "text", value: "" }, ""],
    ["JSON", { type: "json", value: { a: 1 } }, '{"a":1}'],
    ["null", { type: "json", value: null }, "null"],
    ["no value", { type: "json" }, ""],
    ["an error's text", { type: "error-text", value: "no" }, "no"],
    ["an error's JSON", { type: "error-json", value: ["no"] }, '["no"]'],
    ["an error without a value", { type: "error-json" }, ""],
    ["a denied call", { type: "execution-denied", reason: "not now" }, "not now"],
    ["a denied call without a reason", { type: "execution-denied" }, "Tool call execution denied."],
    ["content", { type: "content", value: [{ type: "text", text: "seen" }] }, "seen"],
    ["no content", { type: "content", value: [] }, ""],
    ["content that is absent", { type: "content" }, ""],
    ["a custom part", { type: "content", value: [{ type: "custom" }] }, '{"type":"custom"}'],
    ["a type that nobody knows", { type: "later" }, ""],
    ["nothing", {}, ""],
  ])("%s", (_, output, text) => {
    expect(resultOf(output).map(textOf)).toEqual([text]);
  });

  test.each<[string, object, string]>([
    ["media", { type: "media", data: MEGABYTE, mediaType: "image/png" }, "image/png"],
    ["a file's data", { type: "file-data", data: MEGABYTE, mediaType: "audio/wav" }, "audio/wav"],
    ["a tagged file", { type: "file", data: { type: "data", data: MEGABYTE }, mediaType: "audio/wav" }, "audio/wav"],
    [
      "a kept file, tagged",
      { type: "file", data: { type: "reference", reference: { openai: "f" } }, mediaType: "audio/wav" },
      "audio/wav",
    ],
    ["a file's address", { type: "file-url", url: "https://e.org/a.wav" }, "audio/wav"],
    ["a file's address with a type", { type: "file-url", url: "https://e.org/a", mediaType: "audio/wav" }, "audio/wav"],
    ["a file that is kept", { type: "file-id", fileId: "f" }, "application/pdf"],
    ["a file that vendors keep", { type: "file-id", fileId: { openai: "f" } }, "application/pdf"],
    ["a file by reference", { type: "file-reference", providerReference: { openai: "f" } }, "application/pdf"],
    ["an image's data", { type: "image-data", data: MEGABYTE, mediaType: "image/jpeg" }, "image/jpeg"],
    ["an image's address", { type: "image-url", url: "https://e.org/a" }, "image/png"],
    ["an image that is kept", { type: "image-file-id", fileId: "f" }, "image/png"],
    ["an image by reference", { type: "image-file-reference", providerReference: { openai: "f" } }, "image/png"],
  ])("%s in its content", (_, part, mediaType) => {
    expect(resultOf({ type: "content", value: [part] }).map(({ parts }) => counted(parts))).toEqual([mediaType]);
  });
});

/** The message of a result with that output. Versions 6 and 7 of the SDK differ in their types. */
function resultOf(output: object) {
  const item: ModelMessage = JSON.parse(
    JSON.stringify({ role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "look", output }] }),
  );
  return withIds(MODEL_MESSAGES.drafts([item], { toolNameOf: () => "look", calls: [], messageId: null }), null);
}

describe("media that were read are written as their wire takes them", () => {
  const said = (part: unknown) => ({ id: "1", ...userDraft(mediaParts(part)) });
  const contextWith = (part: unknown) => ({ system: "", tools: [], messages: [said(part)], dynamicContext: null });
  const chatPart = (part: unknown, quirks = OPENAI_QUIRKS) => chatMessages(contextWith(part), quirks)[0]?.content;
  const pdf = { filename: "document.pdf", file_data: `data:application/pdf;base64,${PDF}` };
  const audio = { data: "UklGRg==", format: "wav" };

  test.each<[string, unknown]>([
    ["sound", { type: "input_audio", input_audio: audio }],
    ["sound in another format", { type: "input_audio", input_audio: { ...audio, format: "mp3" } }],
    ["a document", { type: "file", file: pdf }],
    ["an image", { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
    ["an image's address", { type: "image_url", image_url: { url: "https://e.org/a.png" } }],
  ])("Chat: %s", (_, part) => {
    expect(chatPart(part)).toEqual([part]);
  });

  test.each<[string, unknown]>([
    ["a document", { type: "input_file", ...pdf }],
    ["a document's address", { type: "input_file", file_url: "https://e.org/a.pdf" }],
    ["an image", { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" }],
  ])("Responses: %s", (_, part) => {
    expect(responseItems(contextWith(part))).toEqual([{ type: "message", role: "user", content: [part] }]);
  });

  test("what a wire cannot take is named", () => {
    expect(chatPart({ type: "video_url", video_url: { url: "data:video/mp4;base64,AAAA" } })).toContain("video/mp4");
    expect(chatPart({ type: "file", file: pdf }, COMPATIBLE_QUIRKS)).toContain("application/pdf");
    const [item] = responseItems(contextWith({ type: "input_audio", input_audio: audio }));
    expect(JSON.stringify(item)).toContain("audio/wav");
  });

  test("beside a part that was changed, the others stay as they came, whatever is in them", () => {
    const kept = [
      { type: "input_file", file_id: "file-1", filename: "plan.docx" },
      { type: "input_image", file_id: "file-2", detail: "high" },
    ] as const;
    const text = { type: "input_text", text: "old" } as const;
    const item = { type: "message" as const, role: "user" as const, content: [text, ...kept] };
    const parts = [{ type: "text" as const, text: "new" }, ...kept.flatMap((part) => said(part).parts)];
    const content = [{ ...text, text: "new" }, ...kept];
    expect(changedSaid(item, { ...said(""), parts })).toEqual({ ...item, content });
  });
});
