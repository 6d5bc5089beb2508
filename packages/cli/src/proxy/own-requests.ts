import type { IncomingMessage, ServerResponse } from "node:http";
import { formatNumberOf, html, renderPage } from "@plimsoll/bench/extend";
import { printable } from "@plimsoll/bench/terminal";
import { isPlimsollError, PlimsollError, type Policy, type SessionStore } from "@plimsoll/core";
import { isRecord, jsonIn } from "@plimsoll/core/extend";
import { afterUndoWords, type EventOrigin, type ProxyCompaction } from "@plimsoll/providers/proxy";
import { timeText } from "../inspect/session-facts.ts";
import { bodyOf, MAXIMUM_BODY_BYTES } from "./exchange.ts";
import { type Answer, isLoopback, OWN_PATH } from "./proxy-server.ts";
import { forgotten, learnedLimitLines, storedLines } from "./proxy-state.ts";
import type { ConversationStatus, CutStatus, Preview, ProxyStatus, Went } from "./proxy-status.ts";
import {
  conversationStatus,
  cutWords,
  fullWords,
  previewLines,
  previewOf,
  shortId,
  statusLines,
  wentLines,
} from "./proxy-status.ts";
import type { Upstream } from "./upstream.ts";

type Markup = ReturnType<typeof html>;

/** The parts of a proxy that its page shows and that a person may change. */
export interface OwnRequestsOptions {
  readonly upstream: Pick<Upstream, "name" | "counted">;
  readonly policy: Policy;
  readonly compaction: ProxyCompaction;
  readonly sessions: SessionStore;
  readonly folder: string;
  readonly nowMs: () => number;
  /** Receives each action in one line, and its conversation; `null` for all. */
  readonly say: (line: string, of: EventOrigin | null) => void;
}

/** Answers requests to the proxy itself: its page, its status, and `POST /compact`. Everything else goes on to `others`. */
export function createOwnRequests(options: OwnRequestsOptions, others: Answer): Answer {
  return async (request, response, target) => {
    const { pathname, searchParams } = new URL(target, "http://proxy");
    const isOwn = pathname === OWN_PATH || pathname.startsWith(`${OWN_PATH}/`);
    const isCompact = pathname === "/compact" || pathname === "/compact/recall";
    if (!isOwn && !isCompact) return await others(request, response, target);
    const asked: Asked = { request, response, pathname, parameters: searchParams };
    const address = (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
    try {
      if (isCompact) await compacted(asked, options);
      else if (!isLoopback(address)) throw new PlimsollError("bad-input", "the proxy shows its status on its own machine only");
      else if (request.method === "POST") await done(asked, options);
      else await told(asked, options);
    } catch (error) {
      if (!isPlimsollError(error)) throw error;
      const status = error.code === "bad-input" ? 400 : 422;
      const { code, message } = error;
      if (isTerminal(request)) sendLines(response, [message], status);
      else sendJson(response, { error: { code, message } }, status);
    }
  };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pathname: string;
  readonly parameters: URLSearchParams;
}

/** True for `plimsoll proxy status`, which shows lines; browsers take pages. */
function isTerminal({ headers }: IncomingMessage): boolean {
  return headers.accept === "text/plain";
}

async function compacted({ request, response, pathname }: Asked, { compaction }: OwnRequestsOptions): Promise<void> {
  const body = request.method === "POST" ? await bodyOf(request) : null;
  const fields = jsonIn(body?.toString("utf8") ?? "");
  if (!isRecord(fields))
    throw new PlimsollError("bad-input", `${pathname} takes a POST of one JSON object of at most ${MAXIMUM_BODY_BYTES} bytes`);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answer = pathname === "/compact" ? await compaction.compact(fields, gone.signal) : await compaction.recall(fields);
  sendJson(response, answer);
}

async function told({ request, response, pathname, parameters }: Asked, options: OwnRequestsOptions): Promise<void> {
  const { compaction, policy } = options;
  switch (pathname.slice(OWN_PATH.length)) {
    case "":
      return sendPage(response, statusPage(await statusOf(options)));
    case "/status": {
      const status = await statusOf(options);
      return isTerminal(request) ? sendLines(response, statusLines(status)) : sendJson(response, status);
    }
    case "/preview": {
      const preview = await previewOf(named(compaction, parameters.get("id")), policy, new AbortController().signal);
      if (isTerminal(request)) return sendLines(response, previewLines(preview));
      return parameters.get("form") === "json" ? sendJson(response, preview) : sendPage(response, previewPage(preview));
    }
    default:
      throw new PlimsollError("bad-input", `the proxy has no page ${pathname}`);
  }
}

/** Carries out the person's button or command; a browser is led back to the page. */
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
    case "forget":
      await forgotten(folder, given.get("model") ?? "all", nowMs());
      break;
    default:
      throw new PlimsollError("bad-input", `the proxy cannot ${action}`);
  }
  const undone = action === "undo" ? compaction.conversations().find(({ sessionId }) => sessionId === of?.sessionId) : null;
  const line = undone === null ? DONE[action] : `${DONE[action]}: ${afterUndoWords(undone)}`;
  say(line, of);
  if (isTerminal(request)) return sendLines(response, [line]);
  response.writeHead(303, { location: `..${OWN_PATH}` }).end();
}

