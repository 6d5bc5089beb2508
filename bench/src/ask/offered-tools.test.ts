import type { SessionEntry, ToolSpec } from "@plimsoll/core";
import { logOf, sessionStart, toolCall, usageEntry } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { setupsOf, toolsOfCalls } from "./offered-tools.ts";

const calls = (...all: readonly (readonly [name: string, argumentsJson: string])[]): readonly SessionEntry[] =>
  logOf(all.map(([name, argumentsJson], at) => toolCall(`message-${at}`, `call-${at}`, { name, argumentsJson })));

test.each<[rule: string, entries: readonly SessionEntry[], parameters: Record<string, unknown>]>([
  [
    "an argument that each call had is required",
    calls(["read", '{"path":"a","limit":3}'], ["read", '{"path":"b"}']),
    { type: "object", properties: { path: { type: "string" }, limit: { type: "number" } }, required: ["path"] },
  ],
  [
    "an argument of several types has them all",
    calls(["read", '{"lines":[1,2]}'], ["read", '{"lines":"1-2"}'], ["read", '{"lines":null}']),
    { type: "object", properties: { lines: { type: ["array", "null", "string"], items: {} } }, required: ["lines"] },
  ],
  [
    "objects and booleans are told apart",
    calls(["read", '{"options":{"deep":true},"all":false}']),
    {
      type: "object",
      properties: { options: { type: "object" }, all: { type: "boolean" } },
      required: ["options", "all"],
    },
  ],
  [
    "a tool of free form takes one text",
    calls(["read", "*** Begin Patch"]),
    { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
  ],
  ["a tool without arguments", calls(["read", "{}"]), { type: "object", properties: {} }],
])("%s", (_, entries, parameters) => {
  const [tool, ...others] = toolsOfCalls(entries);
  expect(others).toEqual([]);
  expect(tool?.name).toBe("read");
  expect(JSON.parse(tool?.parametersJson ?? "")).toEqual(parameters);
});

test("tools stand in the order of their names", () => {
  expect(toolsOfCalls(calls(["write", "{}"], ["read", "{}"])).map(({ name }) => name)).toEqual(["read", "write"]);
});

const OWN: ToolSpec = { name: "own", description: "as logged", parametersJson: '{"type":"object"}' };

test("the log's own definitions come before those that calls show, from where it has them on", () => {
  const entries: readonly SessionEntry[] = [
    ...calls(["read", "{}"]).slice(1),
    usageEntry("one", null, 1),
    { ...sessionStart("You work."), type: "setup-change", id: "setup", tools: [OWN], atMs: null },
    usageEntry("two", null, 1),
  ];
  expect(setupsOf(entries).map(({ system, tools, toolsFrom }) => [system, tools.map(({ name }) => name), toolsFrom])).toEqual([
    ["", ["read"], "calls"],
    ["You work.", ["own"], "log"],
  ]);
});

test("a log without calls has no tools", () => {
  expect(setupsOf([sessionStart("Talk."), usageEntry("one", null, 1)])).toEqual([
    { system: "Talk.", tools: [], toolsFrom: "nowhere" },
  ]);
});
