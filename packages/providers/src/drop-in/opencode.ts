import type { ModelLimits } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { type Fields, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { OPENCODE_MESSAGES } from "./opencode-messages.ts";
import type { OpenCodeMessage } from "./opencode-written.ts";
import { createPlugin, type PluginOptions } from "./plugin.ts";
import { type Speakers, withoutWords } from "./typed-words.ts";

export { OPENCODE_MESSAGES } from "./opencode-messages.ts";

/** The used part of OpenCode's input for plugins: OpenCode 1.18, `PluginInput`. */
interface OpenCodePluginInput {
  readonly client: { readonly config: { providers(): Promise<{ readonly data?: unknown }> } };
}

/** The hooks that are used: OpenCode 1.18, `Hooks`. */
interface OpenCodeHooks {
  config(config: { compaction?: unknown }): Promise<void>;
  "experimental.chat.messages.transform"(input: unknown, output: { readonly messages: OpenCodeMessage[] }): Promise<void>;
}

/** The longest reply that OpenCode asks for, from any model: OpenCode 1.18, `OUTPUT_TOKEN_MAX`. */
const MOST_REPLY_TOKENS = 32_000;

/** Largest part of a window that a reply is given: models may name a reply as long as the window. Chosen. */
const REPLY_RATIO = 0.5;

/**
 * Makes a plugin for OpenCode. It compacts each request; the stored session stays whole. It switches off OpenCode's clearing, which would change the session, unless the
 * configuration asks for it, and leaves OpenCode's own compaction for overflows. Window and reply are those of OpenCode's model; 2% of the window stays free, since a
 * hook cannot resend a request.
 */
export function createOpenCodePlugin(options: PluginOptions = {}): (input: OpenCodePluginInput) => Promise<OpenCodeHooks> {
  const plugin = createPlugin(OPENCODE_MESSAGES, options);
  return async ({ client }) => {
    const limitsOf = createLimitsOf(client);
    return {
      config: async (config) => {
        // With `auto` off an overflow ends the session; without a reserve OpenCode compacts only at the window.
        config.compaction = { reserved: 0, prune: false, ...(isRecord(config.compaction) ? config.compaction : {}) };
      },
      "experimental.chat.messages.transform": async (_, { messages }) => {
        const newest = messages.findLast(({ info }) => info.role === "user")?.info;
        if (newest === undefined) return;
        const conversation = stringAt(newest, "sessionID") ?? "opencode";
        const { items, asked } = withoutWords(messages, SPEAKERS);
        if (asked !== null)
          return void messages.splice(0, messages.length, answering(messages, await plugin.answer(asked, conversation)));
        const modelId = stringAt(recordAt(newest, "model"), "modelID");
        const fitted = await plugin.fit(items, { limits: await limitsOf(newest), conversation, modelId });
        // OpenCode goes on with the very array that it gave.
        messages.splice(0, messages.length, ...fitted);
      },
    };
  };
}

const SPEAKERS: Speakers<OpenCodeMessage> = {
  isModels: ({ info }) => info.role === "assistant",
  isUsers: ({ info }) => info.role === "user",
  said: ({ info, parts }) =>
    info.role === "user"
      ? stringAt(
          parts.find(({ type, synthetic }) => type === "text" && synthetic !== true),
          "text",
        )
      : null,
};

/** A hook cannot answer in the model's place: the model is asked to say the answer, and nothing else is sent. */
function answering(messages: readonly OpenCodeMessage[], answer: string): OpenCodeMessage {
  const asked = messages.findLast(({ info }) => info.role === "user");
  const [part] = asked?.parts.filter(({ type }) => type === "text") ?? [];
  const text = `Answer with the text between the lines, word for word, and with nothing else. Call no tool.\n---\n${answer}\n---`;
  return { info: asked?.info ?? {}, parts: [{ ...part, type: "text", text }] };
}

/** The limits of the model that a user's message asks, by OpenCode's table of all models; asked for again when a model is new. */
function createLimitsOf({ config }: OpenCodePluginInput["client"]): (newest: Fields) => Promise<ModelLimits> {
  const known = new Map<string, ModelLimits>();
  return async (newest) => {
    const model = recordAt(newest, "model");
    const name = nameOf(stringAt(model, "providerID"), stringAt(model, "modelID"));
    if (!known.has(name)) {
      // Without an answer the request goes on in the smallest window, and the next one asks again.
      const answer = await config.providers().catch(() => ({ data: null }));
      for (const [each, limits] of limitsIn(answer.data)) known.set(each, limits);
    }
    return known.get(name) ?? { contextWindowTokens: null, maxOutputTokens: null };
  };
}

function nameOf(providerId: string | null, modelId: string | null): string {
  return `${providerId}/${modelId}`;
}

function limitsIn(data: unknown): readonly (readonly [name: string, limits: ModelLimits])[] {
  return recordsAt(data, "providers").flatMap((provider) =>
    Object.entries(recordAt(provider, "models") ?? {}).flatMap(([id, model]) => {
      const limit = recordAt(model, "limit");
      const contextTokens = numberAt(limit, "context") ?? 0;
      if (contextTokens === 0) return [];
      const most = Math.min(MOST_REPLY_TOKENS, Math.floor(contextTokens * REPLY_RATIO));
      const maxOutputTokens = Math.min(numberAt(limit, "output") || most, most);
      const inputTokens = numberAt(limit, "input");
      const contextWindowTokens = Math.min(contextTokens, (inputTokens ?? contextTokens) + maxOutputTokens);
      return [[nameOf(stringAt(provider, "id"), id), { contextWindowTokens, maxOutputTokens }] as const];
    }),
  );
}
