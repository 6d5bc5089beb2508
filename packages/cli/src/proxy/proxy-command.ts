import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import { formatTokens } from "@plimsoll/bench/extend";
import { type CliIo, EXIT_FAILED, EXIT_OK, programOf, say, wholeNumber } from "@plimsoll/bench/terminal";
import type { ContextEvent, ModelReply, ModelRequest, Summarizer } from "@plimsoll/core";
import { createModelSummarizer, isPlimsollError, PlimsollError } from "@plimsoll/core";
import { BUILT_IN_KINDS, isRecord, jsonIn, suggestion } from "@plimsoll/core/extend";
import type { EventOrigin } from "@plimsoll/providers/proxy";
import { afterUndoWords, createProxyCompaction, summaryQuestion, wireAt, wishAnswer } from "@plimsoll/providers/proxy";
import { unpackWhole } from "@plimsoll/providers/unpack";
import { createFileSessionStore, readSmallFile } from "@plimsoll/stores";
import { type Command, Option } from "commander";
import { aborted, untilTold } from "../io.ts";
import { contextWords, vendorsWords } from "../run/event-lines.ts";
import { bodyOf, createExchange, type ExchangeOptions, MAXIMUM_BODY_BYTES, type SentRequest, textOf } from "./exchange.ts";
import { withBetas, without } from "./headers.ts";
import { createOwnRequests } from "./own-requests.ts";
import { countingPolicy, type GivenOptions, limitsBy, type Places, placesOf, upstreamOf } from "./proxy-options.ts";
import { OWN_PATH, startProxyServer } from "./proxy-server.ts";
import { ADDRESS_FILE, forgotten, learnedLimitLines, openProxyState, storedLines } from "./proxy-state.ts";
import { conversationStatus, fullWords, keptLines, shortId } from "./proxy-status.ts";
import { createUpstream, type Upstream } from "./upstream.ts";

/** Adds `plimsoll proxy`, which serves until it is interrupted. */
export function defineProxyCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .option("--upstream <url>", "the server to forward requests to, such as https://api.anthropic.com")
    .option("--policy <policy>", "a preset's name or a YAML file", "plimsoll")
    .option("--window <tokens>", "context window of every model; default: the agent's own where known, else the catalogue's")
    .option("-p, --port <port>", "port to listen on, 0 for a free one", "8585")
    .option("--any-host <address>", "an address to listen on instead of 127.0.0.1, such as 0.0.0.0; others may reach it")
    .option("--state <folder>", "folder for state; default: ~/.plimsoll/proxy")
    .option("--record <folder>", "keep conversations as sessions for `plimsoll bench`")
    .option("--keep <days>", "days that unused conversations are kept; default: 2, recorded ones 30")
    .addOption(
      new Option(
        "--bound-reasoning <choice>",
        "thinking that a cut makes invalid: leaves (the proxy removes it), or vendor-drops (the vendor does)",
      )
        .choices(["leaves", "vendor-drops"])
        .default("leaves"),
    )
    .option("--read-only", "repair nothing: pass malformed histories on unchanged")
    .allowExcessArguments()
    .action(async (options: GivenOptions, { args: [word] }: Command) => {
      if (word !== undefined) throw new PlimsollError("bad-input", `proxy has no command ${word}: ${ending(io)}`);
      onExit(await untilTold((signal) => proxy(options, io, signal)));
    });
  command
    .command("status")
    .description(
      "show a running proxy's activity and data; preview, undo or pause compactions; forget limits; delete conversations",
    )
    .argument("[action]", "preview, undo, pause, resume, forget or delete")
    .argument("[name]", "a conversation's id; for forget, a model; for forget and delete, all")
    .option("--state <folder>", "folder for state; default: ~/.plimsoll/proxy")
    .option("--record <folder>", "folder for recorded conversations")
    // Options that the command above has too are read there.
    .action(async (action: string | undefined, name: string | undefined, _own: object, command: Command) => {
      onExit(await proxyStatus({ ...command.optsWithGlobals<StatusOptions>(), action, name }, io));
    });
}

