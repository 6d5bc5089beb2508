import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";
import { openSession } from "./open-session.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-foreign-"));
  for (const name of ["clone", "home"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "home/id_rsa"), "PRIVATE KEY");
});

const clone = () => join(folder, "clone");
const io = () => ({ ...recordedIo(clone()).io, homeFolder: join(folder, "home") });

describe("instructions of a foreign folder", { timeout: 60_000 }, () => {
  test.each([
    ["../home/id_rsa", "AGENTS.md is a link that leads out of this folder: the model does not get it"],
    ["/dev/zero", "AGENTS.md is a link that leads out of this folder: the model does not get it"],
    ["/proc/self/environ", "AGENTS.md is a link that leads out of this folder: the model does not get it"],
  ])("linked to %s are not sent, and the person is told", async (target, line) => {
    symlinkSync(target, join(clone(), "AGENTS.md"));
    const session = await openSession({ demo: true }, { io: io(), environment: {} });
    expect(session.notices).toContain(line);
    expect(session.agent.context().system).not.toContain("The project's rules");
    await session.close();
  });

  test("of their own are sent", async () => {
    writeFileSync(join(clone(), "RULES.md"), "be brief");
    symlinkSync("RULES.md", join(clone(), "AGENTS.md"));
    const session = await openSession({ demo: true }, { io: io(), environment: {} });
    expect(session.agent.context().system).toContain("The project's rules:\nbe brief");
    await session.close();
  });
});

describe("logs of a foreign folder", { timeout: 60_000 }, () => {
  test.each([
    [".plimsoll", "../home", [["run", "--demo", "look"], ["inspect"], ["inspect", "x"], ["compact", "--undo", "x"]]],
    [".plimsoll/sessions", "../../home", [["run", "--demo", "look"], ["inspect"]]],
    [".plimsoll/artifacts", "../../home", [["run", "--demo", "look"]]],
  ])("are not written through %s that leads out", async (name, target, commands) => {
    mkdirSync(dirname(join(clone(), name)), { recursive: true });
    symlinkSync(target, join(clone(), name));
    for (const argv of commands) {
      const recorded = recordedIo(clone());
      expect(await main(argv, { ...recorded.io, homeFolder: join(folder, "home") })).toBe(2);
      expect(recorded.stderr()).toContain("leads out of this folder, to ");
    }
    expect(readdirSync(join(folder, "home"))).toEqual(["id_rsa"]);
  });

  test("stand where the person says, wherever that is", async () => {
    const logs = join(folder, "home/logs");
    const session = await openSession({ demo: true }, { io: io(), environment: { PLIMSOLL_SESSIONS: logs } });
    await session.agent.submit("look");
    await session.close();
    expect(readdirSync(logs)).toEqual([`${session.agent.sessionId}.jsonl`]);
  });
});
