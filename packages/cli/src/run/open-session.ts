import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Policy, Summarizer } from "@plimsoll/core";
import { createDigest, createModelSummarizer, PlimsollError } from "@plimsoll/core";
import type { Agent, AgentEvent, AgentModel, Authorization, PendingCall, SessionStore } from "@plimsoll/core/agent";
import { startAgent } from "@plimsoll/core/agent";
import type { Tokenizers } from "@plimsoll/core/build";
import type { ModelPrices } from "@plimsoll/core/internal";
import { encodingsOf } from "@plimsoll/core/internal";
import { createFileArtifactStore, createFileSessionStore } from "@plimsoll/core/node";
import { MODEL_CATALOG, modelPriors } from "@plimsoll/providers";
import { KEY_VARIABLES } from "@plimsoll/providers/clients";
import type { Simulator } from "@plimsoll/providers/simulator";
import { createTokenizerLoader } from "@plimsoll/providers/tokenizers";
import { createBuiltinTools, createRedactor, redactedTools } from "@plimsoll/tools";
import { readConfig } from "../config/read-config.ts";
import type { EffectiveConfig } from "../config/settings.ts";
import type { CliIo } from "../io.ts";
import { plimsollVersion } from "../io.ts";
import { connectServers } from "../mcp/connect-servers.ts";
import { suggestion } from "../option/nearest-name.ts";
import { parseRule } from "../permission/allow-rule.ts";
import { type AskPerson, createPermissions, type Permissions } from "../permission/permissions.ts";
import { type ChosenModel, chooseModel } from "./choose-model.ts";
import { startDemoModel } from "./demo-model.ts";
import { sessionNotices } from "./session-notices.ts";
import type { SessionOptions } from "./session-options.ts";
import type { PricesOf, Spending } from "./spending.ts";
import { createSpending } from "./spending.ts";

/** A session that a person or a program works with, and what has to be ended with it. */
export interface OpenSession {
  readonly agent: Agent;
  readonly config: EffectiveConfig;
  readonly policy: Policy;
  /** What the policy counts by, if its estimator is a byte-pair encoding. */
  readonly tokenizers: Tokenizers;
  /** What the session cost so far. */
  readonly spending: () => Spending;
  /** What a person should know before the first message, a line each: session, policy, window, servers, what changed since. */
  readonly notices: readonly string[];
  readonly simulator: Simulator | null;
  /** What its calls may do; without somebody to ask, what is not allowed is refused. */
  readonly permissions: Permissions;
  /** Goes on with another model, by its reference: window, prices, tokenizer and who writes summaries go with it. */
  switchModel(reference: string): Promise<ChosenModel>;
  close(): Promise<void>;
}

/** Where a command finds configuration and logs. */
export interface SessionPlace {
  readonly io: CliIo;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Hears what the session tells from its very start on. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Asks the person; without it what is not allowed is refused. */
  readonly ask?: AskPerson;
  /** Ends the questions that are asked before the session is open. */
  readonly signal?: AbortSignal;
}

/** The session logs of a place. */
export function sessionStoreOf(cwd: string, config: EffectiveConfig): SessionStore {
  return createFileSessionStore({ folder: sessionsFolderOf(cwd, config) });
}

/** The folder of a place's session logs. */
export function sessionsFolderOf(cwd: string, config: EffectiveConfig): string {
  return resolve(cwd, config.settings.sessions?.value ?? DEFAULT_SESSIONS_FOLDER);
}

const CANCELLED: Authorization = { kind: "deny", why: "cancelled" };
const NEVER_ABORTED = new AbortController().signal;
const DEFAULT_SESSIONS_FOLDER = ".plimsoll/sessions";
const MS_PER_SECOND = 1_000;

/** What is asked if nobody chose a model. */
const DEFAULT_MODEL = "sonnet";