/** How a person stops the proxy, after a word that it does not know. */
const ending = (io: CliIo) =>
  `${programOf(io)} proxy --upstream URL starts one, Ctrl-C in its terminal ends it, ${programOf(io)} proxy status shows it`;

/** Finds the events that are news: that no cut is made is printed once, until one is. */
function createNews(): (event: ContextEvent, of: EventOrigin) => boolean {
  const waiting = new Set<string>();
  return ({ type }, { sessionId }) => {
    const isAgain = type === "compaction-cancelled" && waiting.has(sessionId);
    if (type === "compaction-cancelled") waiting.add(sessionId);
    if (type === "compaction-end") waiting.delete(sessionId);
    return !isAgain;
  };
}

/** One line of the terminal: time, conversation, model and text; `of` is `null` for a line about no conversation. */
function placedLine(text: string, of: EventOrigin | null, nowMs: number): string {
  const place = of === null ? [] : [shortId(of.sessionId), of.modelId ?? "no model named"];
  return [new Date(nowMs).toTimeString().slice(0, "12:00:00".length), ...place, text].join("  ");
}

/** Words an event of a conversation under the proxy; `null` for events that a person need not know. */
function eventWords(event: ContextEvent): string | null {
  if (event.type === "compaction-cancelled")
    return `no cut (${event.reason}): ${event.why === "paused" ? "cuts are paused" : "the last cut was undone"}`;
  if (event.type === "summary-prepared" && event.outcome === "failed") return "a summary prepared in advance failed";
  return event.type === "session-repaired" ? null : contextWords(event, "set the window with --window");
}

const DAY_MS = 86_400_000;

/** Serves until the signal aborts. The first lines say which variables to export, every further one reports a compaction or a problem; none holds content. */
export async function proxy(options: GivenOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  const address = upstreamOf(options.upstream);
  const listen = { host: options.anyHost ?? "127.0.0.1", port: wholeNumber("--port", options.port, [0, 65_535]) };
  const policy = countingPolicy(options.policy, io, BUILT_IN_KINDS);
  const { nowMs, stdout } = io;
  const tellOf = (line: string, of: EventOrigin | null = null) => say(stdout, placedLine(line, of, nowMs()));
  const onProblem = (line: string, of?: EventOrigin) => tellOf(`problem: ${line}`, of);
  const upstream = createUpstream(address, onProblem, nowMs);
  const isNews = createNews();
  const places = placesOf(options, io);
  const windowOf = limitsBy(options.window, policy);
  const state = await openProxyState({
    ...places,
    removeBeforeMs: nowMs() - places.keepDays * DAY_MS,
    onProblem,
    nowMs,
    windows: options.window === undefined ? "known" : "stated",
    onLimit: (line) => tellOf(line),
  });
  try {
    const { sessions, keys, learned } = state;
    const { summarizer, compact, withRequest, caller } = createModelSummaries(upstream);
    const told = new Set<string>();
    const limitsOf = (modelId: string) => {
      const { limits, from } = windowOf(modelId, caller() ?? "");
      const size = limits.contextWindowTokens === null ? "" : `${formatTokens(limits.contextWindowTokens)}, `;
      const line = `window of ${modelId}: ${size}${from}; --window sets another`;
      if (options.window === undefined && modelId !== "" && caller() !== null && !told.has(line)) tellOf(line);
      told.add(line);
      return limits;
    };
    const found = (sessionId: string) => compaction.conversations().find((each) => each.sessionId === sessionId);
    const compaction = createProxyCompaction({
      ...{ policy, limitsOf, sessions, keys, learned, summarizer, compact, nowMs, onProblem },
      boundReasoning: options.boundReasoning ?? "leaves",
      mending: options.readOnly === true ? "off" : "on",
      onEvent: (event, of) => {
        const words = isNews(event, of) ? eventWords(event) : null;
        if (words !== null) tellOf(words, of);
      },
      onVendors: (named) => tellOf(vendorsWords(named)),
      onTyped: (word, { sessionId, entries }) => {
        const of = found(sessionId);
        const status = of === undefined ? "It has no model request yet." : `${fullWords(conversationStatus(of, policy))}.`;
        const undo = async () => {
          await compaction.undo(sessionId);
          tellOf("the last cut was undone, at the person's request", of ?? { sessionId, modelId: null });
          return afterUndoWords(found(sessionId));
        };
        return wishAnswer(word, { entries, status, undo });
      },
    });
    const others = createExchange({ upstream, compaction, policy, onProblem, withRequest });
    const own = { upstream, policy, compaction, sessions, folder: places.folder, nowMs, say: tellOf };
    const server = await startProxyServer({ ...listen, token: state.token, answer: createOwnRequests(own, others) });
    state.listensAt(server.url);
    const window =
      options.window === undefined ? "taken from the model, shown at its first request" : `${options.window} by --window`;
    say(stdout, `plimsoll proxy for ${upstream.name}, policy ${policy.name}`, `window: ${window}`);
    stdout.write(
      `${agentLines(address.hostname, server.url)}\n# The token stays the same at the next start. Ctrl-C ends the proxy; conversations stay in\n# ${places.logs} for ${places.keepDays} days\n# Status, undo, pause (or: plimsoll proxy status)\n${server.url}${OWN_PATH}\n`,
    );
    await aborted(signal);
    say(stdout, "plimsoll proxy ended; to ask the vendor directly, take the line above out of your agent's start or settings");
    await server.close();
    await compaction.close().finally(upstream.close);
    return EXIT_OK;
  } finally {
    await state.close();
  }
}

