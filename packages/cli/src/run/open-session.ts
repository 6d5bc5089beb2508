import { join } from "node:path";
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  type Authorization,
  type PendingCall,
  startAgent,
} from "@plimsoll/agent";
import type { BenchParts } from "@plimsoll/bench";
import { type CliIo, openExtensions, printable } from "@plimsoll/bench/terminal";
import type { Policy, SessionStore } from "@plimsoll/core";
import { type AgentTool, encodingsOf } from "@plimsoll/core/extend";
import {
  createSpending,
  createTokenizerLoader,
  isBoundReasoning,
  KEY_VARIABLES,
  modelCosts,
  modelPriors,
} from "@plimsoll/providers";
import type { Simulator } from "@plimsoll/simulator";
import { createFileArtifactStore, readSmallFile } from "@plimsoll/stores";
import { createBuiltinTools, createRedactor, redactedTools } from "@plimsoll/tools";
import { readConfig } from "../config/read-config.ts";
import type { EffectiveConfig } from "../config/settings.ts";
import { plimsollVersion } from "../io.ts";
import { connectServers } from "../mcp/connect-servers.ts";
import { parseRule } from "../permission/allow-rule.ts";
import { type AskPerson, createPermissions, type Permissions } from "../permission/permissions.ts";
import type { ChosenModel } from "./choose-model.ts";
import { openModels, type SessionModels } from "./session-models.ts";
import { sessionNotices } from "./session-notices.ts";
import type { SessionOptions } from "./session-options.ts";
import { artifactsFolderOf, newSessionId, resumedId, sessionStoreOf } from "./stored-sessions.ts";

/** A session that a person or a program works with, and the resources that end with it. */
export interface AgentSession {
  readonly agent: Agent;
  readonly config: EffectiveConfig;
  /** Parts that its policies may name. */
  readonly parts: BenchParts;
  readonly policy: Policy;
  /** Tokenizers for policies whose estimator is a byte-pair encoding. */
  readonly tokenizers: NonNullable<AgentOptions["tokenizers"]>;
  /** Returns the cost of the session so far. */
  readonly spending: ReturnType<typeof createSpending>["now"];
  /** Lines that a person should read before the first message: session, policy, window, servers, changes since. */
  readonly notices: readonly string[];
  readonly simulator: Simulator | null;
  /** The permissions of its calls; without a person to ask, a call that is not allowed is refused. */
  readonly permissions: Permissions;
  /** Goes on with another model, by its reference: window, prices, tokenizer and the summaries' writer go with it. */
  switchModel(reference: string): Promise<ChosenModel>;
  close(): Promise<void>;
}

/** Where a command finds configuration and logs. */
export interface SessionPlace {
  readonly io: CliIo;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Hears the session's events from its very start on. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Asks the person; without it calls that are not allowed are refused. */
  readonly ask?: AskPerson;
  /** Ends the questions that are asked before the session is open. */
  readonly signal?: AbortSignal;
}

/** Opens a new session, or one to go on with. */
export async function openSession(options: SessionOptions, place: SessionPlace): Promise<AgentSession> {
  const { io, environment } = place;
  const { cwd, homeFolder } = io;
  const parts = await openExtensions(options, io);
  const flags = { model: options.model, policy: options.policy, context_window: options.window };
  const config = readConfig({ cwd, homeFolder, environment, flags, parts });
  const tokenizers = await createTokenizerLoader()(encodingsOf(config.policy.value, parts.kinds));
  const sessions = sessionStoreOf(cwd, config);
  const resumed = await resumedId(options, sessions);
  const models = await openModels(options.demo === true ? "demo" : "chosen", { config, environment });
  return await orClose(models, async () => {
    const tools = await openTools(options, config, place);
    const start = { config, parts, tokenizers, sessions, resumed, models, tools };
    return await orClose(tools, async () => await startSession(start, place));
  });
}

/** Closes the opened resource if the next step fails. */
async function orClose<T>(opened: { close(): Promise<void> }, next: () => Promise<T>): Promise<T> {
  try {
    return await next();
  } catch (error) {
    await opened.close();
    throw error;
  }
}

interface SessionStart {
  readonly config: EffectiveConfig;
  readonly parts: BenchParts;
  readonly tokenizers: NonNullable<AgentOptions["tokenizers"]>;
  readonly sessions: SessionStore;
  /** The session to go on with; `null` for a new one. */
  readonly resumed: string | null;
  readonly models: SessionModels;
  readonly tools: SessionTools;
}

async function startSession(start: SessionStart, place: SessionPlace): Promise<AgentSession> {
  const { config, parts, tokenizers, sessions, resumed, models, tools } = start;
  const { permissions } = tools;
  const policy = config.policy.value;
  const { request } = policy.summary;
  const spending = createSpending(models.pricesOf, typeof request === "string" ? null : request.cheaper.modelId);
  let modelBefore: string | null = null;
  if (resumed !== null)
    await sessions.read(resumed, (entry) => {
      tools.resume(resumed, entry);
      spending.add(entry);
      if (entry.type === "model-change" || entry.type === "usage") modelBefore = entry.modelId;
    });
  // Writes the system text of the agent, and a line for the person if the project's own AGENTS.md, which comes after it, is not read.
  const rules = readSmallFile(join(place.io.cwd, RULES_FILE), { within: place.io.cwd, maximumBytes: MAXIMUM_RULES_BYTES });
  const system = {
    text: [
      "You are a coding agent. You work in the person's folder with the tools given, and say briefly what you did.",
      "Output may be shortened and old output cleared; notices say with which handle recall gives it back.",
      ...(rules.kind === "text" ? [`The project's rules:\n${rules.text}`] : []),
    ].join("\n\n"),
    notices: rules.kind === "refused" ? [`${RULES_FILE} ${rules.why}: the model does not get it`] : [],
  };
  const agent = await startAgent(agentOptions(start, place, { spending, system: system.text }));
  return {
    ...{ agent, config, parts, policy, tokenizers, permissions },
    spending: spending.now,
    notices: sessionNotices(agent, permissions, {
      policy: `policy ${policy.name} (${config.policy.source})`,
      retired: config.policy.notes ?? [],
      window: models.first.windowLine,
      servers: [...system.notices, ...tools.serverLines],
      modelBefore,
    }),
    simulator: models.simulator,
    switchModel: async (reference) => {
      const to = await models.named(reference);
      await agent.switchModel(to.model);
      models.use(to.model);
      return to;
    },
    close: async () => {
      try {
        await agent.close();
      } finally {
        await tools.close();
        await models.close();
      }
    },
  };
}

