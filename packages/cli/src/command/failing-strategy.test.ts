import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureSessions } from "@plimsoll/fixtures";
import { beforeEach, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

const SCREEN_LINES = 24;
const firstScreen = (text: string) => text.split("\n").slice(0, SCREEN_LINES).join("\n");
const OOPS_FAILED = /oopsr:\s+oops failed at /;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-problems-"));
  writeFileSync(join(folder, "oops.mjs"), OOPS);
  for (const { path } of fixtureSessions().slice(0, 2))
    writeFileSync(join(folder, `${path.split("/").at(-1)}`), readFileSync(path));
  writeFileSync(join(folder, "oopsr.yaml"), "name: oopsr\nextends: sven\nstrategies: [{kind: oops}]\n");
});

const OOPS = `import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
export default { strategies: [{
  kind: "oops",
  schema: z.strictObject({ kind: z.literal("oops") }),
  bind: () => ({
    name: "oops",
    needsModel: false,
    plan: () => { throw new TypeError("nothing here"); },
  }),
}] };
`;

test("a policy whose strategy throws at every compaction is shown as that everywhere, never recommended, and a failure", {
  timeout: 120_000,
}, async () => {
  const { io, stdout, stderr } = recordedIo(folder);
  const files = ["--json", "r.json", "--markdown", "r.md", "--html", "r.html"];
  const args = ["bench", ".", "-p", "none", "-p", "oopsr.yaml", "-w", "16k", "--with", "oops.mjs", "--jobs", "1"];
  expect(await main([...args, ...files], io), stderr()).toBe(1);
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const { problems, answers } = JSON.parse(read("r.json"));
  expect(problems[0].text).toMatch(
    /^oopsr: oops failed at (\d+) of \1 attempts? \(nothing here, oops\.mjs:8\); .*never recommended\.$/,
  );
  expect([answers[0].pick, answers[0].isRecommended]).toEqual([null, false]);
  const [top = ""] = read("r.html").split('<section class="window"');
  for (const text of [firstScreen(stdout()), firstScreen(read("r.md")), top]) expect(text).toMatch(OOPS_FAILED);
  const written = ["tune", ".", "-p", "oopsr.yaml", "-w", "16k", "--with", "oops.mjs", "--jobs", "1"];
  const tuned = recordedIo(folder);
  expect(await main([...written, "--write", "new.yaml"], tuned.io), tuned.stderr()).toBe(1);
  expect(firstScreen(tuned.stdout())).toMatch(OOPS_FAILED);
  expect(tuned.stdout()).toContain("Nothing was written");
});
