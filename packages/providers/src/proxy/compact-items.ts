import { type CompactionEntry, type ModelLimits, PlimsollError, type SessionEntry } from "@plimsoll/core";
import { isRecord, MAXIMUM_RECALL_CHARS, shortHash, wellFormed } from "@plimsoll/core/extend";
import { z } from "zod";
import { type Fields, jsonValueOf } from "../fields.ts";
import { withoutCacheMarks } from "./cache-marks.ts";
import { type AnyCompactor, type ProxyWire, WIRES } from "./wires.ts";

/** The version of the form of `POST /compact`; another one answers differently. */
const VERSION = 1;

const wireName = z.enum(["anthropic", "openai-chat", "openai-responses", "gemini"]);
const tokens = z.number().int().positive();

/** The body of `POST /compact`, as docs/use-in/any-loop.md has it. */
const compactSchema = z.strictObject({
  version: z.literal(VERSION).optional(),
  wire: wireName,
  items: z.array(z.record(z.string(), z.unknown())).min(1),
  system: z.string().optional(),
  tools: z.array(z.record(z.string(), z.unknown())).optional(),
  model: z.string().optional(),
  window_tokens: tokens.optional(),
  max_output_tokens: tokens.optional(),
  act: z.enum(["now", "when-needed"]).optional(),
  focus: z.string().optional(),
  keep_tokens: tokens.optional(),
  conversation: z.string().min(1).optional(),
});

const recallSchema = z.strictObject({
  wire: wireName,
  conversation: z.string().min(1),
  handle: z.string().min(1),
  start_char: z.number().int().nonnegative().optional(),
});

/** The means of compacting items. `name` is the program's own for its conversation; without one nothing is stored. */
interface Compacting {
  readonly limits: (modelId: string | null) => ModelLimits;
  readonly signal: AbortSignal;
  readonly compactorOf: (wire: ProxyWire, name: string | null) => AnyCompactor;
}

/**
 * Compacts items of a wire, now or if the policy's trigger says so. Items that nothing was done to come back as they are. No model is asked: a step of the policy that needs
 * one fails, and the next one runs.
 *
 * @throws PlimsollError `bad-input` naming the field that cannot be read.
 */
export async function compactItems(body: Fields, { limits, signal, compactorOf }: Compacting): Promise<Fields> {
  const asked = parsed(compactSchema, body);
  const wire = WIRES[asked.wire];
  const { model: modelId, act = "now", conversation = null, focus, system = "", keep_tokens: keepTokens } = asked;
  const key = conversation === null ? null : keyOf(asked.wire, conversation);
  const compactor = compactorOf(wire, conversation);
  const { tools } = wire.factsOf(
    { tools: wire.name === "gemini" ? [{ functionDeclarations: asked.tools ?? [] }] : asked.tools },
    "",
  );
  const request = {
    system,
    tools,
    signal,
    ...(key === null ? {} : { conversation: key }),
    ...(modelId === undefined ? {} : { modelId }),
  };
  const items = asked.items.map((item) => wellFormed(withoutCacheMarks(item)));
  const before = (await compactor.logOf(items, request)).entries.length;
  const known = limits(modelId ?? null);
  const fitted = await compactor.fit(items, {
    ...request,
    oversized: "sent",
    limits: {
      ...known,
      contextWindowTokens: asked.window_tokens ?? known.contextWindowTokens,
      maxOutputTokens: asked.max_output_tokens ?? known.maxOutputTokens,
    },
    ...(focus === undefined ? {} : { focus }),
    ...(act === "now"
      ? { now: { reason: "manual" as const, keep: keepTokens === undefined ? null : { tokens: keepTokens } } }
      : {}),
  });
  const { entries } = await compactor.logOf(items, request);
  const made = entries.slice(before).flatMap((entry) => (entry.type === "compaction" ? [entry] : []));
  const originals = new Map(items.map((item, index) => [item, asked.items[index]] as const));
  return {
    version: VERSION,
    outcome: made.length === 0 ? "unchanged" : "compacted",
    items: jsonValueOf(fitted.filter(isRecord).map((item) => originals.get(item) ?? item)),
    expected_tokens: compactor.expectedTokens(fitted) ?? 0,
    record: recordOf(made, entries),
  };
}

/** A piece of a handle's text, of a conversation that was compacted under a name. */
export async function recallItems(body: Fields, compactorOf: (wire: ProxyWire) => AnyCompactor): Promise<Fields> {
  const { wire, conversation, handle, start_char: startChar = 0 } = parsed(recallSchema, body);
  const range = { startChar, maximumChars: MAXIMUM_RECALL_CHARS };
  const found = await compactorOf(WIRES[wire]).recall(handle, range, keyOf(wire, conversation));
  if (found === null) throw new PlimsollError("bad-input", `handle: nothing in this conversation has the handle ${handle}`);
  return { version: VERSION, text: found.text, start_char: found.startChar, total_chars: found.totalChars };
}

/** Of all requests that pass, none has such a key: two programs that give the same name never meet on one log by chance. */
function keyOf(wire: string, conversation: string): string {
  return `c-${shortHash(`${wire}\n${conversation}`)}`;
}

/** Records the cuts of this request, and the parts that are now behind handles; `null` for none. */
function recordOf(made: readonly CompactionEntry[], entries: readonly SessionEntry[]): Fields | null {
  const newest = made.at(-1);
  if (newest === undefined) return null;
  const { policy, reason, estimator, tokensBefore, tokensAfter, messagesBefore, messagesAfter } = newest.record;
  const edits = made.flatMap((entry) => entry.edits);
  const session = entries.find(({ type }) => type === "session");
  return {
    session: session?.type === "session" ? session.id : null,
    policy,
    reason,
    estimator,
    tokens_before: tokensBefore,
    tokens_after: tokensAfter,
    messages_before: messagesBefore,
    messages_after: messagesAfter,
    covered_messages: edits.reduce((sum, edit) => sum + (edit.kind === "replace-part" ? 0 : edit.covered.messages), 0),
    handles: edits.flatMap((edit) => (edit.kind === "replace-part" ? [edit.handle] : [])),
  };
}

function parsed<T>(schema: z.ZodType<T>, body: Fields): T {
  const found = schema.safeParse(body);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  throw new PlimsollError("bad-input", `${issue?.path.join(".") || "body"}: ${issue?.message ?? "cannot be read"}`);
}
