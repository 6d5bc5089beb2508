import { AIMessage } from "@langchain/core/messages";
import { NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import type { LanguageModelMiddleware } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { expect, test } from "vitest";
import { ITEM_FORMS, type KeptName, stepItems } from "../../testing/item-forms.ts";
import { COMPACTORS, fieldsOf } from "../../testing/kept-items.ts";
import { recordsAt } from "../fields.ts";
import { createCompactionMiddleware } from "./ai-sdk.ts";

type Params = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0]["params"];

const LONG = "text of a file;\n".repeat(400);
const within = (contextWindowTokens: number, maxOutputTokens: number) => ({
  policy: PLIMSOLL_POLICY,
  limits: { contextWindowTokens, maxOutputTokens },
});
const [wide, narrow] = [within(200_000, 2_000), within(8_000, 500)];
type Limited = typeof wide;

/** A history with the server's compaction near the beginning, and much after it. */
function historyOf(name: KeptName, ...compacted: readonly unknown[]): never[] {
  const steps = Array.from({ length: 30 }, (_, index) => ({ id: `call_${index}`, name: "read_file", result: LONG }));
  const made = steps.flatMap((step) => stepItems(name, step));
  return [ITEM_FORMS[name].said("Read all files."), ...compacted, ...made] as never[];
}

const BLOCK = { type: "compaction", content: "what the server wrote" };
const SEALED = { type: "compaction", encrypted_content: "c2VhbGVk" };
const items = historyOf("openai-responses", SEALED);
const messages = historyOf("anthropic", { role: "assistant", content: [BLOCK] });

/** In the AI SDK's prompts, as its provider for this vendor reads an answer into them. */
const part = { type: "text", text: BLOCK.content, providerOptions: { anthropic: { type: "compaction" } } };
const [reply, result] = stepItems("ai-sdk", { id: "call", result: LONG }).map(fieldsOf);
const prompt = historyOf("ai-sdk", { ...reply, content: [part, ...recordsAt(reply, "content")] }, result);

/** In LangChain's messages: as a block, and as an item that was kept of an answer. */
const asBlock = historyOf("langchain", new AIMessage({ content: [BLOCK] }));
const asItem = historyOf("langchain", new AIMessage({ content: "", response_metadata: { output: [SEALED] } }));

/** The prompt that reaches the model through the middleware. */
async function throughMiddleware(options: Limited): Promise<readonly unknown[]> {
  let sent: readonly unknown[] = [];
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt: given }) => {
      sent = given;
      return {
        content: [],
        finishReason: { unified: "stop", raw: "stop" },
        usage: { inputTokens: NO_INPUT, outputTokens: { total: 1, text: 1, reasoning: 0 } },
        warnings: [],
      };
    },
  });
  const params: Params = { prompt };
  const [doGenerate, doStream] = [() => model.doGenerate(params), () => model.doStream(params)];
  await createCompactionMiddleware(options).wrapGenerate({ params, model, doGenerate, doStream });
  return sent;
}

const NO_INPUT = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };

const rows: readonly (readonly [string, (options: Limited) => Promise<readonly unknown[]>, readonly unknown[]])[] = [
  ["Responses", (options) => COMPACTORS["openai-responses"](options).fit(items), items],
  ["Messages", (options) => COMPACTORS.anthropic(options).fit(messages), messages],
  ["AI SDK", throughMiddleware, prompt],
  ["LangChain, a block", (options) => COMPACTORS.langchain(options).fit(asBlock), asBlock],
  ["LangChain, an answer's item", (options) => COMPACTORS.langchain(options).fit(asItem), asItem],
];

test.each(rows)("%s: an array with the vendor's compaction that fits goes through untouched", async (_, fit, own) => {
  const sent = await fit(wide);
  expect(sent.length).toBe(own.length);
  expect(sent.every((item, index) => item === own[index])).toBe(true);
});

test.each(rows)("%s: with compaction off it goes through whatever its size", async (_, fit, own) => {
  expect((await fit({ ...narrow, policy: NONE_POLICY })).length).toBe(own.length);
});

test.each(rows)("%s: rather than cut it away the request is refused, with what to do", async (_, fit) => {
  await expect(fit(narrow)).rejects.toMatchObject({
    code: "unsendable",
    details: { reason: "vendor-compaction" },
    message: expect.stringContaining("leave compaction to the vendor (policy none), or switch the vendor's off"),
  });
});
