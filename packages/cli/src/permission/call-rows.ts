import type { PendingCall, ToolEffect } from "@plimsoll/core/extend";
import { cutRows, escaped } from "../terminal/printable.ts";
import { serverOf } from "./allow-rule.ts";

/** A row of what a call would do: a line of text, one that goes, or one that comes. */
export interface CallRow {
  readonly kind: "text" | "removed" | "added" | "note";
  readonly text: string;
  /** True for the further rows of a line that was too long for one. */
  readonly isContinued?: boolean;
}

/** Lines of the same text that are shown around a change; chosen. */
const CONTEXT_LINES = 3;

/** Describes a call in one line; outside text is in it as it is. */
export function headlineOf({ toolName, effect }: Pick<PendingCall, "toolName" | "effect">): string {
  switch (effect.kind) {
    case "execute":
      return `run a command in ${effect.folder === "." ? "the workspace" : effect.folder}`;
    case "write":
      return effect.what;
    case "read":
      return `read with ${toolName}`;
    case "unknown":
      return serverOf(toolName) === null
        ? `use ${toolName}; what it does is not known`
        : `start the MCP server ${serverOf(toolName)}, which a project's file names`;
    default:
      return effect satisfies never;
  }
}

/** All of what a call would do, in rows no wider than so many columns. It is escaped, so that nothing in it can hide or pass for the question. */
export function callRows({ effect, argumentsJson }: PendingCall, columns: number): readonly CallRow[] {
  return contentOf(effect, argumentsJson).flatMap(({ kind, text }) =>
    text.split("\n").flatMap((line) =>
      cutRows(escaped(line), columns).map((row, index) => ({
        kind,
        text: row,
        ...(index === 0 ? {} : { isContinued: true }),
      })),
    ),
  );
}

function contentOf(effect: ToolEffect, argumentsJson: string): readonly CallRow[] {
  switch (effect.kind) {
    case "execute":
      return [{ kind: "text", text: effect.command }];
    case "write":
      return changeOf(effect.before, effect.after);
    case "unknown":
      return [{ kind: "text", text: argumentsJson }];
    case "read":
      return [];
    default:
      return effect satisfies never;
  }
}

/** The lines that go and those that come, with some of the lines around them that stay. Linear in both texts. */
export function changeOf(before: string | null, after: string | null): readonly CallRow[] {
  const old = linesOf(before);
  const next = linesOf(after);
  const least = Math.min(old.length, next.length);
  let head = 0;
  while (head < least && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < least - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  if (head === old.length && head === next.length)
    return (before ?? "") === (after ?? "") ? [] : [{ kind: "note", text: "(no line changes)" }];
  const line = (kind: CallRow["kind"], sign: string) => (text: string) => ({ kind, text: `${sign} ${text}` });
  const first = Math.max(0, head - CONTEXT_LINES);
  const last = old.length - tail;
  return [
    ...(first === 0 ? [] : [{ kind: "note", text: `(line ${first + 1})` } as const]),
    ...old.slice(first, head).map(line("text", " ")),
    ...old.slice(head, last).map(line("removed", "-")),
    ...next.slice(head, next.length - tail).map(line("added", "+")),
    ...old.slice(last, last + CONTEXT_LINES).map(line("text", " ")),
  ];
}

function linesOf(text: string | null): readonly string[] {
  if (text === null || text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
