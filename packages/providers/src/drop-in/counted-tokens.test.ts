import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { OPENAI_QUIRKS } from "../openai-chat/hosts.ts";
import { modelPriors, priorsFor } from "../priors/model-priors.ts";
import { loadTokenCounter } from "../tokenizers/token-counter.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import type { ArrayCompactor, ArrayRequest } from "./array-compactor.ts";
import { createChatCompactor } from "./openai-chat.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const options = { policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 200_000, maxOutputTokens: 8_000 } };
const countTokens = await loadTokenCounter("o200k_base");

/** Identifiers and hashes, of which classes of characters tell little. */
const TEXT = Array.from({ length: 300 }, (_, at) => `useDebouncedValue${at}: 0x${(at * 7_919).toString(16)}`).join("\n");
const system = `You answer in short sentences.\n${TEXT.slice(0, 2_000)}`;
const asked = [{ role: "user", content: TEXT }] as const;
/** Expected tokens of a first request. */
async function expectedBy<Item, Answer>(
  compactor: ArrayCompactor<Item, Answer>,
  items: readonly Item[],
  request: ArrayRequest<Answer>,
): Promise<number | null> {
  return compactor.expectedTokens(await compactor.fit(items, { ...request, system }));
}

type Request = Pick<ArrayRequest<never>, "modelId">;
const byChat = (request: Request) => expectedBy(createChatCompactor(options), asked, request);
const byOtherChat = (request: Request) =>
  expectedBy(createChatCompactor({ ...options, quirks: { ...OPENAI_QUIRKS, roles: "alternate" } }), asked, request);
const byNamedOption = (request: Request) =>
  expectedBy(createMessagesCompactor({ ...options, model: "gpt-5.4" }), asked, request);
const byResponses = (request: Request) => expectedBy(createItemsCompactor(options), asked, request);
const byMessages = (request: Request) => expectedBy(createMessagesCompactor(options), asked, request);
const COUNTED = countTokens(TEXT) + countTokens(system) + 10;

test.each<[string, (request: Request) => Promise<number | null>, Request]>([
  ["chat", byChat, {}],
  ["chat", byChat, { modelId: "gpt-5.6" }],
  ["responses", byResponses, {}],
  ["responses", byResponses, { modelId: "openai/gpt-5-mini" }],
  ["anthropic", byMessages, { modelId: "openai/gpt-5.4" }],
  ["a model in the options", byNamedOption, {}],
])("%s: the first request to a model of OpenAI is as long as its tokenizer counts (%#)", async (_, expected, request) => {
  expect(await expected(request)).toBe(COUNTED);
});

test.each<[string, (request: Request) => Promise<number | null>, Request]>([
  ["chat", byChat, { modelId: "deepseek-chat" }],
  ["another server's chat", byOtherChat, {}],
  ["anthropic", byMessages, {}],
])("%s: other models are told by their characters (%#)", async (_, expected, request) => {
  expect(await expected(request)).not.toBe(COUNTED);
});

test("a model of another maker is told by its characters, after one of OpenAI too", async () => {
  const compactor = createMessagesCompactor(options);
  await expectedBy(compactor, [{ role: "user", content: "Hello." }], { modelId: "gpt-5.4" });
  const request = { modelId: "claude-opus-5" };
  expect(await expectedBy(compactor, asked, request)).toBe(await byMessages(request));
});

test.each(["claude-opus-5", "gemini-3-pro", "gpt-4-turbo", "some/model", ""])("nothing is loaded for %j", (modelId) => {
  expect(priorsFor(modelId)).toBe(modelPriors);
});

test("models of one family have one value, and the unnamed one is the model that is asked", async () => {
  const priors = await priorsFor("gpt-5.5");
  expect(priors("gpt-5.4")).toBe(priors("gpt-5.5"));
  expect(priors("")).toBe(priors("gpt-5.5"));
  expect(priors("gpt-5.6")).not.toBe(priors("gpt-5.5"));
  expect(priors("claude-opus-5")).toBe(modelPriors("claude-opus-5"));
});

/** Prints each module of the tokenizer as it is loaded, and what is done. */
const SCRIPT = `
import { register } from "node:module";
const hook = 'import { writeSync } from "node:fs"; export const load = (url, context, next) => { if (url.includes("js-tiktoken")) writeSync(1, "loaded\\\\n"); return next(url, context); };';
register("data:text/javascript," + encodeURIComponent(hook));
const { writeSync } = await import("node:fs");
const { PLIMSOLL_POLICY } = await import("@plimsoll/core");
const { createChatCompactor } = await import("./src/drop-in/openai-chat.ts");
const compactor = createChatCompactor({ policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 200000, maxOutputTokens: 8000 } });
for (const modelId of ["deepseek-chat", "gpt-5.6", "gpt-5.5"]) {
  writeSync(1, modelId + "\\n");
  await compactor.fit([{ role: "user", content: "Hello, " + modelId }], { modelId });
}
`;

test("the tokenizer is loaded by the first request that asks a model of OpenAI, and once", () => {
  const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
  const args = ["--conditions=source", "--no-warnings", "--import", pathOf("../../../../scripts/typescript-loader.mjs")];
  const output = execFileSync(process.execPath, [...args, "--input-type=module", "-e", SCRIPT], {
    cwd: pathOf("../.."),
    encoding: "utf8",
  });
  expect(output.trim().split("\n")).toEqual(["deepseek-chat", "gpt-5.6", "loaded", "gpt-5.5"]);
});