/** By agent and the vendor that it asks (`null` for any) the lines that its user exports, so that it asks the proxy. */
const AGENTS: readonly (readonly [agent: string, vendor: string | null, lines: (url: string) => string])[] = [
  ["Claude Code", "anthropic.com", (url) => `export ANTHROPIC_BASE_URL=${url}`],
  [
    "Codex (needs an API key; signing in with ChatGPT does not work)",
    "openai.com",
    (url) =>
      `codex -c 'model_provider="plimsoll"' -c 'model_providers.plimsoll={name="plimsoll",base_url="${url}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}'
# Codex for good, in ~/.codex/config.toml: the first line above the first [table], the others at the end.
# Codex then fails while no proxy runs; to undo, remove these lines
model_provider = "plimsoll"
[model_providers.plimsoll]
name = "plimsoll"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"`,
  ],
  [
    "Gemini CLI (needs an API key; signing in with Google does not work)",
    "googleapis.com",
    (url) => `export GOOGLE_GEMINI_BASE_URL=${url}`,
  ],
  ["Qwen Code and others that take OpenAI's variables", "openai.com", (url) => `export OPENAI_BASE_URL=${url}/v1`],
  ["OpenCode: provider.NAME.options.baseURL in opencode.json", null, (url) => `${url}/v1`],
  ["pi: providers.NAME.baseUrl in models.json, Anthropic's without /v1", null, (url) => `${url}/v1`],
];

/** The lines of the agents that ask this upstream's vendor; of all if its vendor is not known. */
function agentLines(host: string, url: string): string {
  const isOf = (vendor: string | null) => vendor !== null && `.${host}`.endsWith(`.${vendor}`);
  const isKnown = AGENTS.some(([, vendor]) => isOf(vendor));
  const shown = AGENTS.filter(([, vendor]) => !isKnown || vendor === null || isOf(vendor));
  return shown.map(([agent, , lines]) => `# ${agent}\n${lines(url)}`).join("\n");
}

