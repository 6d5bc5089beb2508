import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askYesNo, openTypedLines } from "./typed-lines.ts";

/** A moment that ends when the test says so. */
function heldMoment() {
  const ends: (() => void)[] = [];
  const waits: (() => void)[] = [];
  return {
    moment: () =>
      new Promise<void>((resolve) => {
        ends.push(resolve);
        waits.shift()?.();
      }),
    begun: () => new Promise<void>((resolve) => void waits.push(resolve)),
    end: () => ends.shift()?.(),
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test.each([
  ["a whole line", "y\n", "n\n", ["n"]],
  ["half a line", "y", "\n", [""]],
  ["a line and a half", "y\nye", "s\n", ["s"]],
  ["nothing", "", "y\n", ["y"]],
])("%s that was typed before is forgotten", async (_what, before, after, heard) => {
  const input = new PassThrough();
  const lines: string[] = [];
  const { moment, begun, end } = heldMoment();
  input.write(before);
  const first = begun();
  const typed = openTypedLines(input, { onLine: (line) => lines.push(line), moment });
  const forgotten = typed.forget();
  await first;
  await turn();
  const second = before === "" ? Promise.resolve() : begun();
  end();
  await second;
  end();
  await forgotten;
  input.write(after);
  await turn();
  expect(lines).toEqual(heard);
  typed.close();
});

test("what is typed while it is forgotten makes it wait for another moment", async () => {
  const input = new PassThrough();
  const lines: string[] = [];
  const { moment, begun, end } = heldMoment();
  const first = begun();
  const typed = openTypedLines(input, { onLine: (line) => lines.push(line), moment });
  const forgotten = typed.forget();
  await first;
  input.write("y\n");
  await turn();
  const second = begun();
  end();
  await second;
  end();
  await forgotten;
  expect(lines).toEqual([]);
  typed.close();
});

test("a terminal is raw while half a line could be in it, and no longer", async () => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const typed = openTypedLines(input, { onLine: () => undefined, moment: () => Promise.resolve() });
  await typed.forget();
  expect(modes).toEqual([true, false]);
  typed.close();
});

test.each([
  ["y\n", true],
  ["Yes\n", true],
  ["\n", false],
  ["n\n", false],
  ["yo\n", false],
  [null, false],
])("%j is the answer %s, and comes after what it is about is shown and the question is written", async (answer, isYes) => {
  const input = new PassThrough();
  const said: string[] = [];
  const output = {
    write: (text: string) => {
      said.push(text);
      if (text === "Send it? ") input.end(answer ?? "");
    },
  };
  const shown = async () => void said.push("shown");
  const moment = async () => void said.push("forgotten");
  expect(await askYesNo("Send it? ", { input, output, shown, moment })).toBe(isYes);
  expect(said).toEqual(["shown", "forgotten", "Send it? "]);
});
