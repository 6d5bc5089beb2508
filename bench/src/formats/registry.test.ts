import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { storedZstd } from "@plimsoll/providers/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textSource } from "./file-source.ts";
import { importFile, importSource } from "./registry.ts";

const PI_HEADER = '{"type":"session","id":"s","timestamp":"2025-01-01T00:00:00Z","cwd":"/w"}';
const PI_PROMPT = '{"type":"message","timestamp":"2025-01-01T00:00:01Z","message":{"role":"user","content":"hello"}}';
const PI_TEXT = `${PI_HEADER}\n${PI_PROMPT}\n`;

async function messagesAndNotes(text: string): Promise<{ messages: number; notes: string[] }> {
  const [transcript] = await importSource(textSource(text, "log.jsonl"));
  const messages = transcript?.entries.filter((entry) => entry.type === "message").length ?? 0;
  return { messages, notes: transcript?.notes.map((note) => `${note.code}: ${note.text}`) ?? [] };
}

const UNKNOWN_FORMAT = expect.stringMatching(
  /^given.log:1: no known session format \(found [^)]+\); give a log of one of: plimsoll, pi, qwen-code, .*, openai-chat, or add an importer with --with$/,
);
const CHAT = [
  { role: "user", content: "q" },
  { role: "assistant", content: "a" },
];
const ATIF = { schema_version: "ATIF-v1.7", agent: { name: "a" }, steps: [{ step_id: 1, source: "user", message: "q" }] };
const NO_USAGE = "no-usage: log.jsonl: reports no sizes; it is replayed on estimates";

describe("lines that are not as they should be", () => {
  test.each([
    ["a clean log", PI_TEXT, 1, []],
    ["a byte-order mark and CRLF", `\uFEFF${PI_TEXT.replaceAll("\n", "\r\n")}`, 1, []],
    ["blank lines", `${PI_HEADER}\n\n  \n${PI_PROMPT}\n\n`, 1, []],
    ["no newline at the end", `${PI_HEADER}\n${PI_PROMPT}`, 1, []],
    [
      "a cut-off last line",
      `${PI_TEXT}{"type":"message","mess`,
      1,
      ["cut-off-line: log.jsonl:3: the last line is cut off; it was left out"],
    ],
    [
      "an unreadable line",
      `${PI_HEADER}\nnonsense\n${PI_PROMPT}`,
      1,
      ["unreadable-line: log.jsonl:2: no JSON object on this line; it was left out"],
    ],
    [
      "an unreadable last line",
      `${PI_TEXT}nonsense`,
      1,
      ["unreadable-line: log.jsonl:3: no JSON object on this line; it was left out"],
    ],
    [
      "a line that is JSON but no object",
      `${PI_HEADER}\n[1]\n${PI_PROMPT}`,
      1,
      ["unreadable-line: log.jsonl:2: no JSON object on this line; it was left out"],
    ],
    [
      "two objects on a line",
      `${PI_HEADER}\n${PI_PROMPT}${PI_PROMPT}\n`,
      2,
      ["several-objects-on-a-line: log.jsonl:2: 2 JSON objects on one line; each was read"],
    ],
    [
      "an object and a piece of one on the last line",
      `${PI_HEADER}\n${PI_PROMPT}{"type":"mess`,
      1,
      [
        "several-objects-on-a-line: log.jsonl:2: 1 JSON objects on one line; each was read",
        "cut-off-line: log.jsonl:2: the last line is cut off; it was left out",
      ],
    ],
  ])("%s", async (_, text, messages, notes) => {
    expect(await messagesAndNotes(text)).toEqual({ messages, notes: [...notes, NO_USAGE] });
  });
});

