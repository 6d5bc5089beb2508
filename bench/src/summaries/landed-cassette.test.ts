import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelRequest } from "@plimsoll/core";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { cassetteKey, openCassette } from "./cassette.ts";

/** A cassette as the first version recorded it, and the requests that it answers. */
const FOLDER = join(import.meta.dirname, "../../../fixtures/landed/1");

const userText = z.object({
  role: z.literal("user"),
  id: z.string(),
  origin: z.literal("injected"),
  atMs: z.null(),
  parts: z.array(z.object({ type: z.literal("text"), text: z.string() })),
});
const requestSchema: z.ZodType<ModelRequest> = z.strictObject({
  context: z.strictObject({
    system: z.string(),
    tools: z.array(z.never()),
    messages: z.array(userText),
    dynamicContext: z.null(),
  }),
  modelId: z.string(),
  maxOutputTokens: z.number(),
});
const askedSchema = z.strictObject({ key: z.string(), host: z.string(), request: requestSchema });

const asked = readFileSync(join(FOLDER, "cassette-requests.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => askedSchema.parse(JSON.parse(line)));

const copy = mkdtempSync(join(tmpdir(), "plimsoll-landed-cassette-"));
cpSync(join(FOLDER, "cassette"), copy, { recursive: true });
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe("a cassette of the first version", () => {
  test("has one answer for each request, a whole one and one that was cut off", async () => {
    expect(readdirSync(copy).sort()).toEqual(asked.map(({ key }) => `${key}.json`).sort());
    const answers = await Promise.all(asked.map(({ key }) => openCassette(copy).read(key)));
    expect(answers.map((answer) => answer?.stopReason).sort()).toEqual(["end", "length"]);
  });

  test.each(asked)("finds request $key and answers it as it did", async ({ key, host, request }) => {
    expect(cassetteKey(host, request)).toBe(key);
    const recorded: unknown = JSON.parse(readFileSync(join(FOLDER, "cassette", `${key}.json`), "utf8"));
    expect(await openCassette(copy).read(key)).toEqual(recorded);
  });
});
