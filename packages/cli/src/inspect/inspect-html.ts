import type { Transcript } from "@plimsoll/bench";
import { createContextManager, createDigest, NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import { contextShares } from "../chat/context-table.ts";
import { sessionStory } from "./session-story.ts";
import { storyText } from "./story-text.ts";

/** Sessions as a page of its own: no scripts, nothing loaded. */
export function inspectHtml(transcripts: readonly Transcript[]): string {
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>plimsoll inspect</title>',
    "<style>body{font:15px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap}td{padding:0 1rem 0 0}td+td{text-align:right}meter{width:12rem}</style>",
    ...transcripts.map(section),
    "</html>\n",
  ].join("\n");
}

function section(transcript: Transcript): string {
  const manager = createContextManager({ policy: NONE_POLICY, summarizer: createDigest(), entries: transcript.entries });
  const shares = contextShares(manager.context(), { policy: PLIMSOLL_POLICY });
  const total = Math.max(
    1,
    shares.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const rows = shares.map(
    ({ what, count, tokens }) =>
      `<tr><td>${escaped(what)}</td><td>${count}</td><td>${Math.round(tokens)}</td><td><meter value="${(tokens / total).toFixed(4)}"></meter></td></tr>`,
  );
  const story = sessionStory(transcript.entries).flatMap(storyText).join("\n");
  return [
    `<h1>${escaped(transcript.name)}</h1><p>${escaped(transcript.format)}, ${transcript.entries.length} entries</p>`,
    `<h2>Timeline</h2><pre>${escaped(story)}</pre>`,
    `<h2>The context at the end, in tokens (uncalibrated)</h2><table>${rows.join("")}</table>`,
  ].join("\n");
}

function escaped(text: string): string {
  return text.split("&").join("&amp;").split("<").join("&lt;").split(">").join("&gt;").split('"').join("&quot;");
}
