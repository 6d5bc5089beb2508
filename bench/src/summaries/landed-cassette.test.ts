import { cpSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelRequest } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cassetteKey, openCassette } from "./cassette.ts";

/** Cassettes as each version recorded them, and the requests that they answer. */
const LANDED = join(import.meta.dirname, "../../../fixtures/landed");

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

const copies = mkdtempSync(join(tmpdir(), "plimsoll-landed-cassette-"));
cpSync(LANDED, copies, { recursive: true });

describe.each([
  ["1", ["end", "length"]],
  ["2", ["end", "error", "error", "length"]],
])("a cassette of version %s", (version, stopReasons) => {
  const copy = join(copies, version, "cassette");
  const asked = readFileSync(join(LANDED, version, "cassette-requests.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => askedSchema.parse(JSON.parse(line)));

  test("has one answer for each request, whole ones and failures", async () => {
    expect(readdirSync(copy).sort()).toEqual(asked.map(({ key }) => `${key}.json`).sort());
    const answers = await Promise.all(asked.map(({ key }) => openCassette(copy).read(key)));
    expect(answers.map((answer) => answer?.stopReason).sort()).toEqual(stopReasons);
  });

  test.each(asked)("finds request $key and answers it as it did", async ({ key, host, request }) => {
    expect(cassetteKey(host, request)).toBe(key);
    const recorded: unknown = JSON.parse(readFileSync(join(LANDED, version, "cassette", `${key}.json`), "utf8"));
    expect(await openCassette(copy).read(key)).toEqual(recorded);
  });
});
