import type { IncomingMessage, ServerResponse } from "node:http";
import { isPlimsollError, PlimsollError, type Policy, type SessionStore } from "@plimsoll/core";
import type { JsonObject } from "@plimsoll/core/extend";
import { afterUndoWords, type ProxyCompaction, type ProxyConversation, parseRecord } from "@plimsoll/providers/proxy";
import { MAXIMUM_BODY_BYTES } from "./content-coding.ts";
import { placedLine, shortId } from "./event-words.ts";
import { bodyOf } from "./exchange.ts";
import { type Answer, isLoopback, OWN_PATH } from "./proxy-server.ts";
import { forgetLimits, learnedLimitLines } from "./proxy-state.ts";
import { conversationStatus, type ProxyStatus, previewOf } from "./proxy-status.ts";
import { previewPage, statusPage } from "./status-page.ts";

/** The parts of a proxy that it tells of, and that a person may change. */
export interface OwnRequestsOptions {
  readonly upstream: string;
  readonly policy: Policy;
  readonly compaction: ProxyCompaction;
  readonly sessions: SessionStore;
  /** Where learned limits are kept. */
  readonly folder: string;
  readonly nowMs: () => number;
  /** Told in one line what was done. */
  readonly say: (line: string) => void;
}

/** Answers what is asked of the proxy itself: its page, its status, and `POST /compact`. Everything else goes on to `others`. */
export function createOwnRequests(options: OwnRequestsOptions, others: Answer): Answer {
  return async (request, response, target) => {
    const { pathname, searchParams } = new URL(target, "http://proxy");
    const isOwn = pathname === OWN_PATH || pathname.startsWith(`${OWN_PATH}/`);
    const isCompact = pathname === "/compact" || pathname === "/compact/recall";
    if (!isOwn && !isCompact) return await others(request, response, target);
    const asked: Asked = { request, response, pathname, parameters: searchParams };
    try {
      if (isCompact) await compacted(asked, options);
      else if (!isLoopback(addressOf(request)))
        throw new PlimsollError("bad-input", "the proxy tells of itself on its own machine alone");
      else if (request.method === "POST") await done(asked, options);
      else await told(asked, options);
    } catch (error) {
      if (!isPlimsollError(error)) throw error;
      const status = error.code === "bad-input" ? 400 : 422;
      sendJson(response, status, { error: { code: error.code, message: error.message } });
    }
  };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pathname: string;
  readonly parameters: URLSearchParams;
}

function addressOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
}

async function compacted({ request, response, pathname }: Asked, { compaction }: OwnRequestsOptions): Promise<void> {
  const body = request.method === "POST" ? await bodyOf(request) : null;
  const fields = body === null ? null : parseRecord(body.toString("utf8"));
  if (fields === null)
    throw new PlimsollError("bad-input", `${pathname} takes a POST of one JSON object of at most ${MAXIMUM_BODY_BYTES} bytes`);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answer = pathname === "/compact" ? await compaction.compact(fields, gone.signal) : await compaction.recall(fields);
  sendJson(response, 200, answer);
}

async function told({ response, pathname, parameters }: Asked, options: OwnRequestsOptions): Promise<void> {
  const { compaction, policy } = options;
  switch (pathname.slice(OWN_PATH.length)) {
    case "":
      return sendPage(response, statusPage(await statusOf(options)));
    case "/status":
      return sendJson(response, 200, { ...(await statusOf(options)) });
    case "/preview": {
      const preview = await previewOf(named(compaction, parameters.get("id")), policy, new AbortController().signal);
      return parameters.get("form") === "json"
        ? sendJson(response, 200, { ...preview })
        : sendPage(response, previewPage(preview));
    }
    default:
      throw new PlimsollError("bad-input", `the proxy has no page ${pathname}`);
  }
}

/** Does what a person pressed or typed; a browser is led back to the page. */
async function done({ request, response, pathname }: Asked, options: OwnRequestsOptions): Promise<void> {
  const { compaction, folder, nowMs, say } = options;
  const given = new URLSearchParams((await bodyOf(request, MAXIMUM_FORM_BYTES))?.toString("utf8") ?? "");
  const id = given.get("id") ?? "";
  const of = id === "" ? null : named(compaction, id);
  const action = pathname.slice(OWN_PATH.length + 1);
  switch (action) {
    case "undo":
      if (of === null) throw new PlimsollError("bad-input", "undo: name a conversation by its id");
      await compaction.undo(of.sessionId);
      break;
    case "pause":
    case "resume":
      compaction.pause(of?.sessionId ?? null, action === "pause" ? "paused" : "running");
      break;
    case "forget": {
      const model = given.get("model") ?? "all";
      if ((await forgetLimits(folder, model === "all" ? null : model, nowMs())) === 0)
        throw new PlimsollError("bad-input", model === "all" ? "no limit was learned" : `no limit was learned of ${model}`);
      break;
    }
    default:
      throw new PlimsollError("bad-input", `the proxy cannot ${action}`);
  }
  const undone = action === "undo" ? compaction.conversations().find(({ sessionId }) => sessionId === of?.sessionId) : null;
  const line = undone === null ? DONE[action] : `${DONE[action]}: ${afterUndoWords(undone)}`;
  say(placedLine(line, of, nowMs()));
  if (request.headers.accept?.includes("json") === true) return sendJson(response, 200, { done: line });
  response.writeHead(303, { location: `..${OWN_PATH}` }).end();
}

const DONE = {
  undo: "the last cut was undone",
  pause: "cuts are paused: what does not fit is refused by the vendor",
  resume: "cuts are made again",
  forget: "learned limits were forgotten",
} as const;

/** A form has an id or a model's name. Chosen. */
const MAXIMUM_FORM_BYTES = 10_000;

function named(compaction: ProxyCompaction, id: string | null): ProxyConversation {
  const all = compaction.conversations();
  const found = all.filter(({ sessionId }) => sessionId === id || shortId(sessionId) === id);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const known = all.map(({ sessionId }) => shortId(sessionId)).join(", ");
  throw new PlimsollError(
    "bad-input",
    `${id === null || id === "" ? "name a conversation by its id" : `no conversation ${id} is in memory`}: ${known === "" ? "no agent has asked yet" : `there are ${known}`}`,
  );
}

async function statusOf({ upstream, policy, compaction, sessions, folder, nowMs }: OwnRequestsOptions): Promise<ProxyStatus> {
  const live = compaction.conversations();
  const stored = await sessions.list();
  return {
    upstream,
    policy: policy.name,
    isPaused: compaction.isPaused(),
    conversations: live.map((conversation) => conversationStatus(conversation, policy)),
    limits: await learnedLimitLines(folder, nowMs()),
    storedCount: stored.filter((each) => !live.some(({ sessionId }) => sessionId === each.sessionId)).length,
  };
}

function sendJson(response: ServerResponse, status: number, body: JsonObject | Readonly<Record<string, unknown>>): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body));
}

function sendPage(response: ServerResponse, { content, policy }: { readonly content: string; readonly policy: string }): void {
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": policy,
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
  });
  response.end(content);
}
