import { type Fields, isRecord, listAt, parseRecord, recordAt, recordsAt, stringAt } from "./fields.ts";
import type { SimulatedRules } from "./rules.ts";
import { type Drop, type Headers, hashOf, headerValues, invalid, signatureOf } from "./wire.ts";

/** A request needs this beta to choose the treatment of thinking over a changed prefix. */
const CONTROLS_BETA = "thinking-binding-controls-2026-08-01";

/**
 * Models whose thinking is bound to its prefix, and the accounts that are checked: the pages of `SWITCHABLE_RULES`, read in November 2026. That Sonnet 5.5 and Haiku
 * 5.5 answer with an error by default is assumed: the page says that some models do and some do not.
 */
const BOUND_MODELS: readonly { readonly ids: RegExp; readonly checks: "every-account" | "new-accounts" | "nobody" }[] = [
  { ids: /(fable|mythos)-5[.-]2(?!\d)/, checks: "every-account" },
  { ids: /fable-5[.-]1(?!\d)|(opus|sonnet|haiku)-5[.-]5(?!\d)/, checks: "new-accounts" },
  { ids: /mythos-5[.-]1(?!\d)/, checks: "nobody" },
];

/**
 * Models that read the thinking of others: a model reads its own kind's, and these. Haiku 5.5's is read by all, and it reads no other's; older models' is read
 * by every later one.
 */
const READERS: readonly { readonly makers: RegExp; readonly readers: RegExp }[] = [
  { makers: /(fable|mythos)-5[.-]2(?!\d)/, readers: /(fable|mythos)-5[.-]2(?!\d)/ },
  { makers: /(fable|mythos)-5[.-]1(?!\d)/, readers: /(fable|mythos)-5[.-][12](?!\d)/ },
  { makers: /opus-5[.-]5(?!\d)/, readers: /(fable|mythos)-5[.-][12](?!\d)|opus-5[.-]5(?!\d)/ },
  { makers: /sonnet-5[.-]5(?!\d)/, readers: /sonnet-5[.-]5(?!\d)/ },
];

const READS_NO_OTHER = /haiku-5[.-]5(?!\d)/;

function canRead(readerId: string, makerId: string): boolean {
  if (readerId === makerId || READS_NO_OTHER.test(readerId)) return readerId === makerId;
  return READERS.find(({ makers }) => makers.test(makerId))?.readers.test(readerId) ?? true;
}

/** Gives the signature of thinking that comes after the blocks of its reply. */
type SignThinking = (text: string, before: readonly Fields[]) => string;

/** The outcome of a check of a request's thinking. */
export interface BindingAnswer {
  readonly drops: readonly Drop[];
  readonly dropped: ReadonlySet<Fields>;
  /** Whether the answer lists the dropped thinking. */
  readonly isTold: boolean;
  readonly sign: SignThinking;
  /** Gives the signature of a summary of the whole request. */
  readonly compact: (text: string) => string;
}

/** A message as it was sent, or as the vendor joins some; its content as blocks. */
export interface SentMessage {
  readonly role: unknown;
  readonly blocks: readonly Fields[];
}

