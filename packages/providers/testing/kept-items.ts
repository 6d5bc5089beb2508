import { isRecord } from "@plimsoll/core/extend";
import type { WireName } from "@plimsoll/simulator/extend";
import { PROMPTS } from "../src/drop-in/ai-sdk-middleware.ts";
import { createMessagesCompactor } from "../src/drop-in/anthropic.ts";
import { type ArrayCompactor, createArrayCompactor } from "../src/drop-in/array-compactor.ts";
import { createContentsCompactor } from "../src/drop-in/google-genai.ts";
import { LANGCHAIN_MESSAGES } from "../src/drop-in/langchain-messages.ts";
import { createAgentItemsCompactor } from "../src/drop-in/openai-agents.ts";
import { createChatCompactor } from "../src/drop-in/openai-chat.ts";
import { createItemsCompactor } from "../src/drop-in/openai-responses.ts";
import { OPENCODE_MESSAGES } from "../src/drop-in/opencode.ts";
import { PI_MESSAGES } from "../src/drop-in/pi.ts";
import type { CompactorOptions } from "../src/drop-in/request.ts";
import type { Fields } from "../src/fields.ts";
import { type AnyCompactor, type ProxyWire, WIRES } from "../src/proxy/wires.ts";
import { type FormedStep, type FormName, ITEM_FORMS, type KeptName, stepItems } from "./item-forms.ts";

/** The person's first words. */
const GO = "Look at the harbour.";

/** A reply of a model as a program keeps it: sealed reasoning, a call and its result. `seal` is `null` for none. */
export type KeptStep = Pick<FormedStep, "id" | "given"> & { readonly seal: string | null };

/** The wire of a name. */
export const wire = (name: string): ProxyWire => Object.values(WIRES).find((each) => each.name === name) ?? missing(name);
/** Ends a test that names no kind of items. */
export const missing = (name: string): never => {
  throw new Error(`${name} is no wire`);
};
/** An item as untyped data: the very object. */
export const fieldsOf = (item: unknown): Fields => (isRecord(item) ? item : {});

/** A compactor over untyped items. */
type SendingCompactor = AnyCompactor & Pick<ArrayCompactor<object, never>, "send">;

/** A compactor of each kind of items. */
export const COMPACTORS: { readonly [name in FormName]: (options: CompactorOptions) => SendingCompactor } = {
  "openai-chat": (options) => createChatCompactor(options),
  "openai-responses": (options) => createItemsCompactor(options),
  anthropic: (options) => createMessagesCompactor(options),
  gemini: (options) => createContentsCompactor(options),
  "ai-sdk": (options) => createArrayCompactor(PROMPTS, options),
  langchain: (options) => createArrayCompactor(LANGCHAIN_MESSAGES, options),
  agents: (options) => createAgentItemsCompactor(options),
  opencode: (options) => createArrayCompactor(OPENCODE_MESSAGES, options),
  pi: (options) => createArrayCompactor(PI_MESSAGES, options),
};

/** The wires at the proxy. */
export const WIRE_NAMES: readonly WireName[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];
/** The kinds of items whose programs hear of refusals. */
export const KEPT_NAMES: readonly KeptName[] = [...WIRE_NAMES, "ai-sdk", "langchain", "agents"];

/** A history: a person's words, steps, and more words. */
export function keptHistory(name: KeptName, steps: readonly KeptStep[], last = "Go on."): readonly Fields[] {
  const { said, holds } = ITEM_FORMS[name];
  const given = holds === "text" ? '{"path":"a.ts"}' : { path: "a.ts" };
  const made = steps.flatMap((each) => stepItems(name, { given, result: `seen ${each.id}`, isLinked: true, ...each }));
  return [said(GO), ...made, said(last)].map(fieldsOf);
}