/** Opens a new session, or one to go on with. */
export async function openSession(
  options: SessionOptions,
  { io, environment, onEvent, ask, signal }: SessionPlace,
): Promise<OpenSession> {
  const { cwd, homeFolder } = io;
  const config = readConfig({ cwd, homeFolder, environment, flags: flagsOf(options) });
  const policy = config.policy.value;
  const tokenizers = await createTokenizerLoader()(encodingsOf(policy));
  const sessions = sessionStoreOf(cwd, config);
  const resumed = await resumedId(options.resume ?? (options.continue === true ? true : undefined), sessions);
  const prices = new Map<string, ModelPrices | null>();
  const known = (chosen: ChosenModel) => {
    prices.set(chosen.model.modelId, chosen.prices);
    return chosen;
  };
  const modelNamed = async (reference: string) => known(await chooseModel(reference, { config, environment }));
  const redactor = createRedactor(KEY_VARIABLES.map((name) => ({ name, value: environment[name] ?? "" })));
  const permissions = createPermissions((options.allow ?? []).map(parseRule), options.readOnly === true ? "read-only" : "ask");
  if (ask !== undefined) permissions.askThrough(ask);
  const builtin = await createBuiltinTools({ workspaceFolder: cwd, env: environment, ...toolSettings(config) });
  const demo = options.demo === true ? await startDemoModel() : null;
  const chosen = demo === null ? await modelNamed(config.settings.model?.value ?? DEFAULT_MODEL) : known(demo);
  let current = chosen.model;
  const authorize = (call: PendingCall) =>
    permissions.authorize(call, signal ?? NEVER_ABORTED).catch((): Authorization => CANCELLED);
  const servers = await connectServers(config.mcpServers, { cwd, environment, authorize });
  const close = async () => {
    builtin.close();
    await servers.close();
    await demo?.simulator.close();
  };
  try {
    const sessionId = resumed ?? newSessionId(io.nowMs());
    const system = systemText(cwd);
    const pricesOf: PricesOf = (modelId) => prices.get(modelId) ?? MODEL_CATALOG.pricesOf(modelId);
    const { request } = policy.summary;
    const spending = createSpending(pricesOf, typeof request === "string" ? null : request.cheaper.modelId);
    let modelBefore: string | null = null;
    if (resumed !== null)
      await sessions.read(resumed, (entry) => {
        builtin.resume(resumed, entry);
        spending.add(entry);
        if (entry.type === "model-change" || entry.type === "usage") modelBefore = entry.modelId;
      });
    const agent = await startAgent({
      session:
        resumed === null
          ? { kind: "new", sessionId, system, agent: { name: "plimsoll", version: plimsollVersion() } }
          : { kind: "resume", sessionId, system },
      sessions,
      model: chosen.model,
      policy,
      ...(demo === null ? {} : { summarizer: demoSummarizer(demo.model, () => current) }),
      modelPriors,
      tokenizers,
      tools: redactedTools([...builtin.tools, ...servers.tools], redactor),
      authorize: permissions.authorize,
      artifacts: createFileArtifactStore(join(cwd, ".plimsoll/artifacts")),
      nowMs: io.nowMs,
      stateOf: (id) => [builtin.stateOf(id)],
      onEvent: (event) => {
        // Counted first: whoever hears of a usage asks what the session cost.
        const isOwn = event.sessionId === sessionId;
        if (isOwn && (event.type === "usage-update" || event.type === "compaction-end")) spending.add(event.entry);
        onEvent?.(event);
      },
      ...(config.settings.max_steps === undefined ? {} : { maxSteps: config.settings.max_steps.value }),
    });
    return {
      agent,
      config,
      policy,
      tokenizers,
      spending: spending.now,
      notices: sessionNotices({
        agent,
        modelBefore,
        policyLine: `policy ${policy.name} (${config.policy.source})`,
        windowLine: chosen.windowLine,
        serverLines: servers.lines.map(redactor.text),
        permissions,
      }),
      simulator: demo?.simulator ?? null,
      permissions,
      switchModel: async (reference) => {
        const to = await modelNamed(reference);
        await agent.switchModel(to.model);
        current = to.model;
        return to;
      },
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

/** The demo's model says what a script says, which is no summary; one that a person switched to writes them itself. */
function demoSummarizer(demoModel: AgentModel, current: () => AgentModel): Summarizer {
  const digest = createDigest();
  return (request, signal) => {
    const model = current();
    const { client, modelId } = model;
    return model === demoModel ? digest(request, signal) : createModelSummarizer(client, { modelId })(request, signal);
  };
}

function toolSettings({ settings: { timeout_seconds, lint, hand_off, pass_env } }: EffectiveConfig): {
  readonly timeoutMs?: number;
  readonly passEnv?: readonly string[];
  readonly lintCommand: string | null;
  readonly handOff: "offered" | "absent";
} {
  return {
    lintCommand: lint?.value ?? null,
    handOff: hand_off?.value === true ? "offered" : "absent",
    ...(pass_env === undefined ? {} : { passEnv: pass_env.value.split(/[\s,]+/) }),
    ...(timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds.value * MS_PER_SECOND }),
  };
}

async function resumedId(resume: string | true | undefined, sessions: SessionStore): Promise<string | null> {
  if (resume === undefined) return null;
  const stored = await sessions.list();
  if (resume !== true && stored.some(({ sessionId }) => sessionId === resume)) return resume;
  const own = stored.filter(({ parentId }) => parentId === null).map(({ sessionId }) => sessionId);
  const [latest] = own;
  if (resume === true && latest !== undefined) return latest;
  if (resume === true) throw new PlimsollError("bad-input", "there is no session to go on with");
  const advice = latest === undefined ? "there is none yet" : suggestion(resume, own.slice(0, TOLD_SESSIONS));
  throw new PlimsollError("bad-input", `there is no session ${resume}: ${advice}`, { resume });
}

/** How many of the newest sessions an error names; chosen. */
const TOLD_SESSIONS = 5;

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
    pass_env: options.passEnv?.join(" "),
  };
}
