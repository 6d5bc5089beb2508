import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { importFile } from "@plimsoll/bench";
import { fixtureSessions } from "@plimsoll/fixtures";
import { describe, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";
import { inspectHtml } from "./inspect-html.ts";
import { inspectedSessions } from "./session-facts.ts";

/** Recorded sessions of other agents, which are not part of the project: their tests run if the folder is there. */
const FOLDER = process.env.PLIMSOLL_TRANSCRIPTS ?? join(import.meta.dirname, "../../../../../shared/transcripts");

const recorded = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((name) => statSync(join(FOLDER, name)).isDirectory())
      .flatMap((agent) => readdirSync(join(FOLDER, agent)).map((name) => join(FOLDER, agent, name)))
  : [];
const fixtures = fixtureSessions().map(({ path }) => path);

async function plimsoll(...argv: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { io, stdout, stderr } = recordedIo("/");
  const code = await main(argv, io);
  return { code, stdout: stdout(), stderr: stderr() };
}

describe("every session that can be read", () => {
  test.each([...fixtures, ...recorded])(
    "%s is inspected, and compacted on trial",
    async (file) => {
      const inspected = await plimsoll("inspect", file);
      expect({ code: inspected.code, stderr: inspected.stderr }).toEqual({ code: 0, stderr: "" });
      expect(inspected.stdout).toContain("The context at the end:");
      expect(inspected.stdout.split("\n").filter((line) => [...line].length > 80)).toEqual([]);
      const page = inspectHtml(await inspectedSessions(await importFile(file, file)));
      expect({ isWhole: page.endsWith("</html>\n"), script: page.includes("<script") }).toEqual({
        isWhole: true,
        script: false,
      });
      const compacted = await plimsoll("compact", file, "--dry-run");
      expect({ code: compacted.code, stderr: compacted.stderr }).toEqual({ code: 0, stderr: "" });
    },
    30_000,
  );
});
