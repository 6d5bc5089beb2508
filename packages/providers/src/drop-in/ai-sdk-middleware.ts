import type { ToolSpec } from "@plimsoll/core";
import { usageOf, wellFormed } from "@plimsoll/core";
import type { LanguageModelMiddleware } from "ai";
import { jsonValueOf, numberAt, recordAt, stringAt } from "../fields.ts";
import type { ArrayCompactor, CompactorOptions } from "./array-compactor.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import { encoded, MODEL_MESSAGES } from "./model-messages.ts";
import type { WireArray } from "./wire-array.ts";

type Generate = NonNullable<LanguageModelMiddleware["wrapGenerate"]>;
type Stream = NonNullable<LanguageModelMiddleware["wrapStream"]>;
type StreamPart = Awaited<ReturnType<Stream>>["stream"] extends ReadableStream<infer Part> ? Part : never;
type PromptMessage = Parameters<Generate>[0]["params"]["prompt"][number];

/** A middleware for `wrapLanguageModel`, with what its compactor offers besides. */
export type CompactionMiddleware = Required<
  Pick<LanguageModelMiddleware, "specificationVersion" | "wrapGenerate" | "wrapStream">
> &
  Pick<ArrayCompactor<PromptMessage, unknown>, "recall" | "entries">;

/**
 * A language-model middleware that sends a compacted prompt in place of the whole one, and where the provider says that it does not fit, compacts
 * further and sends it again, as often as the policy lets it. One middleware serves one conversation: another one begins a new log.
 */
export function createCompactionMiddleware(options: CompactorOptions): CompactionMiddleware {
  const compactor = createArrayCompactor(PROMPTS, options);
  const wrapGenerate: Generate = ({ params, model }) =>
    compactor.send(params.prompt, (prompt) => model.doGenerate({ ...params, prompt }), { tools: toolSpecs(params) });
  const wrapStream: Stream = async ({ params, model }) => {
    const overhead = { tools: toolSpecs(params) };
    const { stream, ...rest } = await compactor.send(
      params.prompt,
      (prompt) => model.doStream({ ...params, prompt }),
      overhead,
    );
    return { ...rest, stream: stream.pipeThrough(observed(compactor.observe)) };
  };
  return { specificationVersion: "v3", wrapGenerate, wrapStream, recall: compactor.recall, entries: compactor.entries };
}

/** Passes a stream on as it is, and tells what its end says of usage. */
function observed(observe: (answer: unknown) => void): TransformStream<StreamPart, StreamPart> {
  let response: unknown = null;
  return new TransformStream({
    transform: (part, controller) => {
      if (part.type === "response-metadata") response = part;
      if (part.type === "finish") observe({ usage: part.usage, response });
      controller.enqueue(part);
    },
  });
}

function toolSpecs({ tools = [] }: Parameters<Generate>[0]["params"]): readonly ToolSpec[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: stringAt(tool, "description") ?? "",
    parametersJson: JSON.stringify(recordAt(tool, "inputSchema") ?? {}),
  }));
}

/** The prompts of a model's calls, and what its answers tell of usage. */
const PROMPTS: WireArray<PromptMessage, unknown> = {
  groups: (items) => MODEL_MESSAGES.groups(items).map((group, index) => ({ ...group, items: items.slice(index, index + 1) })),
  systemOf: (items) => {
    const { items: system, text } = MODEL_MESSAGES.systemOf(items);
    return { items: wellFormed(items.slice(0, system.length)), text };
  },
  encode: (messages) => messages.map(encoded),
  joined: wellFormed,
  observed: (answer) => {
    const usage = recordAt(answer, "usage");
    const input = recordAt(usage, "inputTokens");
    const output = recordAt(usage, "outputTokens");
    const response = recordAt(answer, "response");
    if (usage === null) return null;
    return {
      requestId: stringAt(response, "id") ?? "",
      modelId: stringAt(response, "modelId") ?? "",
      usage: usageOf({
        totalInputTokens: numberAt(input, "total"),
        uncachedTokens: numberAt(input, "noCache"),
        cacheReadTokens: numberAt(input, "cacheRead"),
        cacheWriteTokens: numberAt(input, "cacheWrite"),
        outputTokens: numberAt(output, "total"),
        reasoningTokens: numberAt(output, "reasoning"),
        raw: jsonValueOf(usage),
      }),
    };
  },
};
