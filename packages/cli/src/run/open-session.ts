import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ModelPrices, Policy, Summarizer, Tokenizers } from "@plimsoll/core";
import { createDigest, createModelSummarizer, encodingsOf, PlimsollError } from "@plimsoll/core";
import type { Agent, AgentModel, SessionStore } from "@plimsoll/core/agent";
import { startAgent } from "@plimsoll/core/agent";
import { createFileArtifactStore, createFileSessionStore } from "@plimsoll/core/node";
import { createTokenizerLoader, describeWindow, modelPriors, parseModelReference, resolveModel } from "@plimsoll/providers";
import type { Simulator } from "@plimsoll/providers/simulator";
import { createBuiltinTools } from "@plimsoll/tools";
import { readConfig } from "../config/read-config.ts";
import type { EffectiveConfig } from "../config/settings.ts";
import type { CliIo } from "../io.ts";
import { clientFor } from "../models/model-client.ts";
import { plimsollVersion } from "../version.ts";
import { startDemoModel } from "./demo-model.ts";
import type { SessionOptions } from "./session-options.ts";

/** A session that a person or a program works with, and what has to be ended with it. */
export interface OpenSession {
  readonly agent: Agent;
  readonly config: EffectiveConfig;
  readonly policy: Policy;
  /** What the policy counts by, where its estimator is a byte-pair encoding. */
  readonly tokenizers: Tokenizers;
  readonly prices: ModelPrices | null;
  /** The window and where its size comes from, in one line. */
  readonly windowLine: string;
  readonly simulator: Simulator | null;
  /** Another model for the session, by its reference. */
  modelNamed(reference: string): Promise<{ readonly model: AgentModel; readonly windowLine: string }>;
  close(): Promise<void>;
}

/** Where a command finds configuration and logs. */
export interface SessionPlace {
  readonly io: CliIo;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** The session logs of a place. */
export function sessionStoreOf(cwd: string, config: EffectiveConfig): SessionStore {
  return createFileSessionStore({ folder: resolve(cwd, config.settings.sessions?.value ?? DEFAULT_SESSIONS_FOLDER) });
}

const DEFAULT_SESSIONS_FOLDER = ".plimsoll/sessions";
const MS_PER_SECOND = 1_000;

/** Opens a new session, or one to go on with. */
export async function openSession(options: SessionOptions, { io, environment }: SessionPlace): Promise<OpenSession> {
  const { cwd, homeFolder } = io;
  const config = readConfig({ cwd, homeFolder, environment, flags: flagsOf(options) });
  const policy = config.policy.value;
  const tokenizers = await createTokenizerLoader()(encodingsOf(policy));
  const sessions = sessionStoreOf(cwd, config);
  const modelNamed = (reference: string) => namedModel(reference, { config, environment });
  const demo = options.demo === true ? await startDemoModel() : null;
  const tools = await createBuiltinTools({
    workspaceFolder: cwd,
    env: environment,
    lintCommand: config.settings.lint?.value ?? null,
    ...timeoutOf(config),
  });
  const close = async () => {
    tools.close();
    await demo?.simulator.close();
  };
  try {
    const reference = config.settings.model?.value ?? DEFAULT_MODEL;
    const chosen =
      demo === null
        ? await modelNamed(reference)
        : { model: demo.model, prices: null, windowLine: "simulated model, context window 24000 tokens" };
    const resumed = await resumedId(options.resume, sessions);
    const sessionId = resumed ?? newSessionId(io.nowMs());
    const agent = await startAgent({
      session:
        resumed === null
          ? { kind: "new", sessionId, system: systemText(cwd), agent: { name: "plimsoll", version: plimsollVersion() } }
          : { kind: "resume", sessionId },
      sessions,
      model: chosen.model,
      policy,
      summarizer: demo === null ? summarizerFor(chosen.model) : createDigest(),
      tools: tools.tools,
      artifacts: createFileArtifactStore(join(cwd, ".plimsoll/artifacts")),
      nowMs: io.nowMs,
      stateOf: (id) => [tools.stateOf(id)],
      modelPriors,
      tokenizers,
      ...(config.settings.max_steps === undefined ? {} : { maxSteps: config.settings.max_steps.value }),
    });
    return {
      agent,
      config,
      policy,
      tokenizers,
      prices: chosen.prices,
      windowLine: chosen.windowLine,
      simulator: demo?.simulator ?? null,
      modelNamed,
      close: async () => {
        await agent.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What is asked where nobody chose a model. */
const DEFAULT_MODEL = "sonnet";

function summarizerFor({ client, modelId }: AgentModel): Summarizer {
  return createModelSummarizer(client, { modelId });
}

async function namedModel(
  reference: string,
  { config, environment }: { readonly config: EffectiveConfig; readonly environment: SessionPlace["environment"] },
): Promise<{ readonly model: AgentModel; readonly prices: ModelPrices | null; readonly windowLine: string }> {
  const { context_window, max_output_tokens } = config.settings;
  const limits = { contextWindowTokens: context_window?.value ?? null, maxOutputTokens: max_output_tokens?.value ?? null };
  const resolved = await resolveModel({ reference, config: limits, unknownWindow: config.policy.value.unknownWindow });
  const client = clientFor({ reference: parseModelReference(reference), environment });
  const model = { client, modelId: resolved.modelId, limits: resolved.limits };
  return { model, prices: resolved.prices, windowLine: describeWindow(resolved) };
}

function timeoutOf(config: EffectiveConfig): { readonly timeoutMs?: number } {
  const seconds = config.settings.timeout_seconds;
  return seconds === undefined ? {} : { timeoutMs: seconds.value * MS_PER_SECOND };
}

async function resumedId(resume: string | true | undefined, sessions: SessionStore): Promise<string | null> {
  if (resume === undefined) return null;
  if (resume !== true) return resume;
  const latest = (await sessions.list()).find(({ parentId }) => parentId === null);
  if (latest === undefined) throw new PlimsollError("bad-input", "there is no session to go on with");
  return latest.sessionId;
}

const RANDOM_CHARS = 6;

/** Sortable by time, and different for two that start at once. */
function newSessionId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).split(":").join("").split("-").join("");
  return `${time}-${randomUUID().slice(0, RANDOM_CHARS)}`;
}

/** What the agent is told of itself; a project's own AGENTS.md stands behind it. */
function systemText(cwd: string): string {
  const rules = readText(join(cwd, "AGENTS.md"));
  return [
    "You are a coding agent. You work in the person's folder with the tools given, and say briefly what you did.",
    "Output may be shortened and old output cleared; notices say with which handle read_artifact gives it back.",
    ...(rules === null ? [] : [`The project's rules:\n${rules}`]),
  ].join("\n\n");
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Most projects have none.
    return null;
  }
}

function flagsOf(options: SessionOptions): { readonly [key: string]: string | undefined } {
  return {
    model: options.model,
    policy: options.policy,
    context_window: options.contextWindow,
    max_steps: options.maxSteps,
  };
}