const DONE = {
  undo: "the last cut was undone",
  pause: "cuts are paused: the vendor will now refuse requests that don't fit",
  resume: "cuts are on again",
  forget: "learned limits were forgotten",
} as const;

/** A form has an id or a model's name. Chosen. */
const MAXIMUM_FORM_BYTES = 10_000;

function named(compaction: ProxyCompaction, id: string | null): ReturnType<ProxyCompaction["conversations"]>[number] {
  const all = compaction.conversations();
  const found = all.filter(({ sessionId }) => sessionId === id || shortId(sessionId) === id);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const known = all.map(({ sessionId }) => shortId(sessionId)).join(", ");
  throw new PlimsollError(
    "bad-input",
    `${id === null || id === "" ? "name a conversation by its id" : `no conversation ${id} is in memory`}: ${known === "" ? "no agent has sent a request yet" : `known: ${known}`}`,
  );
}

async function statusOf({ upstream, policy, compaction, sessions, folder, nowMs }: OwnRequestsOptions): Promise<ProxyStatus> {
  const live = compaction.conversations();
  return {
    upstream: upstream.name,
    requests: upstream.counted(),
    policy: policy.name,
    isPaused: compaction.isPaused(),
    conversations: live.map((conversation) => conversationStatus(conversation, policy)),
    limits: await learnedLimitLines(folder, nowMs()),
    stored: await storedLines(sessions, new Set(live.map(({ sessionId }) => sessionId))),
  };
}

function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body));
}

/** Outside text in a line ends no line. */
function sendLines(response: ServerResponse, lines: readonly string[], status = 200): void {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  response.writeHead(status, headers).end(lines.map(printable).join("\n"));
}

function sendPage(response: ServerResponse, content: string): void {
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    // The page itself sets its other bans.
    "content-security-policy": "script-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
  });
  response.end(content);
}

/** The proxy's own style, beside that of the reports. */
const STYLE = `
form { display: inline-block; margin: 0 8px 8px 0; }
button { font: inherit; padding: 6px 14px; min-height: 36px; border: 1px solid var(--rule); border-radius: 6px; background: var(--panel); color: var(--ink); cursor: pointer; }
button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h1, h2, h3, p, li, summary { overflow-wrap: anywhere; }
section + section { margin-top: 40px; padding-top: 24px; border-top: 1px solid var(--rule); }
progress { width: 100%; height: 14px; accent-color: var(--accent); }
details { margin: 8px 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--panel); padding: 12px; border-radius: 6px; max-height: 24em; overflow: auto; }
a { color: var(--accent); }
`;