describe("files that are none", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "plimsoll-registry-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each([
    ["an empty file", "", "given.log: the file is empty; give a session log"],
    ["a file of blanks", "\n \n", "given.log: the file is empty; give a session log"],
    ["a text", "Once upon a time\n", UNKNOWN_FORMAT],
    ["another JSON document", '{\n"a": 1\n}', UNKNOWN_FORMAT],
    ["a trajectory in ATIF", JSON.stringify(ATIF), UNKNOWN_FORMAT],
    ["a run of τ-bench", JSON.stringify([{ task_id: 0, reward: 1, info: {}, traj: CHAT }]), UNKNOWN_FORMAT],
    ["Inspect", JSON.stringify({ version: 2, eval: { task: "t" }, samples: [{ id: 1, messages: CHAT }] }), UNKNOWN_FORMAT],
    [
      "the same in an archive",
      "PK\u0003\u0004\u0014\0\0\0header.json",
      expect.stringMatching(
        /^given.log: neither UTF-8 nor UTF-16 text: unpack or convert it first, or add an importer with --with$/,
      ),
    ],
    [
      "a log without a message",
      PI_HEADER,
      "given.log: a log of pi without a readable message (found objects with the fields type, id, timestamp, cwd); nothing to replay",
    ],
  ])("%s is bad input", async (_, text, message) => {
    const path = join(folder, "file");
    await writeFile(path, text);
    await expect(importFile(path, "given.log")).rejects.toMatchObject({ code: "bad-input", message });
  });

  test("a missing file and a folder are bad input that name the file", async () => {
    await expect(importFile(join(folder, "none"), "none")).rejects.toMatchObject({
      code: "bad-input",
      message: expect.stringMatching(/^none: no such file or folder/),
    });
    await expect(importFile(folder, "folder")).rejects.toMatchObject({
      code: "bad-input",
      message: expect.stringMatching(/^folder: cannot be read \(is a folder\)/),
    });
  });

  test("a file is read as it stands on disk, across the chunks of a read", async () => {
    const long = JSON.stringify({ type: "message", message: { role: "user", content: "ä".repeat(300_000) } });
    const path = join(folder, "log.txt");
    await writeFile(path, `\uFEFF${PI_HEADER}\r\n${long}\r\n${PI_PROMPT}\r\n`);
    const [transcript] = await importFile(path, "log.txt");
    const texts = transcript?.entries.flatMap((entry) => (entry.type === "message" ? [...entry.message.parts] : []));
    expect(texts).toEqual([
      { type: "text", text: "ä".repeat(300_000) },
      { type: "text", text: "hello" },
    ]);
  });
});

test.each([
  ["in a list", '[{"role":"user","content":"a"},{"role":"assis', "session.json: truncated: its JSON ends early"],
  ["in a string that has brackets", '{"odd":"]}', "truncated"],
  ["whole, of no format", '{"odd":1}', "no known session format"],
  ["no JSON at all", "hello", "no known session format"],
])("a document that stops %s is told as what it is", async (_, text, line) => {
  await expect(importSource(textSource(text, "session.json"))).rejects.toThrow(line);
});

