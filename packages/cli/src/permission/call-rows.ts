import type { PendingCall } from "@plimsoll/agent";
import { changedLines, escaped } from "@plimsoll/bench/terminal";
import type { ToolEffect } from "@plimsoll/core/extend";
import { serverOf } from "./allow-rule.ts";

/** A row of a call's effect: a line of text, one that goes, or one that comes. */
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
        ? `use ${toolName}; its effect is unknown`
        : `start the MCP server ${serverOf(toolName)}, which a project's file names`;
    default:
      return effect satisfies never;
  }
}

/** The whole effect of a call, in rows no wider than so many columns. It is escaped, so that nothing in it can hide or pass for the question. */
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

/** Beyond this range a character may take two columns. */
const LAST_NARROW = 0x2ff;

/** An escaped line, cut so that each row takes at most so many columns: no row can begin where the terminal would break it. */
export function cutRows(line: string, maximumColumns: number): readonly string[] {
  const rows: string[] = [];
  let row = "";
  let columns = 0;
  for (const character of line) {
    const width = (character.codePointAt(0) ?? 0) > LAST_NARROW ? 2 : 1;
    if (columns + width > maximumColumns) {
      rows.push(row);
      row = "";
      columns = 0;
    }
    row += character;
    columns += width;
  }
  return [...rows, row];
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

/** The lines that go and those that come, with some of the lines around them that stay. */
export function changeOf(before: string | null, after: string | null): readonly CallRow[] {
  const [old, next] = [before ?? "", after ?? ""];
  const changed = changedLines(old, next, CONTEXT_LINES);
  if (changed === null) return old === next ? [] : [{ kind: "note", text: "(no line changes)" }];
  const line = (kind: CallRow["kind"], sign: string) => (text: string) => ({ kind, text: `${sign} ${text}` });
  return [
    ...(changed.from === 0 ? [] : [{ kind: "note", text: `(line ${changed.from + 1})` } as const]),
    ...changed.before.map(line("text", " ")),
    ...changed.gone.map(line("removed", "-")),
    ...changed.come.map(line("added", "+")),
    ...changed.after.map(line("text", " ")),
  ];
}
