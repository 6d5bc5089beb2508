import { copyFileSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatPercent } from "@plimsoll/bench/extend";
import { fixtureSessions } from "@plimsoll/fixtures";
import { beforeAll, describe, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

const POLICIES = ["plimsoll-economy", "plimsoll"];

let folder = "";
const forms = { terminal: "", markdown: "", html: "", json: "" };
let answer: Answer | undefined;

interface Answer {
  readonly pick: string;
  readonly sessions: number;
  readonly policies: readonly {
    readonly policy: string;
    readonly costPercent: number;
    readonly costMoreIn: number;
    readonly heldPercent: number;
    readonly heldFarPercent: number;
  }[];
}

/** A page's words, without its scripts and tags. */
const wordsOf = (page: string): string =>
  page
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-forms-"));
  mkdirSync(join(folder, "sessions"));
  for (const [place, { path }] of fixtureSessions().entries()) copyFileSync(path, join(folder, "sessions", `${place}.jsonl`));
  const { io, stdout, stderr } = recordedIo(folder);
  const policies = ["none", ...POLICIES].flatMap((policy) => ["-p", policy]);
  const files = ["--json", "r.json", "--markdown", "r.md", "--html", "r.html"];
  expect(await main(["bench", "sessions", ...policies, "-w", "32k", "--jobs", "1", ...files], io), stderr()).toBe(0);
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  Object.assign(forms, { terminal: stdout(), markdown: read("r.md"), html: wordsOf(read("r.html")), json: read("r.json") });
  answer = JSON.parse(forms.json).answers[0];
}, 120_000);

describe("of one run the terminal, the Markdown, the page and the JSON", () => {
  const picked = () => answer?.policies.find(({ policy }) => policy === answer?.pick) ?? expect.fail("no pick");

  test.each(["terminal", "html", "markdown"] as const)("name the same policy, cost and share kept: %s", (form) => {
    const text = forms[form].replace(/\n +/g, " ");
    expect(text).toContain(picked().policy);
    expect(text).toContain(`Costs ${formatPercent(picked().costPercent)}% of the cost without compaction`);
    expect(text).toContain(`Keeps ${formatPercent(picked().heldPercent)}% of the text later replies needed`);
  });

  test.each(POLICIES)("have the same cost of %s in their tables, and count the same sessions", (name) => {
    const { costPercent, costMoreIn } = answer?.policies.find(({ policy }) => policy === name) ?? expect.fail(name);
    const figure = formatPercent(costPercent).replace(".", "\\.");
    const more = `${costMoreIn}/${answer?.sessions}`;
    expect(forms.terminal).toMatch(new RegExp(`^${name} +${figure} +${more} `, "m"));
    expect(forms.markdown).toMatch(new RegExp(`^\\| ${name} \\| ${figure} \\| ${more} \\|`, "m"));
    expect(forms.html).toMatch(new RegExp(`${name} ${figure} ${more} [\\d.]+ [\\d.]+ [\\d.]+ [\\d.]+k \\d+/\\d+ \\d+ `));
  });
});
