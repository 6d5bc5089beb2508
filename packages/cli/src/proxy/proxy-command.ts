import process from "node:process";
import { type ContextEvent, PlimsollError } from "@plimsoll/core";
import { BUILT_IN_KINDS } from "@plimsoll/core/extend";
import { createFileSessionStore } from "@plimsoll/core/node";
import type { ConversationLog, EventOrigin, TypedWord } from "@plimsoll/providers/proxy";
import { afterUndoWords, createProxyCompaction, wishAnswer } from "@plimsoll/providers/proxy";
import type { Command } from "commander";
import { type CliIo, EXIT_OK } from "../io.ts";
import { lineFor, printable } from "../terminal/printable.ts";
import { eventWords, placedLine } from "./event-words.ts";
import { createExchange } from "./exchange.ts";
import { exportLines } from "./export-lines.ts";
import { createModelSummaries } from "./model-summaries.ts";
import { createOwnRequests } from "./own-requests.ts";
import { boundReasoningOf, type GivenOptions, limitsBy, listenOn, placesOf, policyNamed, upstreamOf } from "./proxy-options.ts";
import { OWN_PATH, startProxyServer } from "./proxy-server.ts";
import { forgetLimits, learnedLimitLines, openProxyState } from "./proxy-state.ts";
import { conversationStatus, fullWords } from "./proxy-status.ts";
import { proxyStatus } from "./status-command.ts";
import { createUpstream } from "./upstream.ts";

/** Adds `plimsoll proxy`, which serves until it is interrupted. */
export function defineProxyCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .option("--upstream <url>", "the server to pass requests on to, as https://api.anthropic.com")
    .option("--policy <policy>", "a preset's name or a YAML file", "plimsoll")
    .option("--window <tokens>", "context window of every model; default: the catalogue's for each")
    .option("-p, --port <port>", "port to listen on, 0 for a free one", "8585")
    .option("--any-host <address>", "listen on this address instead of 127.0.0.1; others may reach it")
    .option("--state <folder>", "folder for state; default: ~/.plimsoll/proxy")
    .option("--record <folder>", "keep conversations as sessions for `plimsoll bench`")
    .option("--keep <days>", "days that unused conversations are kept; default: 2, recorded ones 30")
    .option("--bound-reasoning <choice>", "thinking that a cut makes invalid: leaves (is removed), or vendor-drops", "leaves")
    .option("--read-only", "mend nothing: pass on a malformed history as it is")
    .action(async (options: GivenOptions) => {
      const controller = new AbortController();
      process.once("SIGINT", () => controller.abort());
      process.once("SIGTERM", () => controller.abort());
      onExit(await proxy(options, io, controller.signal));
    });
  command
    .command("limits")
    .description("show the model limits learned from refusals, or forget them")
    .option("--delete <model>", "forget the limits of a model, or of all models")
    .option("--state <folder>", "folder for state; default: ~/.plimsoll/proxy")
    // Options that the command above has too are read there.
    .action(async (_own: KeptOptions, command: Command) => onExit(await manageLimits(command.optsWithGlobals(), io)));
  command
    .command("status")
    .description("show what a running proxy does; preview, undo or pause compactions; forget learned limits")
    .argument("[action]", "preview, undo, pause, resume or forget")
    .argument("[name]", "a conversation's id; for forget, a model, or all")
    .option("--state <folder>", "folder for state; default: ~/.plimsoll/proxy")
    .action(async (action: string | undefined, name: string | undefined, _own: KeptOptions, command: Command) => {
      const { state } = command.optsWithGlobals<KeptOptions>();
      const given = { ...(state === undefined ? {} : { state }), ...(action === undefined ? {} : { action }) };
      onExit(await proxyStatus({ ...given, ...(name === undefined ? {} : { name }) }, io));
    });
  command
    .command("sessions")
    .description("list kept conversations, or delete one or all of them")
    .option("--delete <id>", "delete a conversation, or all of them")
    .option("--state <folder>", "folder for state; default: ~/.plimsoll/proxy")
    .option("--record <folder>", "folder for recorded conversations")
    .action(async (_own: KeptOptions, command: Command) => onExit(await manageSessions(command.optsWithGlobals(), io)));
}

/** Tells which events are news: that no cut is made is told once, until one is. */
function createNews(): (event: ContextEvent, of: EventOrigin) => boolean {
  const waiting = new Set<string>();
  return ({ type }, { sessionId }) => {
    const isAgain = type === "compaction-cancelled" && waiting.has(sessionId);
    if (type === "compaction-cancelled") waiting.add(sessionId);
    if (type === "compaction-end") waiting.delete(sessionId);
    return !isAgain;
  };
}

