import { expect, test } from "vitest";
import { profileStages } from "./self-times.ts";

test("a stage has its own functions, and not those that start and end the profile", async () => {
  const { hooks, top } = await profileStages();
  await hooks.before("sorting");
  for (let run = 0; run < 40; run++) Array.from({ length: 5000 }, (_, at) => (at * 7919) % 5003).sort((a, b) => a - b);
  await hooks.after("sorting");
  const names = top("sorting", Number.POSITIVE_INFINITY).map(({ functionName }) => functionName);
  expect(names.some((name) => name.includes("self-times.test.ts"))).toBe(true);
  expect(names).not.toContain("dispatch");
});
