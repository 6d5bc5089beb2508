import { statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import process from "node:process";
import type { CliIo } from "@plimsoll/bench/terminal";
import { PlimsollError } from "@plimsoll/core";
import { readConfig } from "../config/read-config.ts";
import { sessionsFolderOf } from "../run/stored-sessions.ts";

/** The log that a person named: a file, else the id of a session in this place. Throws `bad-input` if there is neither. */
export function sessionFile(
  session: string,
  { cwd, homeFolder }: CliIo,
): { readonly path: string; readonly displayName: string } {
  const path = resolve(cwd, session);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return { path, displayName: session };
  if (found !== undefined) throw new PlimsollError("bad-input", `${session} is no file; give a session log, or a session's id`);
  const folder = sessionsFolderOf(cwd, readConfig({ cwd, homeFolder, environment: process.env, flags: {} }));
  const log = join(folder, `${session}.jsonl`);
  const isId = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(session);
  if (isId && statSync(log, { throwIfNoEntry: false })?.isFile()) return { path: log, displayName: relative(cwd, log) };
  throw new PlimsollError(
    "bad-input",
    `${session}: no such file${isId ? `, and no session of that id in ${relative(cwd, folder) || "."}` : ""}`,
    { session },
  );
}