describe("files that are not plain UTF-8 lines of small size", () => {
  const BOOKKEEPING = JSON.stringify({ type: "file-history-snapshot", data: "x".repeat(200_000) });
  const CLAUDE_PROMPT = JSON.stringify({
    ...{ uuid: "u", parentUuid: null, isSidechain: false, sessionId: "s", type: "user" },
    message: { role: "user", content: "hello" },
  });
  const LONG = PI_PROMPT.replace("hello", "x".repeat(200_000));
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "plimsoll-registry-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each<[string, Buffer]>([
    ["gzip", gzipSync(PI_TEXT)],
    ["zstd", storedZstd(PI_TEXT)],
    ["UTF-16, little end first", Buffer.from(`\uFEFF${PI_TEXT}`, "utf16le")],
    ["UTF-16, big end first", Buffer.from(`\uFEFF${PI_TEXT}`, "utf16le").swap16()],
    ["a first message above what is looked at, behind a line of bookkeeping", Buffer.from(`${PI_HEADER}\n${LONG}\n`)],
    [
      "a line of bookkeeping above it",
      Buffer.from(`${BOOKKEEPING}
${CLAUDE_PROMPT}
`),
    ],
  ])("%s", async (_, content) => {
    const path = join(folder, "log.jsonl");
    await writeFile(path, content);
    const [transcript] = await importFile(path);
    expect(transcript?.entries.filter((entry) => entry.type === "message")).toHaveLength(1);
  });

  test.each<[string | null, Buffer]>([
    [null, Buffer.from(PI_TEXT)],
    ["UTF-8 with a byte-order mark", Buffer.from(`\uFEFF${PI_TEXT}`)],
    ["UTF-8 with a byte-order mark", gzipSync(`\uFEFF${PI_TEXT}`)],
    ["UTF-16LE with a byte-order mark", Buffer.from(`\uFEFF${PI_TEXT}`, "utf16le")],
    ["UTF-16BE with a byte-order mark", Buffer.from(`\uFEFF${PI_TEXT}`, "utf16le").swap16()],
    ["UTF-16LE without a byte-order mark", Buffer.from(PI_TEXT, "utf16le")],
    ["UTF-16BE without a byte-order mark", Buffer.from(PI_TEXT, "utf16le").swap16()],
    ["UTF-16BE without a byte-order mark", gzipSync(Buffer.from(PI_TEXT, "utf16le").swap16())],
  ])("the encoding is named: %s", async (name, content) => {
    const path = join(folder, "log.jsonl");
    await writeFile(path, content);
    const [transcript] = await importFile(path, "given");
    expect(transcript?.entries.filter((entry) => entry.type === "message")).toHaveLength(1);
    const named = transcript?.notes.flatMap(({ code, text }) => (code === "encoding" ? [text] : []));
    expect(named).toEqual(name === null ? [] : [`given: ${name}: read here, but agents expect plain UTF-8`]);
  });

  /** A file in an archive, as POSIX's ustar has it: a block of its name and size, then its bytes in whole blocks. */
  const tarOf = (text: string) => {
    const header = Buffer.alloc(512);
    header.write("log.jsonl");
    header.write(`${text.length.toString(8).padStart(11, "0")} `, 124);
    header.write("ustar\0" + "00", 257);
    return Buffer.concat([header, Buffer.from(text.padEnd(512 * Math.ceil(text.length / 512), "\0"))]);
  };
  test.each([
    ["a tar archive", tarOf(PI_TEXT), /^given: a tar archive: unpack it, and give its logs$/],
    ["a packed one", gzipSync(tarOf(PI_TEXT)), /^given: a tar archive: unpack it/],
    ["a zstd that is cut off", storedZstd(PI_TEXT).subarray(0, 40), /^given: cannot be read \(zstd: unexpected EOF\)$/],
    [
      "a zstd of a window above what is held",
      Buffer.from("28b52ffd00a0010000", "hex"),
      /^given: cannot be read \(zstd: its window is above/,
    ],
    ["xz", Buffer.from("fd377a585a0000", "hex"), /^given: packed with xz: unpack it first/],
    ["bzip2", Buffer.from("425a683931415926535900", "hex"), /^given: packed with bzip2: unpack it first/],
    [
      "what is no text",
      Buffer.from("7f454c4602010100ff", "hex"),
      /^given: neither UTF-8 nor UTF-16 text: unpack or convert it first, or add an importer with --with$/,
    ],
  ])("%s is one clear line", async (_, bytes, message) => {
    const path = join(folder, "packed");
    await writeFile(path, bytes);
    await expect(importFile(path, "given")).rejects.toThrow(message);
  });

  test("a damaged gzip is one clear line", async () => {
    const path = join(folder, "log.jsonl.gz");
    await writeFile(path, gzipSync(PI_TEXT).subarray(0, 40));
    await expect(importFile(path, "given.gz")).rejects.toThrow(/^given.gz: cannot be read \(/);
  });
});

test.each([
  ["0.162.9", 0],
  ["0.118.0", 0],
  ["0.172.0", 1],
  ["1.0.0-alpha.3", 1],
  ["none", 0],
])("a log of version %s has %i notes that it is newer than what was read", async (cli_version, count) => {
  const lines = [
    { type: "session_meta", payload: { id: "s", cli_version } },
    { type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text: "q" }] } },
  ];
  const [transcript] = await importSource(textSource(lines.map((line) => JSON.stringify(line)).join("\n"), "log"));
  expect(transcript?.notes.filter(({ code }) => code === "unseen-version")).toHaveLength(count);
});
