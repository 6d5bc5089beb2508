import {
  contentSecurityPolicy,
  formatNumberOf,
  formatTokens,
  html,
  type Markup,
  readPageStyle,
  trusted,
} from "@plimsoll/bench/extend";
import type { ConversationStatus, CutStatus, Preview, ProxyStatus, Went } from "./proxy-status.ts";
import { fullWords } from "./proxy-status.ts";

/** A page, and the content security policy that it is sent under. */
export interface OwnPage {
  readonly content: string;
  readonly policy: string;
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

function page(title: string, main: Markup): OwnPage {
  const style = `${readPageStyle()}\n${STYLE}`;
  const policy = contentSecurityPolicy({ style, scripts: [] }).replace("form-action 'none'", "form-action 'self'");
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${trusted(style)}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
  return { content: markup, policy: `${policy}; frame-ancestors 'none'` };
}

/** The page of a running proxy: no scripts, nothing loaded, all text of conversations escaped. Its buttons are forms. */
export function statusPage(status: ProxyStatus): OwnPage {
  const { upstream, policy, isPaused, conversations, limits, storedCount } = status;
  return page(
    "plimsoll proxy",
    html`<h1>plimsoll proxy</h1>
<p>For <bdi>${upstream}</bdi>, policy <bdi>${policy}</bdi>. ${isPaused ? "All cuts are paused." : ""}</p>
<p>${button(isPaused ? "resume" : "pause", isPaused ? "Make cuts again" : "Pause all cuts", null)} <a href="plimsoll">Look again</a></p>
${conversations.length === 0 ? html`<p>No agent has asked since the proxy was started.</p>` : ""}
${conversations.map((each) => conversationSection(each, isPaused))}
${storedCount === 0 ? "" : html`<p>${formatNumberOf(storedCount, "conversation")} from before on the disk; one comes back when its agent asks. <code>plimsoll proxy sessions</code> lists them.</p>`}
<section>
<h2>Limits learned from refusals</h2>
${limits.length === 0 ? html`<p>None.</p>` : html`<ul>${limits.map((line) => html`<li>${line}</li>`)}</ul>${button("forget", "Forget them", null)}`}
</section>`,
  );
}

/** Day and time, to the second. */
function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function button(action: string, label: string, id: string | null): Markup {
  return html`<form method="post" action="plimsoll/${action}">${id === null ? "" : html`<input type="hidden" name="id" value="${id}">`}<button type="submit">${label}</button></form>`;
}

function conversationSection(conversation: ConversationStatus, isAllPaused: boolean): Markup {
  const { id, title, modelId, state, usedTokens, budgetTokens, cuts, askedMs } = conversation;
  const isCut = cuts.some(({ isUndone }) => !isUndone);
  return html`<section aria-labelledby="c-${id}">
<h2 id="c-${id}">${title === "" ? "No message yet" : title}</h2>
<p><code>${id}</code> · ${modelId ?? "no model named"} · asked last at ${timeText(askedMs)}</p>
<p>${fullWords(conversation)}</p>
${budgetTokens === null ? "" : html`<progress max="${budgetTokens}" value="${Math.min(usedTokens, budgetTokens)}" aria-label="How full the context is"></progress>`}
<p><a href="plimsoll/preview?id=${id}">What a cut would take now</a></p>
<p>${isCut ? button("undo", "Undo the last cut", id) : ""}${isAllPaused ? "" : button(state === "paused" ? "resume" : "pause", state === "paused" ? "Make cuts again" : "Pause cuts", id)}</p>
<h3>Cuts so far: ${cuts.length}</h3>
${cuts.map(cutDetails).toReversed()}
</section>`;
}

function cutDetails({ atMs, reason, isUndone, tokensBefore, tokensAfter, cost, ...went }: CutStatus): Markup {
  return html`<details><summary>${atMs === null ? "" : `${timeText(atMs)}: `}${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens (${reason})${isUndone ? ", undone" : ""}</summary>
<p>Cost: ${cost}.</p>
${wentLists(went)}</details>`;
}

function wentLists({ kinds, paths, yours }: Went): Markup {
  return html`${kinds.length === 0 ? html`<p>Nothing would go.</p>` : html`<p>No longer sent:</p><ul>${kinds.map(({ what, parts, tokens }) => html`<li>${what}: ${formatNumberOf(parts, "part")}, about ${formatTokens(tokens)} tokens</li>`)}</ul>`}
${yours.length === 0 ? "" : html`<p>Your messages that are quoted or shortened:</p><ul>${yours.map((text) => html`<li>${text}</li>`)}</ul>`}
${paths.length === 0 ? "" : html`<p>Files of calls that went:</p><ul>${paths.map((path) => html`<li><bdi>${path}</bdi></li>`)}</ul>`}`;
}

/** The page of a cut that was not made. */
export function previewPage({ id, outcome, messages, ...went }: Preview): OwnPage {
  return page(
    `plimsoll proxy: ${id}`,
    html`<h1>What a cut would take now</h1>
<p><code>${id}</code>: ${outcome}. Nothing was changed. <a href="../plimsoll">Back</a></p>
${wentLists(went)}
<h2>The model would then be sent</h2>
${messages.map(({ who, chars, text }) => html`<details><summary>${who}, ${formatNumberOf(chars, "character")}</summary><pre>${text}${chars > text.length ? "…" : ""}</pre></details>`)}`,
  );
}