/** Checks the thinking of a request as the model and the account do; throws the vendor's refusals. */
export function checkBinding(body: unknown, messages: readonly SentMessage[], asked: BindingRequest): BindingAnswer {
  const { modelId, headers, rules } = asked;
  const isTold = headerValues(headers, "anthropic-beta").includes(CONTROLS_BETA);
  const chosen = chosenBehaviour(body, isTold);
  const behaviour = behaviourOf(modelId, chosen, rules);
  const run = openRun(body);
  continueFrom(run, messages);
  const drops: Drop[] = [];
  const dropped = new Set<Fields>();
  for (const [index, { role, blocks }] of messages.entries())
    for (const [place, block] of blocks.entries()) {
      const how = { modelId, isChecked: behaviour !== null, readsAll: rules.thinkingModel === "off" };
      const reason = passed(run, { role, block }, how);
      if (reason === null) continue;
      const path = `messages.${index}.content.${place}`;
      if (reason === "prefix_binding_mismatch" && behaviour === "error")
        throw invalid(
          `${path}: Invalid \`signature\` in \`${String(block.type)}\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".${isTold ? "" : ` That setting requires the \`${CONTROLS_BETA}\` value in the \`anthropic-beta\` header.`}`,
        );
      drops.push({ path, id: null, reason });
      dropped.add(block);
    }
  const isBound = checksOf(modelId, rules) !== null;
  const sign: SignThinking = (text, before) => {
    const own: Run = { ...run, valid: [...run.valid], unread: [...run.unread] };
    for (const block of before) passed(own, { role: "assistant", block }, { modelId, isChecked: false, readsAll: true });
    return signed(text, { modelId, bound: isBound ? boundBy(own) : null });
  };
  const compact = (text: string) => {
    const { systemHash, hash, earlier, references, valid, unread } = run;
    const told = { systemHash, toolsHash: toolsHashOf(run), isBound, modelId, hashes: [...earlier, hash] };
    const seal = JSON.stringify({ ...told, references: [...references], valid, unread, role: messages.at(-1)?.role });
    return Buffer.from(JSON.stringify({ seal, proof: signatureOf(`${seal}\n${text}`) })).toString("base64");
  };
  return { drops, dropped, isTold, sign, compact };
}

/** A request whose thinking is checked. */
export interface BindingRequest {
  readonly modelId: string;
  readonly headers: Headers;
  readonly rules: SimulatedRules;
}

type Behaviour = "error" | "drop_block";

function chosenBehaviour(body: unknown, isControlled: boolean): Behaviour | null {
  const thinking = recordAt(body, "thinking");
  const binding = recordAt(thinking, "block_binding");
  if (binding === null) return null;
  const where = `thinking.${stringAt(thinking, "type") ?? "adaptive"}.block_binding`;
  if (!isControlled) throw invalid(`${where}: Extra inputs are not permitted`);
  const behaviour = binding.prefix_mismatch_behavior;
  if (behaviour === undefined || behaviour === "error" || behaviour === "drop_block") return behaviour ?? null;
  throw invalid(`${where}.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'`);
}

/** Whose requests the model checks; `null` for a model that binds nothing. */
function checksOf(modelId: string, { thinkingPrefix }: SimulatedRules): (typeof BOUND_MODELS)[number]["checks"] | null {
  if (thinkingPrefix !== undefined) return thinkingPrefix === "off" ? null : "every-account";
  return BOUND_MODELS.find(({ ids }) => ids.test(modelId))?.checks ?? null;
}

/** Decides how thinking over a changed prefix is treated; `null` if it is not checked. */
function behaviourOf(modelId: string, chosen: Behaviour | null, rules: SimulatedRules): Behaviour | null {
  const checks = checksOf(modelId, rules);
  if (checks === null || checks === "nobody") return null;
  const isOld = checks === "new-accounts" && rules.account === "before-2026-08-31";
  return chosen ?? (isOld ? null : (rules.prefixMismatch ?? "error"));
}

/** The part of a conversation before one place. */
interface Run {
  readonly systemHash: string;
  readonly tools: readonly Fields[];
  /** Of all that is no thinking. */
  hash: string;
  /** The same as it would be without the summaries that the vendor wrote since: what thinking of kept turns is bound to. */
  earlier: string[];
  /** Deferred tools that were found by now. */
  readonly references: Set<string>;
  readonly valid: string[];
  readonly unread: string[];
}

function openRun(body: unknown): Run {
  return {
    systemHash: hashOf(blocksOf(body, "system").map(plainOf)),
    tools: recordsAt(body, "tools"),
    hash: "",
    earlier: [],
    references: new Set(),
    valid: [],
    unread: [],
  };
}

/** The blocks of a content that may be bare text. */
export function blocksOf(fields: unknown, key: string): readonly Fields[] {
  const text = stringAt(fields, key);
  return text === null ? recordsAt(fields, key) : [{ type: "text", text }];
}

/** Adds one block to the prefix of the next; answers with the reason if the block is dropped. */
function passed(
  run: Run,
  { role, block }: { readonly role: unknown; readonly block: Fields },
  { modelId, isChecked, readsAll }: Record<"isChecked" | "readsAll", boolean> & Pick<BindingRequest, "modelId">,
): Drop["reason"] | null {
  if (block.type === "compaction") return null;
  if (block.type !== "thinking" && block.type !== "redacted_thinking") {
    const after = (hash: string) => hashOf([hash, role, plainOf(block)]);
    run.hash = after(run.hash);
    run.earlier = run.earlier.map(after);
    for (const name of referencesIn(block)) run.references.add(name);
    return null;
  }
  const seal = sealOf(block);
  if (seal === null) return null;
  if (!readsAll && !canRead(modelId, seal.modelId)) {
    run.unread.push(seal.id);
    return "model_binding_mismatch";
  }
  if (seal.bound === null) return null;
  if (isChecked && !isValid(seal.bound, run)) return "prefix_binding_mismatch";
  run.valid.push(seal.id);
  return null;
}

/** True if nothing before it changed, and the thinking before it is the one after which it was given, or none. */
function isValid({ prefix, previous, unread }: Bound, run: Run): boolean {
  const before = run.valid.findLast((id) => !unread.includes(id)) ?? null;
  return [run.hash, ...run.earlier].some((hash) => prefix === prefixOf(run, hash)) && (before === null || before === previous);
}

function boundBy(run: Run): Bound {
  return { prefix: prefixOf(run, run.hash), previous: run.valid.at(-1) ?? null, unread: run.unread };
}

function prefixOf({ systemHash, tools, references }: Run, hash: string): string {
  const shown = tools.filter((tool) => isUndeferred(tool) || references.has(stringAt(tool, "name") ?? ""));
  return hashOf([systemHash, shown.map(plainOf), hash]);
}

function toolsHashOf({ tools }: Run): string {
  return hashOf(tools.filter(isUndeferred).map(plainOf));
}

function isUndeferred(tool: Fields): boolean {
  return tool.defer_loading !== true;
}

/**
 * Begins the run at a summary that the vendor wrote: compaction-thinking-blocks, read on 2026-11-29. Kept thinking stays valid if the compaction ran on a model with
 * preserved thinking under the same system text and tools, and the first kept message has another role than the last summarised one. Thinking that comes after is
 * bound to the summary.
 */
function continueFrom(run: Run, messages: readonly SentMessage[]): void {
  const block = messages[0]?.blocks[0];
  if (block?.type !== "compaction") return;
  const seal = parseRecord(stringAt(unpacked(block), "seal") ?? "") ?? {};
  run.hash = hashOf(["compaction", block.signature]);
  const kept = messages[0]?.blocks.length === 1 ? messages[1] : messages[0];
  const isKept =
    seal.isBound === true && seal.systemHash === run.systemHash && kept?.role !== seal.role && kept?.role !== "system";
  if (!isKept || seal.toolsHash !== toolsHashOf(run)) return;
  run.earlier = textsAt(seal, "hashes");
  for (const name of textsAt(seal, "references")) run.references.add(name);
  run.valid.push(...textsAt(seal, "valid"));
  run.unread.push(...textsAt(seal, "unread"));
}

function textsAt(fields: Fields, key: string): string[] {
  return listAt(fields, key).filter((each) => typeof each === "string");
}

/** The JSON in a block's signature; `null` for a signature of another form. */
function unpacked(block: Fields): Fields | null {
  return parseRecord(Buffer.from(stringAt(block, "signature") ?? stringAt(block, "data") ?? "", "base64").toString());
}

/** True for a summary as the simulator gave it. */
export function isOwnSummary(block: Fields): boolean {
  const seal = unpacked(block);
  return stringAt(seal, "proof") === signatureOf(`${stringAt(seal, "seal") ?? ""}\n${stringAt(block, "content") ?? ""}`);
}

function referencesIn(block: Fields): readonly string[] {
  const inner = recordsAt(block, "content").flatMap(referencesIn);
  return block.type === "tool_reference" ? [stringAt(block, "tool_name") ?? "", ...inner] : inner;
}

/** Keys whose values the model reads as they are written: an order of their own counts, as it does for the prompt cache. */
const AS_WRITTEN: ReadonlySet<string> = new Set(["input", "input_schema"]);

/** A block as the vendor compares it: without marks for the cache, bare text as a block, and an address without a signer's additions. */
function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainOf);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([key, item]) => key !== "cache_control" && item !== null && item !== undefined);
  return entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]) => {
      if (AS_WRITTEN.has(key)) return [key, item];
      if (key === "content" && typeof item === "string") return [key, [plainOf({ type: "text", text: item })]];
      return [key, key === "url" && typeof item === "string" ? item.split("?")[0] : plainOf(item)];
    });
}