function agentOptions(
  { config, parts, tokenizers, sessions, resumed, models, tools }: SessionStart,
  { io, onEvent }: SessionPlace,
  { spending, system }: { readonly spending: ReturnType<typeof createSpending>; readonly system: string },
): AgentOptions {
  const { max_steps } = config.settings;
  const sessionId = resumed ?? newSessionId(io.nowMs());
  return {
    session:
      resumed === null
        ? { kind: "new", sessionId, system, agent: { name: "plimsoll", version: plimsollVersion() } }
        : { kind: "resume", sessionId, system },
    sessions,
    model: models.first.model,
    policy: config.policy.value,
    kinds: parts.kinds,
    ...(models.summarizer === null ? {} : { summarizer: models.summarizer }),
    modelPriors,
    modelCosts,
    isBoundReasoning,
    tokenizers,
    tools: tools.tools,
    authorize: tools.permissions.authorize,
    artifacts: createFileArtifactStore(artifactsFolderOf(io.cwd)),
    nowMs: io.nowMs,
    stateOf: (id) => [tools.stateOf(id)],
    onEvent: (event) => {
      // Counted first: a listener of a usage event asks for the session's cost.
      const isOwn = event.sessionId === sessionId;
      if (isOwn && (event.type === "usage-update" || event.type === "compaction-end")) spending.add(event.entry);
      const isInVain = event.type === "summary-unused" || (event.type === "summary-prepared" && event.outcome === "failed");
      if (isOwn && isInVain && event.usage !== null) spending.addUnused(event.usage);
      onEvent?.(event);
    },
    ...(max_steps === undefined ? {} : { maxSteps: max_steps.value }),
  };
}

/** A project's own instructions have at most so many bytes: some 25,000 tokens (chosen). */
const MAXIMUM_RULES_BYTES = 100_000;
const RULES_FILE = "AGENTS.md";

interface SessionTools extends Pick<Awaited<ReturnType<typeof createBuiltinTools>>, "resume" | "stateOf"> {
  /** The built-in ones and the servers'; no result holds a key that this program knows. */
  readonly tools: readonly AgentTool[];
  readonly permissions: Permissions;
  /** A line for a person about each server. */
  readonly serverLines: readonly string[];
  close(): Promise<void>;
}

const CANCELLED: Authorization = { kind: "deny", why: "cancelled" };
const NEVER_ABORTED = new AbortController().signal;
const MS_PER_SECOND = 1_000;

/** Opens the built-in tools, then the servers that may be started. */
async function openTools(options: SessionOptions, config: EffectiveConfig, place: SessionPlace): Promise<SessionTools> {
  const { environment, ask, signal = NEVER_ABORTED } = place;
  const { cwd } = place.io;
  const { timeout_seconds, lint, hand_off, pass_env } = config.settings;
  const redactor = createRedactor(KEY_VARIABLES.map((name) => ({ name, value: environment[name] ?? "" })));
  const permissions = createPermissions((options.allow ?? []).map(parseRule), options.readOnly === true ? "read-only" : "ask");
  if (ask !== undefined) permissions.askThrough(ask);
  const builtin = await createBuiltinTools({
    workspaceFolder: cwd,
    env: environment,
    lintCommand: lint?.value ?? null,
    ...(hand_off?.value === true ? { context: ["remaining", "recall", "pin", "compact"] } : {}),
    ...(pass_env === undefined ? {} : { passEnv: pass_env.value.split(/[\s,]+/) }),
    ...(timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds.value * MS_PER_SECOND }),
  });
  const authorize = (call: PendingCall) => permissions.authorize(call, signal).catch((): Authorization => CANCELLED);
  const servers = await connectServers(config.mcpServers, { cwd, environment, authorize });
  const { tools, lines } = distinctTools(builtin.tools, servers.tools);
  return {
    tools: redactedTools(tools, redactor),
    permissions,
    serverLines: [...servers.lines, ...lines].map(redactor.text),
    resume: builtin.resume,
    stateOf: builtin.stateOf,
    close: async () => {
      builtin.close();
      await servers.close();
    },
  };
}

/** The tools, each name once: an agent refuses two of one name, and a server may not keep a session from opening. A line for each that is left out. */
export function distinctTools(
  builtin: readonly AgentTool[],
  added: readonly AgentTool[],
): { readonly tools: readonly AgentTool[]; readonly lines: readonly string[] } {
  const names = new Set(builtin.map(({ spec }) => spec.name));
  const tools = [...builtin];
  const lines: string[] = [];
  for (const tool of added) {
    const { name } = tool.spec;
    if (names.has(name)) lines.push(`mcp: a tool ${printable(name)} already exists; the server's is left out`);
    else tools.push(tool);
    names.add(name);
  }
  return { tools, lines };
}