function page(title: string, main: Markup): string {
  return renderPage({ title, main, style: STYLE, forms: "'self'" });
}

/** The page of a running proxy: no scripts, nothing loaded, all text of conversations escaped. Its buttons are forms. */
export function statusPage(status: ProxyStatus): string {
  const { upstream, requests, policy, isPaused, conversations, limits, stored } = status;
  return page(
    "plimsoll proxy",
    html`<h1>plimsoll proxy</h1>
<p>For <bdi>${upstream}</bdi>, policy <bdi>${policy}</bdi>. ${isPaused ? "All cuts are paused." : ""}</p>
<p>${button(isPaused ? "resume" : "pause", isPaused ? "Resume cuts" : "Pause all cuts", null)} <a href="plimsoll">Refresh</a></p>
<p>${requests}.</p>
${conversations.map((each) => conversationSection(each, isPaused))}
${stored.length === 0 ? "" : html`<p>${formatNumberOf(stored.length, "conversation")} saved on disk; each returns with its agent's next request. <code>plimsoll proxy status</code> lists them.</p>`}
<section>
<h2>Limits learned from refusals</h2>
${limits.length === 0 ? html`<p>None.</p>` : html`<ul>${limits.map((line) => html`<li>${line}</li>`)}</ul>${button("forget", "Forget them", null)}`}
</section>`,
  );
}

function button(action: string, label: string, id: string | null): Markup {
  return html`<form method="post" action="plimsoll/${action}">${id === null ? "" : html`<input type="hidden" name="id" value="${id}">`}<button type="submit">${label}</button></form>`;
}

function conversationSection(conversation: ConversationStatus, isAllPaused: boolean): Markup {
  const { id, title, modelId, state, usedTokens, budgetTokens, cuts, askedMs } = conversation;
  const isCut = cuts.some(({ isUndone }) => !isUndone);
  return html`<section aria-labelledby="c-${id}">
<h2 id="c-${id}">${title === "" ? "No message yet" : title}</h2>
<p><code>${id}</code> · ${modelId ?? "no model named"} · last request at ${timeText(askedMs)}</p>
<p>${fullWords(conversation)}</p>
${budgetTokens === null ? "" : html`<progress max="${budgetTokens}" value="${Math.min(usedTokens, budgetTokens)}" aria-label="Context used"></progress>`}
<p><a href="plimsoll/preview?id=${id}">Preview a cut</a></p>
<p>${isCut ? button("undo", "Undo the last cut", id) : ""}${isAllPaused ? "" : button(state === "paused" ? "resume" : "pause", state === "paused" ? "Resume cuts" : "Pause cuts", id)}</p>
<h3>Cuts so far: ${cuts.length}</h3>
${cuts.map(cutDetails).toReversed()}
</section>`;
}

function cutDetails(cut: CutStatus): Markup {
  return html`<details><summary>${cut.atMs === null ? "" : `${timeText(cut.atMs)}: `}${cutWords(cut)}</summary>
<p>Cost: ${cut.cost}.</p>
${wentList(cut)}</details>`;
}

function wentList(went: Went): Markup {
  const lines = wentLines(went);
  return lines.length === 0
    ? html`<p>A cut would remove nothing.</p>`
    : html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function previewPage({ id, outcome, messages, ...went }: Preview): string {
  return page(
    `plimsoll proxy: ${id}`,
    html`<h1>Preview a cut</h1>
<p><code>${id}</code>: ${outcome}. Nothing was changed. <a href="../plimsoll">Back</a></p>
${wentList(went)}
<h2>The model would then receive</h2>
${messages.map(({ who, chars, text }) => html`<details><summary>${who}, ${formatNumberOf(chars, "character")}</summary><pre>${text}${chars > text.length ? "…" : ""}</pre></details>`)}`,
  );
}
