import { expect, test } from "vitest";
import { z } from "zod";
import { call } from "../testing/call.ts";
import { defineTool, output } from "./define-tool.ts";

const weather = defineTool({
  name: "weather",
  description: "Says the weather.",
  input: z.strictObject({ place: z.string(), days: z.int().default(1) }),
  category: "generic",
  effect: { kind: "read" },
  run: async ({ place, days }) => output(`${place}: sun for ${days} days`),
});

test("a tool from outside is told to the model by its schema", () => {
  const parameters = JSON.parse(weather.spec.parametersJson);
  expect(parameters).toMatchObject({ type: "object", required: ["place"], additionalProperties: false });
});

test("its input is parsed, with defaults", async () => {
  expect(await call(weather, { place: "Oslo" })).toEqual({ text: "Oslo: sun for 1 days", isError: false });
});

test.each([[{}], [{ place: 1 }], [{ place: "Oslo", when: "now" }], [null], ["Oslo"], [[]]])(
  "arguments %j give an error that names them",
  async (args) => {
    const { text, isError } = await call(weather, args);
    expect({ isError, names: text.includes("do not fit weather") }).toEqual({ isError: true, names: true });
  },
);

test("it is generic, not rerunnable and touches no paths unless it says so", () => {
  expect(weather).toMatchObject({ category: "generic", isRerunnable: false, hint: null });
  expect(weather.pathsOf({ place: "Oslo" })).toEqual([]);
});
