import { readFileSync } from "node:fs";
import { isPlimsollError } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { refuseUnsupported, refuseVersions, SUPPORTED_PACKAGES } from "./supported.ts";

describe("a package beside a drop-in", () => {
  test.each<[Parameters<typeof refuseVersions>[0], string, string]>([
    ["ai", "5.0.210", ">=6.0.0 <8"],
    ["ai", "8.0.0", ">=6.0.0 <8"],
    ["openai", "5.23.2", ">=6.0.0 <8"],
    ["openai", "4.104.0", ">=6.0.0 <8"],
    ["@anthropic-ai/sdk", "0.70.1", ">=0.80.0 <2"],
    ["@google/genai", "1.52.0", ">=2.0.0 <4"],
    ["langchain", "0.3.37", ">=1.0.0 <2"],
    ["@openai/agents-core", "0.3.9", ">=0.11.0 <1"],
  ])("is refused in one line: %s %s", (name, found, supported) => {
    const refused = () => refuseVersions(name, [found]);
    expect(refused).toThrow(expect.toSatisfy((error) => isPlimsollError(error, "bad-input")));
    expect(refused).toThrow(expect.objectContaining({ details: { package: name, found, supported } }));
    expect(refused).toThrow(new RegExp(`^${name} ${found} is not supported, but .*: npm install ${name}@\\d+$`));
  });

  test.each<[string, Parameters<typeof refuseVersions>[0], readonly string[]]>([
    ["at the lower end", "ai", ["6.0.0"]],
    ["at the upper end", "ai", ["7.999.1"]],
    ["of a later minor and an earlier patch", "@anthropic-ai/sdk", ["0.81.0"]],
    ["before its release", "openai", ["7.0.0-beta.2"]],
    ["if the program has a supported one beside an old one", "ai", ["5.0.1", "6.0.4"]],
    ["if nothing is installed", "ai", []],
    ["if what is installed tells no version", "ai", ["workspace"]],
  ])("is taken %s", (_, name, found) => {
    expect(() => refuseVersions(name, found)).not.toThrow();
  });

  test("is looked up where it is installed", () => {
    expect(() => refuseUnsupported("ai")).not.toThrow();
  });
});

test("optional packages are accepted in any version, and npm asks for none of them and none of their own peers", () => {
  const manifests = ["core", "providers", "tools", "cli"].map(
    (name): { readonly peerDependencies?: object; readonly peerDependenciesMeta?: Readonly<Record<string, object>> } =>
      JSON.parse(readFileSync(new URL(`../../../${name}/package.json`, import.meta.url), "utf8")),
  );
  // pnpm and Yarn take a name that is only in the second table for any version.
  expect(manifests.filter(({ peerDependencies }) => peerDependencies !== undefined)).toEqual([]);
  const optional = Object.entries(manifests[1]?.peerDependenciesMeta ?? {});
  expect(optional).toEqual(expect.arrayContaining(Object.keys(SUPPORTED_PACKAGES).map((name) => [name, { optional: true }])));
});

test.each(Object.entries(SUPPORTED_PACKAGES))(
  "the documents name the supported versions of %s",
  (name, { from, belowMajor }) => {
    const rows = readFileSync(new URL("../../../../docs/use-in/README.md", import.meta.url), "utf8").split("\n");
    expect(rows.filter((row) => row.includes(`\`${name}\``) && row.includes(`>=${from} <${belowMajor} |`))).toHaveLength(1);
  },
);
