import { createHash } from "node:crypto";
import { link, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelRequest, PlimsollError } from "@plimsoll/core";
import { canonicalJson, isRecord, jsonIn } from "@plimsoll/core/extend";
import { beginOutput, readSmallFile } from "@plimsoll/stores";
import { z } from "zod";
import type { AnsweredRequest } from "../drive/replayed-call.ts";

/** The answer of a model, without anything of the request: neither its text, nor headers, nor a key. */
export interface RecordedAnswer {
  /** `reply` with its text; or that there was none: `empty`, or `overflow` if the request did not fit the model's window. */
  readonly outcome: "reply" | "empty" | "overflow";
  readonly text: string;
  readonly stopReason: "end" | "tool-calls" | "length" | "refusal" | "aborted" | "error" | "other";
  /** True if the reply called a tool: such a summary is refused. */
  readonly callsTool: boolean;
  readonly usage: RecordedUsage;
}

/** Sizes as the provider reported them; `null` if it did not. */
export type RecordedUsage = AnsweredRequest["usage"];

/** The usage of an answer without any report. */
export const NO_USAGE: RecordedUsage = { inputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, outputTokens: null };

/** A folder of answers, one file a request, named by the request's hash. */
export interface Cassette {
  read(key: string): Promise<RecordedAnswer | null>;
  /** Keeps an answer, unless another worker was first; resolves to the one that is kept. */
  keep(key: string, answer: RecordedAnswer): Promise<RecordedAnswer>;
}

const tokens = z.number().nonnegative().nullable();
/** Answers that were kept before may name the calls of a reply, which nothing reads. */
const answerSchema: z.ZodType<RecordedAnswer> = z.object({
  outcome: z.enum(["reply", "empty", "overflow"]),
  text: z.string(),
  stopReason: z.enum(["end", "tool-calls", "length", "refusal", "aborted", "error", "other"]),
  callsTool: z.boolean(),
  usage: z.strictObject({ inputTokens: tokens, cacheReadTokens: tokens, cacheWriteTokens: tokens, outputTokens: tokens }),
});

/** Version of keys and files; another version finds nothing and records anew. */
const FORMAT_VERSION = 1;

/** The key of a request: SHA-256 over the data sent to the model, in canonical form. Ids and times of messages are not sent and do not count. */
export function cassetteKey(host: string, { context, modelId, maxOutputTokens, reasoning }: ModelRequest): string {
  const { system, tools, dynamicContext } = context;
  const messages = context.messages.map(({ id: _id, atMs: _atMs, ...own }) =>
    own.role === "assistant" ? { role: own.role, parts: own.parts } : own,
  );
  const sent = { host, modelId, maxOutputTokens, reasoning: reasoning ?? null, system, tools, dynamicContext, messages };
  return createHash("sha256")
    .update(canonicalJson({ version: FORMAT_VERSION, ...sent }))
    .digest("hex");
}

const MAXIMUM_ANSWER_BYTES = 10_000_000;

/** Opens a folder of recorded model answers; it is made when the first answer is kept. Reading or keeping rejects with `bad-input` for a file that cannot be used. */
export function openCassette(folder: string): Cassette {
  const fileOf = (key: string) => join(folder, `${key}.json`);
  const read = async (key: string): Promise<RecordedAnswer | null> => {
    const file = fileOf(key);
    const found = readSmallFile(file, { maximumBytes: MAXIMUM_ANSWER_BYTES });
    if (found.kind === "refused") throw new PlimsollError("bad-input", `${file}: ${found.why}`, { file });
    return found.kind === "absent" ? null : answerOf(found.text, file);
  };
  return {
    read,
    keep: async (key, answer) => {
      const file = fileOf(key);
      let pending: ReturnType<typeof beginOutput> | null = null;
      try {
        await mkdir(folder, { recursive: true });
        pending = beginOutput(file);
        await writeFile(pending.temporary, `${JSON.stringify(answer, null, 2)}\n`);
        // Puts a whole file into its place unless there is one. If the file system has no links the last one stays; both are whole.
        try {
          await link(pending.temporary, file);
        } catch (error) {
          if (!isRecord(error) || error.code !== "EEXIST") await rename(pending.temporary, file);
        }
      } catch (cause) {
        throw new PlimsollError("bad-input", `${file}: cannot be written`, { file }, cause);
      } finally {
        pending?.discard();
      }
      return (await read(key)) ?? answer;
    },
  };
}

function answerOf(text: string, file: string): RecordedAnswer {
  const result = answerSchema.safeParse(jsonIn(text));
  if (result.success) return result.data;
  throw new PlimsollError("bad-input", `${file}: no recorded answer; remove the file to ask again`, { file });
}
