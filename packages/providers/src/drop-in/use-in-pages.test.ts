import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { type SimulatedReply, type SimulatedRequest, startSimulator } from "@plimsoll/simulator";
import { expect, onTestFinished, test, vi } from "vitest";

const PAGES = new URL("../../../../docs/use-in/", import.meta.url);
const FOLDER = new URL("../../examples/", import.meta.url);

/** Reads a file of the project, then ends. */
function nextReply({ replyIndex }: SimulatedRequest): SimulatedReply {
  if (replyIndex > 0) return { parts: [{ type: "text", text: "It was read." }] };
  const argumentsJson = JSON.stringify({ path: "README.md" });
  return { parts: [{ type: "tool-call", toolName: "read_file", argumentsJson }] };
}

test.each([
  ["ai-sdk.md", 0],
  ["anthropic.md", 0],
  ["gemini.md", 0],
  ["langchain.md", 0],
  ["openai.md", 0],
  ["openai.md", 1],
  ["openai-agents.md", 0],
] as const)("the program of %s, %d, runs as pasted", { timeout: 60_000 }, async (page, index) => {
  const limits = { contextWindowTokens: 200_000, maximumOutputTokens: 128_000 };
  const simulator = await startSimulator({ ...limits, replies: nextReply, nowMs: () => 0 });
  onTestFinished(() => simulator.close());
  const { url, openAiUrl } = simulator;
  vi.stubEnv("OPENAI_BASE_URL", openAiUrl);
  vi.stubEnv("ANTHROPIC_BASE_URL", url);
  vi.stubEnv("GOOGLE_GEMINI_BASE_URL", url);
  for (const name of ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"]) vi.stubEnv(name, "key");
  // The AI SDK's provider read its address when another test loaded it.
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (address: string, init?: RequestInit) =>
    fetch(address.replace("https://api.anthropic.com/v1", `${url}/v1`), init),
  );
  const printed: unknown[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...given: unknown[]) => void printed.push(...given));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    log.mockRestore();
  });
  const [, program = ""] = readFileSync(new URL(page, PAGES), "utf8").split("```ts\n").slice(index);
  const file = new URL(`.page-${page}-${index}.ts`, FOLDER);
  writeFileSync(file, program.split("\n```", 1)[0] ?? "");
  onTestFinished(() => rmSync(file));
  await vi.importActual(file.pathname);
  const exchanges = simulator.exchanges();
  expect(exchanges.map(({ outcome }) => outcome)).toEqual(["answered", "answered"]);
  expect(JSON.stringify(printed[0])).toContain("It was read.");
  expect(printed[1]).toMatchObject({ kind: "unchanged", why: expect.stringContaining("below the trigger") });
});
