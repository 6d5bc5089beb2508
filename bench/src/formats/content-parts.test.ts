import { expect, test } from "vitest";
import { contentParts } from "./content-parts.ts";

const PDF = Buffer.from("%PDF-1.4\n1 0 obj <</Type/Page>> endobj 2 0 obj <</Type /Page>> endobj").toString("base64");
const DATA_URL = `data:application/pdf;base64,${PDF}`;
const pages = [
  expect.objectContaining({ type: "image", mediaType: "application/pdf", pageCount: 2, source: { kind: "absent" } }),
];

test.each<[string, unknown, readonly unknown[]]>([
  ["an Anthropic document", { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } }, pages],
  [
    "a document of plain text",
    { type: "document", source: { type: "text", media_type: "text/plain", data: "two words" } },
    [{ type: "text", text: "two words" }],
  ],
  [
    "a document of blocks",
    { type: "document", source: { type: "content", content: [{ type: "text", text: "inside" }] } },
    [{ type: "text", text: "inside" }],
  ],
  ["a file of Chat Completions", { type: "file", file: { filename: "a.pdf", file_data: DATA_URL } }, pages],
  ["a file of Responses", { type: "input_file", filename: "a.pdf", file_data: DATA_URL }, pages],
  ["a file of LangChain", { type: "file", source_type: "base64", mime_type: "application/pdf", data: PDF }, pages],
  ["a file of the AI SDK", { type: "file", mediaType: "application/pdf", data: PDF }, pages],
])("%s counts by pages, never by its bytes", (_, block, parts) => {
  expect(contentParts([block])).toEqual(parts);
});
