import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { COMMANDS } from "../commands.ts";
import { main } from "../main.ts";

/** The first command loads what all of them need. */
const LOADS = { timeout: 240_000 };

/** The options of a help by the heading that they stand under. */
async function optionsOf(name: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { io, stdout } = recordedIo(tmpdir());
  expect(await main(["help", name], io)).toBe(0);
  const groups = new Map<string, readonly string[]>();
  let heading = "";
  for (const line of stdout().split("\n")) {
    if (/^\S.*:$/.test(line)) heading = line;
    const [, option] = /^ {2}(?:-\w, )?(--[\w-]+)/.exec(line) ?? [];
    if (option !== undefined) groups.set(heading, [...(groups.get(heading) ?? []), option]);
  }
  return groups;
}

test.each(COMMANDS.map(({ name }) => name))(
  "the help of %s has no more than twelve options under one heading",
  LOADS,
  async (name) => {
    const groups = [...(await optionsOf(name)).values()];
    expect(groups.flat().length).toBeGreaterThan(0);
    expect(Math.max(...groups.map(({ length }) => length))).toBeLessThanOrEqual(12);
  },
);

test("the options of bench are told by what they are for", async () => {
  expect([...(await optionsOf("bench")).keys()]).toEqual([
    "Sessions:",
    "Policies:",
    "Prices and summaries:",
    "How it runs:",
    "Results:",
    "Asking a model for the next action:",
    "Help:",
  ]);
});

test("a command with few options has them under one heading", async () => {
  expect([...(await optionsOf("undo")).keys()]).toEqual(["Options:"]);
});
