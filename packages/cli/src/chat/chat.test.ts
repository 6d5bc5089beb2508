import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { recordedIo, runIn } from "../../testing/recorded-io.ts";
import { chat } from "./chat-command.ts";

const folder = freshFolder(beforeEach);

async function chatWith(lines: readonly string[], resume?: string, policy?: string): Promise<string> {
  const recorded = recordedIo(folder());
  const input = Readable.from(lines.map((line) => `${line}\n`));
  const options = { demo: true, allow: ["commands"], ...(resume && { resume }), ...(policy && { policy }) };
  expect(await chat(options, { io: recorded.io, input, isTerminal: false })).toBe(0);
  return recorded.stdout();
}

const plimsoll = (...argv: readonly string[]) => runIn(folder(), argv);

const logs = () => readdirSync(folder(".plimsoll/sessions")).filter((name) => name.endsWith(".jsonl"));
const numberIn = (match: RegExpMatchArray) => Number((match[1] ?? "").split(",").join(""));

describe("chat --demo", { timeout: 60_000 }, () => {
  test("compacts, and the status line says what the simulator counted", async () => {
    const said = await chatWith(Array.from({ length: 5 }, (_, index) => `look ${index}`));
    const pairs = [...said.matchAll(/The last prompt had (\d+) tokens[\s\S]*?\] (?:· )?([\d,]+)/g)];
    expect(pairs).toHaveLength(5);
    expect(said).toMatch(/compacts(?: at)? [\d.]+k (?:· )?cache \d+% (?:· )?\$\d\.\d{4}\n/);
    for (const [, counted, shown] of pairs) expect((shown ?? "").split(",").join("")).toBe(counted);
    expect([...said.matchAll(/◆ compacted \(/g)].length).toBeGreaterThanOrEqual(2);
  });

  test("of a short session it says once that there is nothing to compact", async () => {
    const said = await chatWith(["/compact"]);
    expect(said.match(/Nothing to compact: everything is recent\./g)).toHaveLength(1);
    expect(said).not.toContain("failed");
  });

  test("compacts by hand, undoes, shows the context, and goes on after a resume", async () => {
    const first = await chatWith([
      "look",
      "/compact --keep 1k logs",
      "/undo",
      "/undo",
      "/context",
      "/policy",
      "/model",
      "/nothing",
      "/help",
    ]);
    expect(first).toContain("◆ compacted (manual)");
    expect(first).toContain("The newest compaction is undone.");
    expect(first).toContain("plimsoll: there is no compaction to undo");
    expect(first).toContain("results of run_terminal_command");
    expect(first).toContain("There is no /nothing.");
    const [log = ""] = logs();
    const used = [...first.matchAll(/\] (?:· )?([\d,]+)/g)].map(numberIn);
    const second = await chatWith(["go on"], log.slice(0, -".jsonl".length));
    expect(logs()).toEqual([log]);
    expect(numberIn(/\] (?:· )?([\d,]+)/.exec(second) ?? expect.fail())).toBeGreaterThan(used[0] ?? 0);
  });

  test("counts by a tokenizer if its policy says so, and says which one is missing", async () => {
    const policy = (encoding: string) => `policy: sven\nestimator: { kind: bpe, encoding: ${encoding}, perMessageTokens: 4 }\n`;
    writeFileSync(folder("plimsoll.yaml"), policy("o200k_base"));
    expect(await chatWith(["look", "/compact --keep 1k logs", "/context"])).toContain("bpe(o200k_base)");
    const entries = readFileSync(folder(".plimsoll/sessions", logs()[0] ?? ""), "utf8");
    expect(entries).toContain('"estimator":"bpe(o200k_base)"');
    writeFileSync(folder("plimsoll.yaml"), policy("o300k"));
    await expect(chatWith(["look"])).rejects.toMatchObject({
      message: expect.stringContaining('unknown encoding "o300k"'),
    });
  });

  test("a focus that no writer heard is told", async () => {
    const dropping = "extends: plimsoll\nstrategies:\n  - kind: drop-oldest\n    amount: all-but-keep\n    notice: count\n";
    writeFileSync(folder("dropping.yaml"), dropping);
    const lines = ["look", "/compact --keep 1k logs"];
    expect((await chatWith(lines, undefined, "dropping.yaml")).replaceAll(/\s+/g, " ")).toMatch(
      /wrote no summary here.+it needs a digest/,
    );
    expect(await chatWith(lines)).not.toContain("wrote no summary");
  });

  test("what it writes can be inspected, compacted and undone from the command line", async () => {
    await chatWith(["look", "again", "once more"]);
    const file = join(".plimsoll/sessions", logs()[0] ?? "");
    const inspected = await plimsoll("inspect", file, "--html", "page.html");
    expect(inspected.stdout).toContain("◆ compaction (");
    const before = await plimsoll("compact", file, "--keep", "2k");
    const messages: unknown = JSON.parse(before.stdout);
    expect(Array.isArray(messages) && messages.length > 0).toBe(true);
    expect((await plimsoll("compact", file, "--dry-run")).stdout).toContain("summarised");
    expect((await plimsoll("compact", "--undo", file)).stdout).toMatch(
      /^Undone: the compaction by plimsoll \([a-z-]+\); \d+ messages became \d+, /,
    );
    expect((await plimsoll("inspect", file)).stdout).toContain(", undone later");
  });

  test("a second chat on the same session is told so", async () => {
    await chatWith(["look"]);
    const id = (logs()[0] ?? "").slice(0, -".jsonl".length);
    const { createFileSessionStore } = await import("@plimsoll/stores");
    const { writer } = await createFileSessionStore({ folder: folder(".plimsoll/sessions") }).open(id);
    await expect(chatWith(["hello"], id)).rejects.toThrow("in use by process");
    await writer.close();
  });

  test("run says the answer on its output and ends with 0; as JSON every event is a line", async () => {
    const plain = await plimsoll("run", "--demo", "--allow", "commands", "look");
    expect({ exitCode: plain.exitCode, lines: plain.stdout.split("\n").length }).toEqual({ exitCode: 0, lines: 2 });
    expect(plain.stderr).toContain("done after 6 steps");
    const json = await plimsoll("run", "--demo", "--json", "look");
    const types = json.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect([types[0], types.at(-1)]).toEqual(["agent-start", "agent-end"]);
  });

  test.each([
    ["an unknown session", ["run", "--demo", "--resume", "nope", "x"], "there is no session nope"],
    ["an unknown model", ["run", "--model", "who-knows", "x"], "no provider is known for"],
    ["a file that is no session", ["inspect", "plimsoll.test"], "plimsoll.test"],
  ])("%s is one line", async (_what, argv, line) => {
    const { exitCode, stderr } = await plimsoll(...argv);
    expect({ exitCode, lines: stderr.split("\n").length - 1 }).toEqual({ exitCode: 2, lines: 1 });
    expect(stderr).toContain(line);
  });
});
