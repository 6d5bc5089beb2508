import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { reportSchema } from "@plimsoll/bench";
import { fixtureSessions } from "@plimsoll/fixtures";
import { beforeAll, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { runIn } from "../../testing/recorded-io.ts";

/** From so many messages on all but the newest turn goes; `broken` throws each time. */
const PROGRAMS = `
const program = (name, at) => ({ name, likeness: "sven", runs: name + "@1.0.0", maxRecoveries: 0, resultCapChars: null, start: () => ({ at }) });
const isPerson = ({ role, origin }) => role === "user" && origin === "human";
export default {
  programs: [
    program("newest-turn", async ({ gate, messages }) =>
      gate === "before-step" && messages.length > 20 ? messages.slice(messages.findLastIndex(isPerson)) : messages),
    program("broken", async () => { throw new Error("no"); }),
  ],
};
`;

const folder = freshFolder(beforeAll);
beforeAll(() => {
  const [session] = fixtureSessions();
  copyFileSync(session?.path ?? "", folder("session.jsonl"));
  writeFileSync(folder("programs.mjs"), PROGRAMS);
});

const run = (...args: readonly string[]) => runIn(folder(), ["bench", "session.jsonl", "-w", "16k", ...args]);

async function rowsOf(code: number, ...args: readonly string[]) {
  const { exitCode, stderr } = await run("--with", "programs.mjs", "--json", "report.json", ...args);
  expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: "" });
  const { rows } = reportSchema().parse(JSON.parse(readFileSync(folder("report.json"), "utf8")));
  return new Map(rows.map(({ policy, metrics }) => [policy, metrics]));
}

/** Replays take a second, longer if other tests run at the same time. */
const REPLAY_MS = 60_000;

describe("plimsoll bench --with programs", { timeout: REPLAY_MS }, () => {
  test("replays a program next to a policy, by its name", async () => {
    const rows = await rowsOf(0, "-p", "newest-turn", "-p", "none");
    expect([...rows.keys()]).toEqual(["newest-turn", "none"]);
    const [program, none] = [rows.get("newest-turn"), rows.get("none")];
    expect(program?.economy.compactions).toBeGreaterThan(0);
    expect(program?.safety.unrecoveredRequests).toBeLessThan(none?.safety.unrecoveredRequests ?? 0);
  });

  test("one that fails edits nothing, and its failures are counted", async () => {
    const rows = await rowsOf(1, "-p", "broken", "-p", "none");
    expect(rows.get("broken")?.economy).toMatchObject({ compactions: 0 });
    expect(rows.get("broken")?.economy.failedCompactions).toBeGreaterThan(0);
    expect(rows.get("broken")?.economy.promptTokens).toBe(rows.get("none")?.economy.promptTokens);
  });

  test("without its module a program is a policy that nobody knows", async () => {
    const stderr = expect.stringContaining('unknown policy "newest-turn"');
    expect(await run("-p", "newest-turn")).toMatchObject({ exitCode: 2, stderr });
  });

  test("one that lacks a part is refused with the part's name", async () => {
    writeFileSync(folder("half.mjs"), 'export default { programs: [{ name: "half", runs: "half@1", maxRecoveries: 0 }] };');
    const { exitCode, stderr } = await run("-p", "none", "--with", "half.mjs");
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("programs[0] has no start (a function)");
  });
});
