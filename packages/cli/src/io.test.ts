import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

const LOADER = new URL("../../../scripts/typescript-loader.mjs", import.meta.url).href;
const saying = (more: string) => `
import { processIo } from ${JSON.stringify(new URL("./io.ts", import.meta.url).href)};
const { stdout, stderr } = processIo();
${more}
setInterval(() => stdout.write("said to nobody\\n"), 1);
`;

test.each<[string, string, readonly [number | null, string | null]]>([
  ["ends as if it was told to", "", [null, "SIGTERM"]],
  ["ends in good order if it listens", 'process.once("SIGTERM", () => setTimeout(() => process.exit(7), 20));', [7, null]],
])("a process whose reader has gone %s, and says nothing of it", async (_, more, expected) => {
  const args = ["--conditions=source", "--import", LOADER, "--input-type=module", "-e", saying(more)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const errors = text(child.stderr);
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect(await once(child, "exit")).toEqual(expected);
  expect(await errors).toBe("");
});
