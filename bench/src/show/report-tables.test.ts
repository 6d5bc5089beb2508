import { PLIMSOLL_POLICY, presetNamed } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { exampleReport, withMetrics } from "../../testing/example-report.ts";
import { judge } from "../judge/judge.ts";
import type { SummaryWriterCounts } from "../metrics/summary-writers.ts";
import type { BenchReport } from "../results.ts";
import { htmlPage, renderHtmlReport } from "./html.ts";
import { jsonReportPieces } from "./json.ts";
import { markdownPage, renderMarkdownReport } from "./markdown.ts";
import { modelSummaryNote, shownReport } from "./report-tables.ts";
import { terminalReport } from "./terminal-report.ts";

const PLIMSOLL_VENDOR = presetNamed("plimsoll-vendor") ?? PLIMSOLL_POLICY;
const NONE: SummaryWriterCounts = { digest: 0, recorded: 0, recordedAndDigest: 0, model: 0, failed: 0 };

/** Two policies that act: one asks a model for summaries, so many by writer; the other has none. */
function reportOf(counts: Partial<SummaryWriterCounts>, summarizer = "recorded"): BenchReport {
  const report = exampleReport({ sessions: ["a.jsonl"], calls: 120, sweptRatios: [0.9] });
  return withMetrics({ ...report, summarizer }, (_, { policy }) => ({
    summaries: policy === "sven" ? { ...NONE, ...counts } : NONE,
  }));
}

test("a policy whose summaries a vendor writes is marked and never recommended: its price is not known", () => {
  const report = reportOf({});
  const policies = report.policies.map((each) =>
    each.name === "sven" ? { ...each, policy: { ...PLIMSOLL_VENDOR, name: "sven" } } : each,
  );
  const note = /† A replay asks no vendor for a summary: .* never recommended/;
  expect(renderHtmlReport({ ...report, policies })).toMatch(note);
  expect(renderHtmlReport({ ...report, policies })).toContain('scope="row">sven†</th>');
  expect(renderMarkdownReport(report)).not.toMatch(note);
  const placed = judge({ ...report, policies }).windows.flatMap(({ answers }) => answers.flatMap((answer) => answer.placed));
  expect(placed.map(({ policy }) => policy)).toEqual(["sven trigger.ratio=0.9"]);
});

