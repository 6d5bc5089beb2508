import process from "node:process";
import { type CliIo, EXIT_OK, messageOf, say } from "@plimsoll/bench/terminal";
import { isPlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import type { Command } from "commander";
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { z } from "zod";
import { untilTold } from "../io.ts";
import type { AskPerson } from "../permission/permissions.ts";
import { type AgentSession, openSession } from "../run/open-session.ts";
import { type SessionOptions, withSessionOptions } from "../run/session-options.ts";

/** Adds `plimsoll serve`: a session for editors and other programs, over standard input and output. */
export function defineServeCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  withSessionOptions(command).action(async (options: SessionOptions) => {
    await untilTold(async (ended) => {
      const session = await openSession(options, { io, environment: process.env });
      // The output belongs to the protocol.
      say(io.stderr, ...session.notices);
      try {
        await serveConnection(session, { input: process.stdin, output: process.stdout, ended });
      } finally {
        // An input that is still open would keep the process alive.
        await session.close().finally(() => process.stdin.destroy());
      }
    });
    onExit(EXIT_OK);
  });
}

/** The streams of a connection. */
export interface ConnectionStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Aborts on a signal to end the process. */
  readonly ended: AbortSignal;
}

const submitParams = z.object({ text: z.string().min(1) });
const compactParams = z.object({
  session_id: z.string().optional(),
  keep_recent: z.int().nonnegative().optional(),
  focus: z.string().optional(),
});
const recallParams = z.object({
  handle: z.string(),
  start: z.int().nonnegative().default(0),
  length: z.int().positive().default(4000),
});

const answerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["once", "always"]) }),
  z.object({ kind: z.literal("no"), words: z.string().nullable().default(null) }),
]);

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
/** First code that is free for servers: an error of ours, whose own code is in `data`. */
const SESSION_ERROR = -32_000;

/**
 * Serves a session until the other side closes. Requests: agent/state, agent/submit, agent/steer, agent/cancel, session/compact {session_id?,
 * keep_recent? in tokens, focus?}, session/undo, session/context, session/entries, session/recall. Every event comes as the notification
 * `agent/event`. Before a call that is not allowed runs, the other side is asked `agent/authorize`; without an answer that allows it, it does not
 * run. A request that cannot be done is answered with an error; other input is passed over, and the session goes on.
 */
export async function serveConnection(
  { agent, permissions }: AgentSession,
  { input, output, ended }: ConnectionStreams,
): Promise<void> {
  const connection = createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
  const on = (method: string, handle: (params: unknown) => unknown) => {
    connection.onRequest(method, async (params: unknown) => {
      try {
        return (await handle(params)) ?? null;
      } catch (error) {
        throw asResponse(error);
      }
    });
  };
  on("agent/state", () => agent.state());
  on("agent/submit", (params) => agent.submit(submitParams.parse(params).text));
  on("agent/steer", (params) => agent.steer(submitParams.parse(params).text));
  on("agent/cancel", () => agent.cancel());
  on("session/compact", (params) => {
    const { session_id, keep_recent, focus = null } = compactParams.parse(params ?? {});
    if (session_id !== undefined && session_id !== agent.sessionId)
      throw new ResponseError(INVALID_PARAMS, `this connection has the session ${agent.sessionId}`);
    return agent.compact({ keep: keep_recent === undefined ? null : { tokens: keep_recent }, focus });
  });
  on("session/undo", () => agent.undo());
  on("session/context", () => agent.context());
  on("session/entries", () => agent.entries());
  on("session/recall", (params) => {
    const { handle, start, length } = recallParams.parse(params);
    return agent.recall(handle, { startChar: start, maximumChars: length });
  });
  permissions.askThrough(askOver(connection));
  const leave = agent.subscribe((event) => void connection.sendNotification("agent/event", event).catch(() => undefined));
  // Input that is no message is the other side's fault, and nothing that could be answered.
  connection.onError(() => undefined);
  connection.listen();
  await new Promise<void>((resolve) => {
    connection.onClose(() => resolve());
    input.once("end", () => resolve());
    input.once("close", () => resolve());
    ended.addEventListener("abort", () => resolve(), { once: true });
  });
  leave();
  connection.dispose();
}

/** Asks the other side. Rejects with its error, for an answer that is none, and once the connection is gone. */
function askOver(connection: MessageConnection): AskPerson {
  return async (call, signal) => {
    const source = new CancellationTokenSource();
    const cancel = () => source.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return answerSchema.parse(await connection.sendRequest("agent/authorize", call, source.token));
    } finally {
      signal.removeEventListener("abort", cancel);
      source.dispose();
    }
  };
}

function asResponse(error: unknown): unknown {
  if (error instanceof ResponseError) return error;
  if (error instanceof z.ZodError) return new ResponseError(INVALID_PARAMS, error.issues.map(issueLine).join("; "));
  if (!isPlimsollError(error)) return new ResponseError(INTERNAL_ERROR, messageOf(error));
  return new ResponseError(SESSION_ERROR, error.message, {
    code: error.code,
    ...(isRecord(error.details) ? error.details : {}),
  });
}

function issueLine({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
}
