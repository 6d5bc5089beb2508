import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { recordedIo } from "../testing/recorded-io.ts";
import { COMMANDS } from "./commands.ts";
import { main } from "./main.ts";

/** The first command loads modules that all of them need. */
const LOADS = { timeout: 240_000 };

test.each(COMMANDS.map(({ name }) => name))(
  "the help of %s has at most twelve options under a heading",
  LOADS,
  async (name) => {
    const { io, stdout } = recordedIo(tmpdir());
    expect(await main(["help", name], io)).toBe(0);
    const groups = stdout().split(/^\S.*:$/m);
    const counts = groups.map((group) => group.match(/^ {2}(?:-\w, )?--[\w-]+/gm)?.length ?? 0);
    expect(Math.max(...counts)).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
  },
);