/** A signature of the simulator, read: the model that gave the thinking, and, if the model binds it, the prefix and the thinking before it. */
interface Seal {
  readonly id: string;
  readonly modelId: string;
  readonly bound: Bound | null;
}

/** The prefix and the thinking that some thinking was bound to when it was given. */
interface Bound {
  readonly prefix: string;
  /** The thinking before it that was valid when it was given; `null` for none. */
  readonly previous: string | null;
  /** Thinking that its model could not read. It is no gap: no client left it out. */
  readonly unread: readonly string[];
}

/** Length of an id that distinguishes thinking texts. */
const ID_CHARS = 16;

/** The signature of a thinking text. It holds all data for its check, so that a simulator reads another one's. */
function signed(text: string, facts: Omit<Seal, "id">): string {
  const id = hashOf([text, facts]).slice(0, ID_CHARS);
  const seal = { ...facts, id, proof: proofOf(text, { ...facts, id }) };
  return Buffer.from(JSON.stringify(seal)).toString("base64");
}

function proofOf(text: string, { id, modelId, bound }: Seal): string {
  return signatureOf(JSON.stringify([text, id, modelId, bound === null ? null : [bound.prefix, bound.previous, bound.unread]]));
}

/** Reads a block's signature; `null` for one that says nothing and is right all the same, as recorded sessions have it. */
function sealOf(block: Fields): Seal | null {
  const fields = unpacked(block);
  const id = stringAt(fields, "id");
  const modelId = stringAt(fields, "modelId");
  if (id === null || modelId === null) return null;
  const bound = recordAt(fields, "bound");
  const prefix = stringAt(bound, "prefix");
  if (bound === null || prefix === null) return { id, modelId, bound: null };
  return { id, modelId, bound: { prefix, previous: stringAt(bound, "previous"), unread: textsAt(bound, "unread") } };
}

/** True for a signature that the simulator gave, under any prefix. */
export function isSigned(block: Fields): boolean {
  const text = stringAt(block, "thinking") ?? "";
  if ((stringAt(block, "signature") ?? stringAt(block, "data")) === signatureOf(text)) return true;
  const seal = sealOf(block);
  return seal !== null && stringAt(unpacked(block), "proof") === proofOf(text, seal);
}