const BODY_HEADERS = ["content-length", "content-encoding", "accept-encoding", "accept"];

type Question = Omit<SentRequest, "headers"> & { readonly betas?: readonly string[] };

/** A conversation outlives its requests, and their credentials may not: they are there for as long as the request is being fitted, and nowhere else. */
function createModelSummaries(upstream: Upstream): {
  readonly summarizer: Summarizer;
  readonly compact: NonNullable<Parameters<typeof createProxyCompaction>[0]["compact"]>;
  readonly withRequest: ExchangeOptions["withRequest"];
  /** The `user-agent` of the request that is being fitted; `null` if none is. */
  readonly caller: () => string | null;
} {
  const fitting = new AsyncLocalStorage<SentRequest>();
  const asked = async ({ headers: own }: SentRequest, question: Question, signal: AbortSignal): Promise<string> => {
    const { target, bodyText, betas = [] } = question;
    const body = Buffer.from(bodyText, "utf8");
    const headers = [...without(withBetas(own, betas), BODY_HEADERS), ["content-length", String(body.length)] as const];
    const answer = await upstream.send({ method: "POST", target, headers, body, signal });
    const bytes = await bodyOf(answer);
    if (bytes === null) throw new PlimsollError("summary-failed", "the summary's answer is too large");
    const text = textOf(await unpackWhole(bytes, answer.headers["content-encoding"], MAXIMUM_BODY_BYTES));
    if (answer.statusCode !== 200 || text === null)
      throw new PlimsollError("summary-failed", `the upstream answered ${answer.statusCode ?? 0} to the request for a summary`);
    return text;
  };
  const sentNow = (): SentRequest => {
    const sent = fitting.getStore();
    if (sent === undefined) throw new PlimsollError("summary-failed", "no request is being fitted");
    return sent;
  };
  const complete = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    const sent = sentNow();
    const question = summaryQuestion(sent.target, sent.bodyText, request);
    if (question === null) throw new PlimsollError("summary-failed", "no summary can be asked for at this path");
    return question.replyIn(await asked(sent, question, signal));
  };
  const client = {
    complete,
    stream: () => {
      throw new Error("summaries are asked for whole");
    },
  };
  return {
    withRequest: (sent, work) => fitting.run(sent, work),
    caller: () => {
      const sent = fitting.getStore();
      if (sent === undefined) return null;
      return sent.headers.find(([name]) => name.toLowerCase() === "user-agent")?.[1] ?? "";
    },
    compact: async ({ path, body, betas }, signal) => {
      const sent = sentNow();
      const [, query] = sent.target.split("?");
      const target = query === undefined ? path : `${path}?${query}`;
      return jsonIn(await asked(sent, { target, bodyText: JSON.stringify(body), betas }, signal));
    },
    summarizer: (request, signal) => {
      const sent = fitting.getStore();
      const path = sent?.target.split("?")[0] ?? "";
      const body = jsonIn(sent?.bodyText ?? "");
      const modelId = wireAt(path)?.factsOf(isRecord(body) ? body : {}, path).modelId ?? "";
      // The history is asked about as text: tools and prefix of the conversation are the program's.
      const { conversation: _, ...fenced } = request;
      return createModelSummarizer(client, { modelId })(fenced, signal);
    },
  };
}

/** The action that a person typed, and the id or model that it is about. */
export interface StatusOptions extends Pick<GivenOptions, "state" | "record"> {
  readonly action?: string | undefined;
  readonly name?: string | undefined;
}

/** Actions of `plimsoll proxy status`. The last two need no running proxy. */
const ACTIONS: readonly string[] = ["preview", "undo", "pause", "resume", "forget", "delete"];

