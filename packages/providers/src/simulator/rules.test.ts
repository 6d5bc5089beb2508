import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SIMULATED_RULES } from "./rules.ts";

const PAGE = new URL("../../../../docs/simulator.md", import.meta.url);
const HEADING = "## Rules that can be switched";

/** The page with its table of rules made anew; what stands around the table stays. */
function pageWithRules(page: string): string {
  const [before = "", section = ""] = page.split(`${HEADING}\n`);
  const rest = section.split("\n").filter((line) => !line.startsWith("|"));
  const rows = SIMULATED_RULES.map(({ id, wire, since, says, source, switch: option }) =>
    [`\`${id}\``, wire, since, says, option, `[page](${source})`].join(" | "),
  );
  const head = ["| rule | wire | since | says | switch | source |", "|---|---|---|---|---|---|"];
  return `${before}${HEADING}\n${rest.join("\n").trimEnd()}\n\n${[...head, ...rows.map((row) => `| ${row} |`)].join("\n")}\n`;
}

test("the page lists each rule with its day, its switch and its source", async () => {
  await expect(pageWithRules(readFileSync(PAGE, "utf8"))).toMatchFileSnapshot("../../../../docs/simulator.md");
});

test.each(SIMULATED_RULES.map((rule) => [rule.id, rule] as const))("%s names a day and a page", (_, { since, source }) => {
  expect(since).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(source).toMatch(/^https:\/\//);
});
