import { describe, expect, test } from "vitest";
import { pageProblem, protocolVersion, sidesLine, stampLine } from "./protocol-stamp.ts";

const text =
  "# The protocol\n\nA use is far from 20,000 tokens on.\n\n## Changes\n\n| date | change |\n|---|---|\n| 2026-01-31 | first |\n";
const split = '{ "fit": ["a"], "choose": ["b"] }';
const protocol = { text, split };
const page = `# Results\n\n${stampLine(protocol)}\n\n### Losing cases first\n\n| policy | fired |\n`;

describe("pageProblem", () => {
  test.each<[string, string, { text: string; split: string }, RegExp | null]>([
    ["takes a page of the protocol that holds", page, protocol, null],
    ["takes it if only a line's break moved", page, { text: text.replace("is far", "is\nfar"), split }, null],
    ["refuses other definitions", page, { text: text.replace("20,000", "30,000"), split }, /and 2026-01-31 [0-9a-f]{16} holds/],
    ["refuses one of another split", page, { text, split: split.replace("b", "c") }, /make it anew/],
    [
      "refuses one of before a dated change",
      page,
      { text: `${text}| 2026-02-01 | mended |\n`, split },
      /of the protocol 2026-01-31 [0-9a-f]+, and 2026-02-01/,
    ],
    ["refuses one that does not say", page.replace(/^Protocol.*$/m, ""), protocol, /does not say by which protocol/],
    [
      "refuses one that says what is lost behind its tables",
      `| policy | fired |${page}`.replace("|", "\n|"),
      protocol,
      /first what is lost/,
    ],
    ["refuses one that does not say what is lost", page.replace("Losing", "Other"), protocol, /first what is lost/],
  ])("%s", (_, given, against, problem) => {
    expect(pageProblem(given, against) ?? "").toMatch(problem ?? /^$/);
  });
});

test("the version has the date of the newest change", () => {
  expect(protocolVersion({ text: `${text}| 2026-02-01 | mended |\n`, split })).toMatch(/^2026-02-01 [0-9a-f]{16}$/);
});

test("owners that the split does not name are on the side that is reported once", () => {
  expect(sidesLine(["a", "a", "b", "x", "y"], split)).toContain("fit 2 of 1 owner, choose 1 of 1 owner, report 2 of 2 owners");
});
