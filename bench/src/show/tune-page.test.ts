import { expect, test } from "vitest";
import { exampleTuned } from "../../testing/example-tuned.ts";
import { renderTuneHtml } from "./tune-page.ts";

const result = exampleTuned();
const nameOf = (session: string) => `2026-03-05 </td><script> ${session}`;
const pageOf = (shown: typeof result) => renderTuneHtml([shown], { yaml: "extends: sven # </pre><img src=x>", nameOf });
const page = pageOf(result);

test("answers first, shows one sample in card, chart and table, and keeps all texts as text", () => {
  expect(page.indexOf("Set: trigger.ratio=0.6 in sven.")).toBeLessThan(page.indexOf("<svg"));
  expect(page).toContain("Costs 55.0% of the cost without compaction; now 71.5%.");
  expect(page).toContain("trigger.ratio=0.6: 55.0% cost, 85.0% kept");
  expect(page).toMatch(/trigger\.ratio=0\.6 \(best\)<\/th><td data-v="55">55\.0<\/td>/);
  expect(page).toContain("extends: sven # &lt;/pre&gt;&lt;img src=x&gt;");
  expect(page).toContain("2026-03-05 &lt;/td&gt;&lt;script&gt; logs/a.jsonl");
  expect(page).not.toContain("<img");
});

test("says that the setting stays if nothing is better, or if the best is worse where it was not chosen, and rings nothing else", () => {
  const keep = { kind: "keep", why: "not-confirmed" } as const;
  const kept = pageOf({ ...result, best: null, verdict: keep });
  expect(kept).toContain("Keep sven as it is: no tried setting is better.");
  expect(kept).toContain("Cheaper: trigger.ratio=0.6 (55.0%), which keeps 85.0%.");
  expect(kept).toContain("How sure: 3 settings tried, judged on 4 sessions.");
  const unsure = pageOf({ ...result, verdict: keep });
  expect(unsure).toContain("trigger.ratio=0.6 was best on some sessions, but worse on the others.");
  const few = pageOf({ ...result, best: null, verdict: { kind: "too-few", missing: 6 } });
  expect(few).toContain("No answer yet: judged on 2 sessions; 8 are needed. Until then keep sven.");
  for (const each of [kept, unsure]) {
    const [front = ""] = /<svg[\s\S]*?<\/svg>/.exec(each) ?? [];
    expect(front.match(/class="ring c\d/g)).toEqual(['class="ring c3']);
    expect(front).toContain(">current, stays</text>");
  }
});