/** Shows what refusals taught of models' windows, or forgets it. */
async function manageLimits({ state, delete: chosen }: KeptOptions, io: CliIo): Promise<number> {
  const { folder } = placesOf({ ...(state === undefined ? {} : { state }) }, io);
  if (chosen !== undefined) {
    const model = chosen === "all" ? null : chosen;
    const count = await forgetLimits(folder, model, io.nowMs());
    if (count === 0)
      throw new PlimsollError("bad-input", `--delete: nothing was learned${model === null ? "" : ` of ${model}`}`);
    io.stdout.write("forgotten; a proxy that runs forgets when it is started again\n");
    return EXIT_OK;
  }
  const lines = await learnedLimitLines(folder, io.nowMs());
  for (const line of lines) io.stdout.write(`${printable(line)}\n`);
  if (lines.length === 0) io.stdout.write("no limit was learned\n");
  return EXIT_OK;
}

/** Options that show or remove parts of a proxy's state. */
interface KeptOptions extends Pick<GivenOptions, "state" | "record"> {
  readonly delete?: string;
}

const DAY_MS = 86_400_000;

/** Serves until the signal aborts. The first lines say what to export, every further one what was compacted or went wrong; none holds content. */
export async function proxy(options: GivenOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  const upstream = createUpstream(upstreamOf(options.upstream));
  const listen = listenOn(options);
  const policy = policyNamed(options.policy, io.cwd, BUILT_IN_KINDS);
  const limits = limitsBy(options.window, policy);
  const boundReasoning = boundReasoningOf(options.boundReasoning);
  const places = placesOf(options, io);
  const say = (line: string) => void io.stdout.write(lineFor(io.stdout, printable(line)));
  const { nowMs } = io;
  const onProblem = (line: string, of?: EventOrigin) => say(placedLine(`problem: ${line}`, of ?? null, nowMs()));
  const onLimit = (line: string) => say(placedLine(line, null, nowMs()));
  const isNews = createNews();
  const removeBeforeMs = nowMs() - places.keepDays * DAY_MS;
  const windows = options.window === undefined ? "known" : "stated";
  const state = await openProxyState({ ...places, removeBeforeMs, onProblem, nowMs, windows, onLimit });
  try {
    const { sessions, keys, learned } = state;
    const summaries = createModelSummaries(upstream);
    const onEvent = (event: ContextEvent, of: EventOrigin) => {
      const words = isNews(event, of) ? eventWords(event) : null;
      if (words !== null) say(placedLine(words, of, nowMs()));
    };
    const onTyped = (word: TypedWord, { sessionId, entries }: ConversationLog) => {
      const of = compaction.conversations().find((each) => each.sessionId === sessionId);
      const status = of === undefined ? "No model was asked in it yet." : `${fullWords(conversationStatus(of, policy))}.`;
      const undo = async () => {
        await compaction.undo(sessionId);
        const line = "the last cut was undone, as the person typed";
        say(placedLine(line, of ?? { sessionId, modelId: null }, nowMs()));
        return afterUndoWords(compaction.conversations().find((each) => each.sessionId === sessionId));
      };
      return wishAnswer(word, { entries, status, undo });
    };
    const { summarizer } = summaries;
    const compaction = createProxyCompaction({
      policy,
      limits,
      sessions,
      keys,
      learned,
      summarizer,
      boundReasoning,
      nowMs,
      onEvent,
      onTyped,
      onProblem,
      mending: options.readOnly === true ? "off" : "on",
    });
    const others = createExchange({ upstream, compaction, policy, onProblem, withRequest: summaries.withRequest });
    const own = { upstream: upstream.name, policy, compaction, sessions, folder: places.folder, nowMs, say };
    const server = await startProxyServer({ ...listen, token: state.token, answer: createOwnRequests(own, others) });
    state.listensAt(server.url);
    say(`plimsoll proxy for ${upstream.name}, policy ${policy.name}`);
    io.stdout.write(
      `${exportLines(server.url)}\n# What it does: look, undo, pause (or: plimsoll proxy status)\n${server.url}${OWN_PATH}\n`,
    );
    await new Promise<void>((done) => {
      if (signal.aborted) done();
      else signal.addEventListener("abort", () => done(), { once: true });
    });
    await server.close();
    await compaction.close();
    upstream.close();
    return EXIT_OK;
  } finally {
    await state.close();
  }
}

/** Lists or deletes what is kept. */
async function manageSessions(options: KeptOptions, io: CliIo): Promise<number> {
  const store = createFileSessionStore({ folder: placesOf(options, io).logs });
  const all = await store.list();
  if (options.delete !== undefined) {
    const chosen = options.delete === "all" ? all : all.filter(({ sessionId }) => sessionId === options.delete);
    if (chosen.length === 0) throw new PlimsollError("bad-input", `--delete ${options.delete}: there is no such conversation`);
    for (const { sessionId } of chosen) await store.delete(sessionId);
    io.stdout.write(`deleted: ${chosen.length}\n`);
    return EXIT_OK;
  }
  for (const { sessionId, updatedMs, bytes, title } of all)
    io.stdout.write(
      `${sessionId}  ${updatedMs === null ? "?" : new Date(updatedMs).toISOString()}  ${bytes} bytes  ${printable(title ?? "")}\n`,
    );
  return EXIT_OK;
}