describe("a policy that pays for a model's summaries", () => {
  test.each<[string, Partial<SummaryWriterCounts>, string, RegExp | null]>([
    ["recorded ones and stand-ins", { recorded: 2, digest: 3 }, "recorded", /2 of 5 summaries are the recorded agent's own;/],
    ["recorded ones in part", { recorded: 1, recordedAndDigest: 2, digest: 3 }, "recorded", /3 of 6 summaries are /],
    ["stand-ins alone", { digest: 3 }, "digest", /In all 3 summaries, quotations from the log stand in for .* text\.$/],
    ["a model's", { model: 3, failed: 1 }, "anthropic:m", /anthropic:m wrote 3 of 4 summaries\.$/],
    ["none, and then there is no note", {}, "recorded", null],
  ])("is scored with %s, as the note says", (_, counts, summarizer, note) => {
    const report = reportOf(counts, summarizer);
    const text = modelSummaryNote(report, judge(report));
    expect(text === null ? null : note?.test(text)).toBe(note === null ? null : true);
  });

  test("has the mark in the tables of Markdown and HTML, and others have none", () => {
    const report = reportOf({ digest: 3 });
    const markdown = renderMarkdownReport(report);
    expect(markdown).toMatch(/^\| sven\\\* \| [\d.]+ \| [\d.]+ \| /m);
    expect(markdown).not.toMatch(/^\| (?:sven|none\\\*|recorded\\\*) \|/m);
    expect(renderHtmlReport(report)).toContain('scope="row">sven*</th>');
  });

  test("is compared apart from those that do not, over the same sessions", () => {
    const report = reportOf({ digest: 3 });
    const shown = judge(report).windows.flatMap(({ answers, units }) =>
      answers.map(({ summaries, placed }) => [
        summaries,
        placed.map(({ policy }) => policy),
        units.map(({ session }) => session),
      ]),
    );
    const other = report.policies.find(({ sweep }) => sweep !== null)?.name;
    expect(shown).toEqual([
      ["without a model", [other], ["a.jsonl"]],
      ["by a model", ["sven"], ["a.jsonl"]],
    ]);
  });
});

/** The report with a policy that asks no model and costs so many dollars in each session. */
function costing(usd: number): BenchReport {
  return withMetrics(reportOf({ digest: 3 }), ({ cost }, { policy }) =>
    ["none", "recorded", "sven"].includes(policy) ? {} : { cost: { ...cost, withCacheUsd: usd } },
  );
}

test.each([
  ["one that is cheaper and keeps as much", 0.01, ["sven trigger.ratio=0.9"], " No policy with model summaries beats it."],
  ["two of which each has something for it", 100, ["sven trigger.ratio=0.9", "sven*"], " With model summaries: sven*."],
])("a picture rings the policies that its sentence names, and no other: %s", (_, usd, names, sentence) => {
  const shown = shownReport(costing(usd));
  const [first] = shown.windows;
  expect(first?.lines[0]).toContain(sentence);
  const page = htmlPage(shown);
  const [chart = ""] = /<svg[\s\S]*?<\/svg>/.exec(page) ?? [];
  const ringed = [...chart.matchAll(/class="ring c2"[^>]*><title>(.*?):/g)].map(([, name]) => name);
  expect(ringed).toEqual(names);
  expect(page).toContain(`<p class="pick">${first?.lines[0]}</p>`);
});

test("a table says how far prompts reach, and counts the cases behind its older shares", () => {
  const [first] = shownReport(reportOf({})).windows;
  expect(first?.table.notes[0]).toMatch(
    /^Prompts of \S+ .*reach [\d.]+k: up to [\d.]+k of .* on top\. For a model with a window of 64k, give --window \d+k\.$/,
  );
  expect(first?.table.notes[1]).toMatch(/^Older % is of [\d,]+ replaced texts in 1 session, [\d,]+ passages in 1 session, /);
});

test("the heading counts the sessions of sub-agents among all", () => {
  const report = exampleReport({ sessions: ["a.jsonl", "b.jsonl"], calls: 120 });
  const sessions = report.sessions.map((each, place) => ({ ...each, parentSession: place === 0 ? null : "a.jsonl" }));
  const text = terminalReport(shownReport({ ...report, sessions }), { full: false, columns: 80, written: [] });
  expect(text).toMatch(/judged on \d of 2 sessions; 1 of the 2 came from sub-agents:$/m);
});

test("a policy whose requests stay above the window has no headroom", () => {
  const report = withMetrics(reportOf({}), ({ safety }) => ({ safety: { ...safety, unrecoveredRequests: 1 } }));
  const table = shownReport(report)
    .further()
    .find(({ title }) => title.startsWith("Requests and"));
  const at = table?.heads.findIndex(({ title }) => title === "smallest headroom") ?? -1;
  expect(new Set(table?.rows.map(({ cells }) => cells[at]?.shown))).toEqual(new Set(["–"]));
});

test("outcomes are made once a report, whatever is made of it", () => {
  const report = reportOf({ digest: 3 });
  let looks = 0;
  const rows = report.rows.map((row) => {
    const { metrics } = row;
    if (metrics === null || row.policy !== "sven") return row;
    const { replacedTexts, ...others } = metrics;
    const counted = {
      get replacedTexts() {
        looks += 1;
        return replacedTexts;
      },
    };
    return {
      ...row,
      metrics: Object.defineProperties({ ...others, replacedTexts }, Object.getOwnPropertyDescriptors(counted)),
    };
  });
  const shown = shownReport({ ...report, rows });
  // Once for the standing, and once for the sums of each metric.
  expect(looks).toBe(2);
  const texts = [markdownPage(shown), htmlPage(shown), [...jsonReportPieces(shown)].join("")];
  expect(texts.every((text) => text.includes("sven"))).toBe(true);
  // The JSON has each row, and the page the figures of its charts.
  expect(looks).toBe(4);
});

test.each([
  ["in numbers below eight projects", 2, /^\d+\.\d$/],
  ["with intervals from eight on", 9, /^\d+\.\d \[\d+\.\d, \d+\.\d\]$/],
])("policies stand beside the first %s", (_, owners, shown) => {
  const names = Array.from({ length: owners }, (__, place) => `logs/${place}`);
  const report = exampleReport({ sessions: names, calls: 120, sweptRatios: [0.9] });
  const sessions = report.sessions.map((each) => ({ ...each, project: each.session }));
  const tables = shownReport({ ...report, sessions }).further();
  const table = tables.find(({ title }) => title.startsWith("Beside "));
  const [first, second] = table?.rows.map(({ cells }) => cells.map((cell) => cell.shown)) ?? [];
  expect([first?.[0], first?.at(-1)]).toEqual(["–", "0/0"]);
  expect(table?.notes[0]).toContain(owners < 8 ? "intervals need 8 projects" : "95% intervals over projects");
  expect(second?.[0]).toMatch(shown);
  for (const part of ["Beside ", "Kept, measure"])
    expect(tables.find(({ title }) => title.startsWith(part))?.rows.map(({ name }) => name)).toContain("recorded");
});
