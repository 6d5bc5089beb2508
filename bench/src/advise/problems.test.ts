import { describe, expect, test } from "vitest";
import { exampleReport, withMetrics } from "../../testing/example-report.ts";
import { exampleTuned } from "../../testing/example-tuned.ts";
import { madeAdvice } from "../../testing/made-advice.ts";
import type { BenchReport } from "../results.ts";
import { renderHtmlReport } from "../show/html.ts";
import { renderMarkdownReport } from "../show/markdown.ts";
import { reportProblems } from "../show/problems.ts";
import { shownReport } from "../show/report-tables.ts";
import { problemText, terminalReport } from "../show/terminal-report.ts";
import { renderTuneHtml } from "../show/tune-page.ts";
import { adviceHtml, adviceText } from "./advise-command.ts";
import type { Decision } from "./decide.ts";

const PLAIN = exampleReport();
const [NOTED] = PLAIN.sessions;
const FILE = NOTED?.file ?? "";

/** The report with sessions that show no need of a kind. */
function without(id: "fileInHand" | "instructions" | "plan"): BenchReport {
  return withMetrics(PLAIN, ({ [id]: held }) => ({ [id]: { ...held, all: { uses: 0, held: 0 } } }));
}

const unread = (version: string, counts: Readonly<Record<string, number>>) => ({
  ...{ file: FILE, line: null, code: "unknown-line-type", text: "" },
  unread: { writtenBy: `codex ${version}`, counts },
});

/** By kind a report that has a problem of it: a kind that is added without one does not compile. */
type Problem = ReturnType<typeof reportProblems>[number];

const WITH: Readonly<Record<Problem["kind"], BenchReport>> = {
  failed: {
    ...PLAIN,
    rows: PLAIN.rows.map((row) =>
      row.policy === "sven"
        ? { ...row, failures: [{ part: "oops", failed: 34, tried: 34, reason: "TypeError: no a & b" }] }
        : row,
    ),
  },
  "left-out": { ...PLAIN, skipped: [{ file: "x.jsonl", reason: "x.jsonl: no session" }] },
  "not-visible": without("fileInHand"),
  "not-read": { ...PLAIN, notes: [unread("0.153.4", { a: 1 }), unread("0.155.0", { a: 2, b: 1 }), unread("0.99.0", { a: 1 })] },
  mixed: { ...PLAIN, sessions: PLAIN.sessions.map((session, place) => ({ ...session, isEstimated: place === 0 })) },
  "without-effect": { ...PLAIN, withoutEffect: ["--limit 3 did nothing: it is for --from"] },
};

test("what was not read is added up by name, with the newest version that wrote it", () => {
  expect(reportProblems(WITH["not-read"] ?? PLAIN).map(({ text }) => text)).toContain(
    "5 items of unknown types left out: a ×4, b ×1 (last seen in codex 0.155.0).",
  );
});

test("every name that was not read is on the first screen of many agents, in a paragraph for each agent", () => {
  const counts = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`item-${at}`, 12 - at]));
  const notes = [unread("0.155.0", counts), { ...unread("0.155.0", { probe: 2 }), code: "unknown-tool" as const }];
  const [one] = madeAdvice("x");
  const agents = Array.from({ length: 9 }, (_, at) => {
    const of = { ...PLAIN, notes, skipped: [{ file: `${at}.zst`, reason: "no importer reads it" }] };
    return { ...one, agent: { ...one?.agent, title: `Agent ${at}`, problems: reportProblems(of) } } as Decision;
  });
  const text = adviceText(agents, { columns: 80, full: false });
  for (const name of [...Object.keys(counts), "probe"]) expect(wordsOf(text).split(` ${name} ×`)).toHaveLength(10);
  expect(text.match(/Agent \d: 1 input left out: \d.zst/g)).toHaveLength(9);
  expect(text.match(/- Agent \d: 78 items of unknown types/g)).toHaveLength(9);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

const SCREEN_LINES = 24;
const firstScreen = (text: string) => text.split("\n").slice(0, SCREEN_LINES).join("\n");
const wordsOf = (text: string) =>
  text
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&amp;", "&")
    .replaceAll("\\", "")
    .replaceAll(/\s+/g, " ");
/** The page before its section on the first window or agent. */
const topOf = (page: string) => wordsOf(page.slice(0, page.search(/<section class="window"|<div class="verdict"|<h2>Codex/)));

const advice = (problems: readonly Problem[]) => madeAdvice("x").map((one) => ({ ...one, agent: { ...one.agent, problems } }));
const tunePage = (problems: readonly Problem[]) =>
  renderTuneHtml([exampleTuned()], { yaml: "", nameOf: (name) => name, problems });
const terminal = (report: BenchReport) => terminalReport(shownReport(report), { full: false, written: [], columns: 80 });

/** The first screen of a report, by output. */
const OUTPUTS: Readonly<Record<string, (report: BenchReport) => string>> = {
  terminal: (report) => wordsOf(firstScreen(terminal(report))),
  Markdown: (report) => wordsOf(firstScreen(renderMarkdownReport(report))),
  page: (report) => topOf(renderHtmlReport(report)),
  "the terminal of tune": (report) => wordsOf(firstScreen(problemText(reportProblems(report)))),
  "the page of tune": (report) => topOf(tunePage(reportProblems(report))),
  "the terminal of advise": (report) =>
    wordsOf(firstScreen(adviceText(advice(reportProblems(report)).slice(0, 1), { columns: 80, full: false }))),
  "the page of advise": (report) => topOf(adviceHtml(advice(reportProblems(report)).slice(0, 1))),
};

describe.each(Object.entries(WITH))("a problem of the kind %s", (kind, report) => {
  const problem = reportProblems(report).find((each) => each.kind === kind);

  test.each(Object.entries(OUTPUTS))("stands on the first screen: %s", (_, shown) => {
    expect(problem?.text).toMatch(/\w/);
    expect(shown(report)).toContain(
      wordsOf(problem?.text ?? "")
        .slice(0, 60)
        .trim(),
    );
  });

  test("is in no report without it", () => {
    expect(reportProblems(PLAIN).filter((each) => each.kind === kind && each.text === problem?.text)).toEqual([]);
  });
});

test.each(["instructions", "plan"] as const)("sessions that show no %s are no problem", (id) => {
  expect(reportProblems(without(id))).toEqual(reportProblems(PLAIN));
});

test("what nothing shows is never a blank, zero or whole", () => {
  const cells = [terminal, renderMarkdownReport, renderHtmlReport].map((render) =>
    render(WITH["not-visible"]).toLowerCase().includes("leave them out"),
  );
  expect(cells).toEqual([true, true, true]);
});
