import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { GeminiModule, GeminiRequest } from "./gemini-module.ts";

/** Share of its window at which the program compresses unless told otherwise. */
const THRESHOLD_RATIO = 0.5;
/** The program's cut of a result that no longer fits its budget, in characters (DEFAULT_TRUNCATE_TOOL_OUTPUT_THRESHOLD). */
const RESULT_CAP_CHARS = 40_000;

/** The settings that the program reads, and the client through which it asks its model. */
export interface GeminiConfigOptions {
  readonly module: Pick<GeminiModule, "tokenLimit">;
  readonly contextWindowTokens: number;
  /** Where it writes results that it cut. */
  readonly folder: string;
  /** The size that was reported last, as the program's own counter has it. */
  readonly lastPromptTokens: () => number;
  readonly answer: (request: GeminiRequest) => Promise<string>;
}

/** A model of the program's without a limit of its own: it has the program's default. */
export const GEMINI_MODEL = "stand-in";

/**
 * The program's settings as they are unless told otherwise. Its limit is a constant of the model's name: the share of it stands for the window
 * of the replay.
 */
export function geminiConfig({ module, contextWindowTokens, folder, lastPromptTokens, answer }: GeminiConfigOptions): object {
  let truncations = 0;
  return {
    getHookSystem: () => undefined,
    getCompressionThreshold: () => Promise.resolve((THRESHOLD_RATIO * contextWindowTokens) / module.tokenLimit(GEMINI_MODEL)),
    getNextCompressionTruncationId: () => {
      truncations += 1;
      return truncations;
    },
    getTruncateToolOutputThreshold: () => Math.min(4 * (contextWindowTokens - lastPromptTokens()), RESULT_CAP_CHARS),
    storage: { getProjectTempDir: () => folder },
    getBaseLlmClient: () => ({
      generateContent: async (request: GeminiRequest) => ({
        candidates: [{ content: { role: "model", parts: [{ text: await answer(request) }] } }],
      }),
    }),
    getContentGenerator: () => ({}),
    getIncludeDirectoryTree: () => false,
    getSessionMemory: () => "",
    getApprovedPlanPath: () => undefined,
    getActiveModel: () => GEMINI_MODEL,
    getUsageStatisticsEnabled: () => false,
    getExperiments: () => undefined,
    getContentGeneratorConfig: () => undefined,
    getSessionId: () => "replay",
    isInteractive: () => false,
    get config(): object {
      return this;
    },
  };
}

/** A folder that goes with the process: the program writes there what it cut, and an id of its own that is its home's otherwise. */
export function createGeminiFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gemini-"));
  process.env.GEMINI_CLI_HOME = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
