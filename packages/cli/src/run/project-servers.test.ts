import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { PendingCall } from "@plimsoll/agent";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { recordedIo } from "../../testing/recorded-io.ts";
import type { Answer } from "../permission/permissions.ts";
import { openSession } from "./open-session.ts";
import type { SessionOptions } from "./session-options.ts";

const folder = freshFolder(beforeEach);

const PROJECT = "plimsoll.yaml";
const PROJECT_FOLDER = ".plimsoll/config.yaml";
const OWN = ".config/plimsoll/config.yaml";

/** Opens a session where a file names a program that leaves a mark; answers with the questions and the events. */
async function opened(file: string, options: SessionOptions, answer: Answer | null) {
  const server = { command: process.execPath, args: ["-e", "fs.writeFileSync('started', '')"], env: { KEY: `\${HOME}` } };
  mkdirSync(dirname(folder(file)), { recursive: true });
  writeFileSync(folder(file), JSON.stringify({ mcpServers: { marks: server } }));
  const asked: PendingCall[] = [];
  const ask = (call: PendingCall) => {
    asked.push(call);
    return answer === null ? Promise.reject(new Error("gone")) : Promise.resolve(answer);
  };
  const session = await openSession(
    { demo: true, ...options },
    { io: recordedIo(folder()).io, environment: { HOME: "/home/me" }, ...(answer === null ? {} : { ask }) },
  );
  await session.close();
  return { asked, isStarted: existsSync(folder("started")), notices: session.notices };
}

const NO: Answer = { kind: "no", words: null };

describe("a server of a project's file", { timeout: 60_000 }, () => {
  test.each<readonly [string, string, SessionOptions, Answer | null, boolean]>([
    ["is not started if nobody is there to be asked", PROJECT, {}, null, false],
    ["is not started if the file lies in the project's own folder", PROJECT_FOLDER, {}, null, false],
    ["is not started if the person says no", PROJECT, {}, NO, false],
    ["is started if the person says yes", PROJECT, {}, { kind: "once" }, true],
    ["is started if its name was allowed", PROJECT, { allow: ["server:marks"] }, null, true],
    ["is started if everything was allowed", PROJECT, { allow: ["all"] }, null, true],
    ["is not started because commands are allowed", PROJECT, { allow: ["commands", "writes"] }, null, false],
    ["is not started because another one is allowed", PROJECT, { allow: ["server:mark", "tool:marks"] }, null, false],
    ["is started in read-only mode if its name was allowed", PROJECT, { readOnly: true, allow: ["server:marks"] }, null, true],
    ["is not started in read-only mode where all was allowed", PROJECT, { readOnly: true, allow: ["all"] }, null, false],
    ["is the person's own in the home folder's file", OWN, {}, null, true],
  ])("%s", async (_what, file, options, answer, isStarted) => {
    expect((await opened(file, options, answer)).isStarted).toBe(isStarted);
  });

  test("is asked about with all that the file says of it, no secret filled in", async () => {
    const { asked, notices } = await opened(PROJECT, {}, NO);
    expect(asked).toMatchObject([{ toolName: "server:marks", effect: { kind: "unknown" } }]);
    expect(JSON.parse(asked[0]?.argumentsJson ?? "")).toEqual({
      source: "plimsoll.yaml:1",
      command: process.execPath,
      args: ["-e", "fs.writeFileSync('started', '')"],
      env: { KEY: `\${HOME}` },
    });
    expect(notices).toContain("mcp marks: not started: the person said no. (plimsoll.yaml:1)");
  });

  test("is named with what would allow it if nobody was asked", async () => {
    const { notices } = await opened(PROJECT, {}, null);
    expect(notices).toContain(
      "mcp marks: not started: a project's file starts nothing by itself; --allow server:marks lets it (plimsoll.yaml:1)",
    );
  });
});
