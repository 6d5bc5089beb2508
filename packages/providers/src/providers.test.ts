import { human } from "@plimsoll/core/testing";
import { startSimulator } from "@plimsoll/simulator";
import { describe, expect, test } from "vitest";
import { parseModelReference } from "./catalog/model-limits.ts";
import { clientFor, HOST_NAMES, KEY_VARIABLES } from "./providers.ts";

function problemOf(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [String(error)];
  }
}

describe("clientFor", () => {
  test.each([
    ["anthropic", "ANTHROPIC_BASE_URL", "url", "anthropic"],
    ["openai", "OPENAI_BASE_URL", "openAiUrl", "openai-responses"],
    ["llama.cpp", "LLAMA_CPP_BASE_URL", "openAiUrl", "openai-chat"],
  ] as const)("%s is asked at the address that the environment names, on its own wire", async (host, variable, url, wire) => {
    const simulator = await startSimulator({ replies: [{ parts: [{ type: "text", text: "Hello." }] }] });
    const environment = { [variable]: simulator[url], ANTHROPIC_API_KEY: "key", OPENAI_API_KEY: "key" };
    const context = { system: "", tools: [], messages: [human("u", "hi")], dynamicContext: null };
    const request = { context, modelId: "model", maxOutputTokens: 100 };
    const reply = await clientFor(host, { environment }).complete(request, new AbortController().signal);
    await simulator.close();
    expect(reply.draft.parts).toEqual([{ type: "text", text: "Hello." }]);
    expect(simulator.exchanges().map((exchange) => exchange.wire)).toEqual([wire]);
  });

  test.each([
    ["anthropic", "ANTHROPIC_BASE_URL", "http://127.0.0.1:8484"],
    ["openai", "OPENAI_BASE_URL", "http://localhost:8484/v1"],
    ["openai", "OPENAI_BASE_URL", "http://[::1]/v1"],
  ])("%s at %s=%s, on this machine, is asked without a key", (host, variable, address) => {
    expect(() => clientFor(host, { environment: { [variable]: address } })).not.toThrow();
  });

  test.each([
    "https://api.anthropic.com",
    "http://127.0.0.1.example.com",
    "http://127.0.0.1@example.com",
    "http://localhost.example.com/",
  ])("at %s a key is needed", (address) => {
    expect(() => clientFor("anthropic", { environment: { ANTHROPIC_BASE_URL: address } })).toThrow("ANTHROPIC_API_KEY");
  });

  test("a host that is not known is named with those that are", () => {
    expect(() => clientFor("antropic", { environment: {} })).toThrow(
      /no host is called "antropic"; there are anthropic, openai/,
    );
    expect(HOST_NAMES).toContain("llama.cpp");
  });

  test.each(HOST_NAMES)("%s may stand before a model's id", (host) => {
    expect(parseModelReference(`${host}/some-model`)).toEqual({ host, modelId: "some-model" });
  });

  test.each(HOST_NAMES)("%s asks for no key, or for one that is among the known variables", (host) => {
    const environment = Object.fromEntries(KEY_VARIABLES.map((name) => [name, "key"]));
    expect(() => clientFor(host, { environment })).not.toThrow();
  });

  test.each(KEY_VARIABLES)("%s is named if a host needs it and it is missing", (missing) => {
    const environment = Object.fromEntries(KEY_VARIABLES.filter((name) => name !== missing).map((name) => [name, "key"]));
    const problems = HOST_NAMES.flatMap((host) => problemOf(() => clientFor(host, { environment })));
    expect(problems).toEqual([expect.stringContaining(missing)]);
  });
});
