import { PRESETS } from "@plimsoll/core";
import { expect, test } from "vitest";
import { LOCATED_AGENTS } from "../formats/locations.ts";
import { summaryRequestKind } from "../formats/summary-requests.ts";
import { PEERS } from "./peers.ts";
import { policyRunBy, versionInHead } from "./running-agents.ts";

test.each([
  ["claude-code", "2.1.20", "claude-code-2.1.20"],
  ["claude-code", "2.1.9", "claude-code-2.1.20"],
  ["claude-code", "2.1.25", "claude-code"],
  ["claude-code", null, "claude-code"],
  ["pi", "session 3", "pi"],
  ["qwen-code", "0.24.0", "qwen-code"],
  ["swe-agent", null, null],
] as const)("%s %s runs what the policy %s is like", (format, agentVersion, policy) => {
  expect(policyRunBy({ format, agentVersion })).toBe(policy);
});

test("every policy that an agent is said to run is one that can be replayed, and asks for its summary as the agent does", () => {
  const known = new Map([...PRESETS, ...PEERS.map(({ policy }) => policy)].map(({ name, summary }) => [name, summary.request]));
  const run = LOCATED_AGENTS.flatMap((format) => policyRunBy({ format, agentVersion: null }) ?? []);
  expect(run.length).toBeGreaterThan(4);
  expect(run.filter((policy) => !known.has(policy))).toEqual([]);
  const cached = LOCATED_AGENTS.filter((format) => summaryRequestKind(format) === "cached");
  expect(run.filter((policy) => known.get(policy) === "prefix")).toEqual(cached);
});

test.each([
  ["the first that is stated", [{ type: "mode" }, { version: "2.1.20" }, { version: "2.1.21" }], "2.1.20"],
  ["a log's own version is a number, and is none", [{ version: 3 }], null],
  ["nothing", [], null],
])("the version in a head: %s", (_, firstObjects, version) => {
  expect(versionInHead({ text: "", firstObjects })).toBe(version);
});