/** Prints a running proxy's state and its files (fails if none runs), or acts. Throws `bad-input` if an action needs a proxy and none runs on the state. */
export async function proxyStatus({ action, name, ...given }: StatusOptions, io: CliIo): Promise<number> {
  const { folder, logs } = placesOf(given, io);
  if (action !== undefined && !ACTIONS.includes(action)) {
    const known = suggestion(action, ACTIONS).replace(/^known: (.*)$/, "it can $1; Ctrl-C in its terminal ends the proxy");
    throw new PlimsollError("bad-input", `status cannot ${action}: ${known}`);
  }
  switch (action) {
    case undefined:
      try {
        say(io.stdout, ...(await answerOf(folder, io)));
      } catch (error) {
        say(io.stdout, ...(await keptIn({ folder, logs }, error, io.nowMs())));
        return EXIT_FAILED;
      }
      break;
    case "forget":
      say(io.stdout, await forgotten(folder, name ?? "all", io.nowMs()));
      break;
    case "delete":
      say(io.stdout, await deleted(logs, name));
      break;
    default:
      say(io.stdout, ...(await answerOf(folder, io, name === undefined ? [action] : [action, name])));
  }
  return EXIT_OK;
}

/** Lists the files on the disk, below the reason why no proxy lists them. */
async function keptIn(
  { folder, logs }: Pick<Places, "folder" | "logs">,
  why: unknown,
  nowMs: number,
): Promise<readonly string[]> {
  if (!isPlimsollError(why)) throw why;
  const stored = await storedLines(createFileSessionStore({ folder: logs }));
  return [why.message, ...keptLines({ stored, limits: await learnedLimitLines(folder, nowMs) })];
}

/** Deletes kept conversations by their whole or short id, or all of them. */
async function deleted(logs: string, id: string | undefined): Promise<string> {
  if (id === undefined) throw new PlimsollError("bad-input", "delete: name a conversation by its id, or all");
  const store = createFileSessionStore({ folder: logs });
  const all = await store.list();
  const chosen = id === "all" ? all : all.filter(({ sessionId }) => sessionId === id || shortId(sessionId) === id);
  if (id === "all" && chosen.length === 0) return `nothing to delete in ${logs}`;
  if (chosen.length === 0) throw new PlimsollError("bad-input", `delete ${id}: there is no such conversation in ${logs}`);
  if (id !== "all" && chosen.length > 1)
    throw new PlimsollError("bad-input", `delete ${id}: ${chosen.length} conversation ids end like this: give the whole id`);
  for (const { sessionId } of chosen) await store.delete(sessionId);
  return `deleted: ${chosen.length}`;
}

/** An address is one line. Chosen. */
const MAXIMUM_ADDRESS_BYTES = 1_000;

async function answerOf(folder: string, io: CliIo, [action, id]: readonly string[] = []): Promise<readonly string[]> {
  const found = readSmallFile(join(folder, ADDRESS_FILE), { within: folder, maximumBytes: MAXIMUM_ADDRESS_BYTES });
  const url = found.kind === "text" ? found.text.trim() : "";
  if (!/^http:\/\/[^\s/]+\/[\w-]+$/.test(url))
    throw new PlimsollError("bad-input", `no proxy runs on ${folder}: start one with ${programOf(io)} proxy --upstream URL`);
  const form = new URLSearchParams(action === undefined || id === undefined ? {} : { id });
  const isLook = action === undefined || action === "preview";
  const at = `${url}${OWN_PATH}/${action ?? "status"}${isLook ? `?${form}` : ""}`;
  const headers = { accept: "text/plain" };
  const answer = await fetch(at, isLook ? { headers } : { method: "POST", headers, body: form }).catch((error: unknown) => {
    const why = "the proxy does not answer: it may have ended without removing its address";
    throw new PlimsollError("bad-input", why, {}, error);
  });
  const text = (await answer.text()).trimEnd();
  if (!answer.ok) throw new PlimsollError("bad-input", text);
  const [first = "", ...further] = text.split("\n");
  return [first, ...(action === undefined ? [`page: ${url}${OWN_PATH}`] : []), ...further];
}
