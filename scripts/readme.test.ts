import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { keepFitting } from "../packages/core/examples/keep-fitting.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test.each([
  ["README.md", 1, "packages/providers/examples/own-loop.ts"],
  ["README.md", 2, "packages/cli/examples/shortest-agent.ts"],
  ["packages/providers/README.md", 1, "packages/providers/examples/own-loop.ts"],
  ["packages/core/README.md", 1, "packages/core/examples/keep-fitting.ts"],
])("%s: program %i is the tested file %s", (readme, position, path) => {
  const program = read(readme).split("```ts\n")[position] ?? "";
  expect(program.split("```")[0]).toBe(read(path));
});

test("the policy file of the README is the one that the program reads", () => {
  const [, file = ""] = /```yaml\n# plimsoll\.yaml\n([\s\S]*?)```/.exec(read("README.md")) ?? [];
  expect(file).toBe(read("packages/providers/examples/plimsoll.yaml"));
});

test("the program keeps a long session short", async () => {
  const messages = Array.from({ length: 60 }, (_, index): Parameters<typeof keepFitting>[0][number] => ({
    role: "user",
    id: `m${index}`,
    origin: "human",
    parts: [{ type: "text", text: `request ${index} ${"word ".repeat(200)}` }],
    atMs: null,
  }));
  const sizes = await keepFitting(messages);
  expect(Math.max(...sizes)).toBeLessThan(40);
  expect(sizes.at(-1)).toBeGreaterThan(1);
});
