import { field, fieldsOf, fieldText, isFields, itemsOf, type JsonNode, rootOf } from "./json-node.ts";
import { type Block, readMessagesRequest } from "./messages-request.ts";
import type { VendorViolation } from "./vendor-rule.ts";

/** One request of a session and the whole answer to it, in order; of a refused request the answer has no reasoning in it. */
export interface SessionExchange {
  readonly request: unknown;
  readonly answer: unknown;
}

/** Reasoning that a vendor leaves out of a request and answers it all the same. */
export interface SilentDrop {
  /** Number of the request, from 0. */
  readonly request: number;
  readonly at: string;
}

/** Violations of whole sessions that no single request shows. */
export interface SessionVerdict {
  readonly violations: readonly VendorViolation[];
  readonly drops: readonly SilentDrop[];
}

/** Models of the Messages API that compare: platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks, its list of models. */
const COMPARING_CLAUDE = ["fable-5-1", "fable-5-2", "mythos-5-2", "opus-5-5", "sonnet-5-5", "haiku-5-5"];
/** Of the Responses API: developers.openai.com/api/docs/guides/keep-prefix-unchanged. */
const COMPARING_GPT = ["gpt-6", "gpt-7"];
/** The first of them whose `instructions` are read after the input, and compared no more. */
const LATE_INSTRUCTIONS = ["gpt-6.2", "gpt-6-2", "gpt-7"];

const names = (model: string, parts: readonly string[]): boolean =>
  parts.some((part) => new RegExp(`${part.replace(/[.-]/g, "[.-]")}(?!\\d)`).test(model));

/** Under what one piece of reasoning was given. The text is kept whole, so that a difference can be shown. */
interface Given {
  readonly head: string;
  readonly before: readonly string[];
  /** The reasoning before it in what the model was shown; empty for none. */
  readonly after: string;
}

/** Which sessions are judged. */
export interface SessionRules {
  /** Every model compares, whatever its name. Left out, those that the vendor names. */
  readonly models?: "all";
}

/** Checks that thinking stands where it was given, in one unbroken run; counts what a request that asks for it has dropped. */
export function validateMessagesSession(exchanges: readonly SessionExchange[], { models }: SessionRules = {}): SessionVerdict {
  const given = new Map<string, Given>();
  const violations: VendorViolation[] = [];
  const drops: SilentDrop[] = [];
  for (const [request, exchange] of exchanges.entries()) {
    const read = readMessagesRequest(exchange.request);
    const binding = field(field(read.body, "thinking"), "block_binding");
    const mayDrop = fieldText(binding, "prefix_mismatch_behavior") === "drop_block";
    const isCompared = models === "all" || names(read.model, COMPARING_CLAUDE);
    const head = JSON.stringify([
      read.system.map(({ node }) => textForm(node)),
      read.tools.filter((tool) => fieldsOf(tool).defer_loading !== true).map(textForm),
    ]);
    const before: string[] = [];
    let last = "";
    for (const { role, blocks } of read.turns)
      for (const block of blocks) {
        const signature = signatureOf(block);
        if (signature === null) before.push(`${role} ${textForm(block.node)}`);
        else if (!isCompared) last = signature;
        else {
          const fault = faultOf(given.get(signature), { head, before, after: last });
          if (fault === null) last = signature;
          else if (mayDrop) drops.push({ request, at: block.node.at });
          else violations.push({ rule: "thinking-where-given", at: `request ${request} ${block.node.at}`, message: fault });
        }
      }
    for (const node of itemsOf(field(rootOf(exchange.answer), "content"))) {
      const signature = signatureOf({ type: fieldText(node, "type"), node });
      if (signature === null) before.push(`assistant ${textForm(node)}`);
      else {
        given.set(signature, { head, before: [...before], after: last });
        last = signature;
      }
    }
  }
  return { violations, drops };
}

/** Counts the reasoning that OpenAI's newer models are not shown, since something before it changed. None is refused for that. */
export function validateResponsesSession(exchanges: readonly SessionExchange[], { models }: SessionRules = {}): SessionVerdict {
  const given = new Map<string, Given>();
  const drops: SilentDrop[] = [];
  for (const [request, exchange] of exchanges.entries()) {
    const body = rootOf(exchange.request);
    const model = fieldText(body, "model");
    const isCompared = models === "all" || names(model, COMPARING_GPT);
    const instructions = names(model, LATE_INSTRUCTIONS) ? "" : fieldText(body, "instructions");
    const format = fieldsOf(field(body, "text")).format;
    const head = JSON.stringify([instructions, itemsOf(field(body, "tools")).map(textForm), format]);
    const before: string[] = [];
    for (const node of itemsOf(field(body, "input"))) {
      const content = reasoningOf(node);
      if (content === null) before.push(textForm(node));
      else if (isCompared && faultOf(given.get(content), { head, before, after: "" }) !== null)
        drops.push({ request, at: node.at });
    }
    for (const node of itemsOf(field(rootOf(exchange.answer), "output"))) {
      const content = reasoningOf(node);
      if (content === null) before.push(textForm(node));
      else given.set(content, { head, before: [...before], after: "" });
    }
  }
  return { violations: [], drops };
}

/** Why reasoning is not what it was when it was given; `null` if it is. What nobody gave in this session cannot be compared. */
function faultOf(given: Given | undefined, now: Given): string | null {
  if (given === undefined) return null;
  if (given.head !== now.head) return "system text or tools are not those under which it was given";
  const other = given.before.findIndex((text, index) => now.before[index] !== text);
  if (other >= 0) return `what stands before it differs, from piece ${other} on`;
  if (given.before.length !== now.before.length)
    return `${now.before.length - given.before.length} pieces more stand before it`;
  if (now.after !== "" && given.after !== now.after) return "the thinking before it is not the one after which it was given";
  return null;
}

function signatureOf({ type, node }: Block): string | null {
  if (type === "thinking") return fieldText(node, "signature");
  return type === "redacted_thinking" ? fieldText(node, "data") : null;
}

function reasoningOf(node: JsonNode): string | null {
  return fieldText(node, "type") === "reasoning" ? fieldText(node, "encrypted_content") : null;
}

/** Fields without meaning for the model: marks for the cache, and everything that an agent may leave out of the vendor's own items. */
const LEFT_OUT = new Set(["cache_control", "id", "status", "annotations", "logprobs", "citations"]);

/** A piece as text, the same for a text alone and as a part. A call's own id belongs to it on the Messages wire. */
function textForm({ value }: JsonNode): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (key === "content" && typeof inner === "string") return [{ text: inner }];
    if (!isFields(inner)) return inner;
    const isCall = inner.type === "tool_use";
    const kept = Object.entries(inner).filter(
      ([name, each]) => each !== null && ((isCall && name === "id") || !LEFT_OUT.has(name)) && !isTextType(name, each),
    );
    return Object.fromEntries(kept.sort(([one], [two]) => (one < two ? -1 : 1)));
  });
}

function isTextType(name: string, value: unknown): boolean {
  return name === "type" && (value === "text" || value === "input_text" || value === "output_text" || value === "message");
}
