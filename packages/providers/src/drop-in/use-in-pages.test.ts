import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  ["ai-sdk.md", 0, 31, /compaction-end.*"by":"digest"/s],
  ["anthropic.md", 0, 2, /"unchanged".*pays yet/],
  ["gemini.md", 0, 2, /"unchanged".*pays yet/],
  ["langchain.md", 0, 2, /"unchanged".*pays yet/],
  ["openai.md", 0, 2, /"unchanged".*pays yet/],
  ["openai.md", 1, 2, /"unchanged".*pays yet/],
  ["openai-agents.md", 0, 2, /"unchanged".*pays yet/],
] as const)("the program of %s, %d, runs as pasted", { timeout: 60_000 }, async (page, index, requests, report) => {
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
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  writeFileSync(file, program.split("\n```", 1)[0]?.replace(".plimsoll/sessions", folder) ?? "");
  onTestFinished(() => rmSync(file));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await vi.importActual(file.pathname);
  const exchanges = simulator.exchanges();
  expect(exchanges.map(({ outcome }) => outcome)).toEqual(Array(requests).fill("answered"));
  expect(JSON.stringify(printed)).toMatch(/It was read\./);
  expect(JSON.stringify(printed)).toMatch(report);
});
