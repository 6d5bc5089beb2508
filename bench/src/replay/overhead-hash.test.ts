import { overheadHash, type ToolSpec } from "@plimsoll/core";
import { expect, test } from "vitest";
import { createOverheadHash } from "./overhead-hash.ts";

const TOOL: ToolSpec = { name: "look", description: "", parametersJson: "{}" };

test("it is core's hash of what is sent before any message, whatever was asked for before", () => {
  const hashOf = createOverheadHash();
  const tools = [TOOL];
  const views = [
    { system: "a", tools },
    { system: "a", tools },
    { system: "b", tools },
    { system: "b", tools: [] },
    { system: "a", tools },
  ];
  expect(views.map(hashOf)).toEqual(views.map((view) => overheadHash(view.system, view.tools)));
});
