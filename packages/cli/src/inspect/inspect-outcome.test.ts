import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

const folder = freshFolder(beforeAll);

/** An importer of one's own, for runs with a grade. */
const MODULE = `
const message = (role, id, origin, text) => ({ type: "message", message: { role, id, origin, parts: [{ type: "text", text }], atMs: null } });
const entriesOf = ({ asked }) => [
  { type: "session", version: 1, id: "s", createdMs: null, system: "", tools: [], parent: null, agent: null },
  message("user", "u", "human", asked),
];
const graded = {
  format: "graded",
  description: "Runs with a reward",
  recognises: ({ firstObjects: [run] }) => typeof run?.reward === "number",
  read: async (source) => {
    const run = await source.document();
    const file = source.displayName;
    const outcome = { grades: [{ name: "reward", value: run.reward }] };
    return [{ name: file, file, format: "graded", entries: entriesOf(run), parentName: null, outcome, hasUsage: false, notes: [] }];
  },
};
export default { importers: [graded] };
`;

test("inspect and the report of bench show the grade that an importer of one's own reads; without it the file is no session", async () => {
  writeFileSync(folder("graded.mjs"), MODULE);
  writeFileSync(folder("run.json"), JSON.stringify({ asked: "q", reward: 0.25 }));
  const shown = recordedIo(folder());
  expect(await main(["inspect", "run.json", "--with", "graded.mjs"], shown.io)).toBe(0);
  expect(shown.stdout().replace(/\s+/g, " ")).toContain("outcome: reward 0.25");
  const replayed = recordedIo(folder());
  const bench = ["bench", "run.json", "--with", "graded.mjs", "--policy", "none", "--window", "64k", "--json", "report.json"];
  expect(await main(bench, replayed.io)).toBe(0);
  const report: unknown = JSON.parse(readFileSync(folder("report.json"), "utf8"));
  expect(report).toMatchObject({ sessions: [{ outcome: { grades: [{ name: "reward", value: 0.25 }] } }] });
  const refused = recordedIo(folder());
  expect(await main(["inspect", "run.json"], refused.io)).toBe(2);
  expect(refused.stderr()).toMatch(
    /^plimsoll: run\.json:1: no known session format \(found .*, or add an importer with --with\n$/,
  );
});

test("inspect --json writes the facts by their names, and what was not read with the version that wrote it", async () => {
  const common = { parentUuid: null, isSidechain: false, sessionId: "s", version: "2.9.1", timestamp: "2026-11-01T00:00:00Z" };
  const lines = [
    { ...common, type: "user", uuid: "u", message: { role: "user", content: "q" } },
    { ...common, type: "hologram", uuid: "x" },
    { ...common, type: "hologram", uuid: "y" },
  ];
  writeFileSync(folder("log.jsonl"), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  const shown = recordedIo(folder());
  expect(await main(["inspect", "log.jsonl", "--json", "facts.json"], shown.io), shown.stderr()).toBe(0);
  expect(JSON.parse(readFileSync(folder("facts.json"), "utf8"))).toMatchObject({
    sessions: [
      {
        format: "claude-code",
        facts: { "your messages": "1", "tool results": "0" },
        unread: [{ writtenBy: "claude-code 2.9.1", counts: { hologram: 2 } }],
      },
    ],
  });
});

test("reports of the log calibrate the table of what its context holds", async () => {
  const common = { isSidechain: false, sessionId: "s", version: "2.1.300", timestamp: "2026-11-01T00:00:00Z" };
  const user = (uuid: string, parentUuid: string | null, words: number) => {
    return { ...common, parentUuid, type: "user", uuid, message: { role: "user", content: "word ".repeat(words) } };
  };
  const answer = (uuid: string, parentUuid: string, input_tokens: number) => {
    const usage = { input_tokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 2 };
    const content = [{ type: "text", text: "ok" }];
    const message = { id: uuid, role: "assistant", model: "claude-opus-5-5", content, usage };
    return { ...common, parentUuid, type: "assistant", uuid, message };
  };
  const lines = [user("u", null, 10), answer("a", "u", 1_000), user("v", "a", 2_000), answer("b", "v", 7_000)];
  writeFileSync(folder("reported.jsonl"), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  const shown = recordedIo(folder());
  expect(await main(["inspect", "reported.jsonl"], shown.io), shown.stderr()).toBe(0);
  expect(shown.stdout()).toMatch(/^all +4 +6\.\d\dk +100%\n.*Estimates, scaled to the expected size of the next request\./m);
});
