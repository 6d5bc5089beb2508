import { writeFileSync } from "node:fs";
import { definePolicy, PLIMSOLL_POLICY, type Policy, PRESETS, SVEN_POLICY } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { loadPolicy, policyFileJsonSchema, policyJsonSchema, readPolicyFile } from "./read-policy-file.ts";
import { policyYaml } from "./yaml-document.ts";

const folder = freshFolder(beforeAll);

/** Reads a file with this text, named `late.yaml`. */
const read = (text: string) => {
  const path = folder("late.yaml");
  writeFileSync(path, text);
  const result = readPolicyFile(path, "late.yaml");
  return {
    policy: "found" in result ? result.found.policy : null,
    problems: "problems" in result ? result.problems : [],
    yaml: "found" in result ? policyYaml(result.found) : "",
    notes: "found" in result ? result.found.notes : [],
  };
};

const WHOLE = JSON.stringify({ ...SVEN_POLICY, name: "mine" });

/** The policy of the file `late.yaml`: a preset with changes. */
const late = (preset: Policy, changes: object = {}) => ({ ...preset, name: "late", ...changes });

test.each<[string, string, object, readonly string[]]>([
  [
    "a preset that went is its successor",
    "extends: plimsoll-rich\nactAt: 50%",
    { ...definePolicy({ actAt: "50%" }), name: "late" },
    [":1:1: plimsoll-rich is gone: plimsoll replaces it"],
  ],
  [
    "its short form, too",
    "policy: plimsoll-rich",
    late(PLIMSOLL_POLICY),
    [":1:1: plimsoll-rich is gone: plimsoll replaces it"],
  ],
  [
    "a knob that went is left out",
    "idleAfter: 4m30s",
    late(PLIMSOLL_POLICY),
    [":1:1: idleAfter is gone: nothing replaces it, remove it"],
  ],
  [
    "a whole policy has successors in its lists",
    JSON.stringify({ ...SVEN_POLICY, name: "late", manualKeep: [{ kind: "lines", atMost: { tokens: 9 } }] }),
    late(SVEN_POLICY, { manualKeep: [{ kind: "recall", atMost: { tokens: 9 } }] }),
    [":1:\\d+: lines is gone: recall replaces it"],
  ],
])("in a file of an earlier version %s, and a note says so", (_, text, policy, notes) => {
  expect(read(text)).toMatchObject({ policy, notes: notes.map((note) => expect.stringMatching(`^late\\.yaml${note}$`)) });
});

const LISTED = [
  { kind: "recent", messages: 4 },
  { kind: "human", atMost: { tokens: 20_000 } },
];

describe("a policy file", () => {
  test.each([
    ["a preset goes by the file's name", "policy: sven", late(SVEN_POLICY)],
    ["a name may be given", "policy: sven\nname: mine", { ...SVEN_POLICY, name: "mine" }],
    ["a whole policy may be under policy", `policy: ${WHOLE}`, { ...SVEN_POLICY, name: "mine" }],
    ["a whole policy may be at the top", WHOLE, { ...SVEN_POLICY, name: "mine" }],
    [
      "a key inside a map changes alone",
      "policy: sven\nsummary: { maxTokens: 100 }",
      late(SVEN_POLICY, { summary: { ...SVEN_POLICY.summary, maxTokens: 100 } }),
    ],
    [
      "a variant takes the place of another",
      "policy: sven\ntrigger: { above: { tokens: 50000 } }",
      late(SVEN_POLICY, { trigger: { above: { tokens: 50000 } } }),
    ],
    [
      "a list takes the place of a list",
      "policy: plimsoll\nkeep:\n  - { kind: recent, messages: 4 }\n  - { kind: human, atMost: { tokens: 20000 } }",
      late(PLIMSOLL_POLICY, { keep: LISTED, overflow: { ...PLIMSOLL_POLICY.overflow, keep: LISTED } }),
    ],
    [
      "as an earlier version wrote it: one amount that is kept",
      "policy: sven\nkeep: { tokens: 9000 }",
      late(SVEN_POLICY, { keep: [{ kind: "recent", amount: { tokens: 9000 } }] }),
    ],
    [
      "as an earlier version wrote it: a value of what is kept",
      "policy: plimsoll\nkeep: { ratio: 0.1 }",
      late(PLIMSOLL_POLICY, {
        keep: [{ kind: "recent", amount: { ratio: 0.1, of: "input-budget" } }, ...PLIMSOLL_POLICY.keep.slice(1)],
      }),
    ],
    ["as an earlier version wrote it: no excerpts", "policy: plimsoll\nexcerpts: null", late(PLIMSOLL_POLICY)],
    [
      "another kind takes the place of a kind",
      "policy: sven\nestimator: { kind: chars-per-token, charsPerToken: 3, unit: code-points, rounding: ceil, perMessageTokens: 4, minimumMessageTokens: 0, imageTokens: 1 }",
      late(SVEN_POLICY, {
        estimator: {
          kind: "chars-per-token",
          charsPerToken: 3,
          unit: "code-points",
          rounding: "ceil",
          perMessageTokens: 4,
          minimumMessageTokens: 0,
          imageTokens: 1,
        },
      }),
    ],
    ["null switches a part off", "policy: sven\nemergency: null", late(SVEN_POLICY, { emergency: null })],
  ])("%s", (_, text, expected) => {
    const { policy, problems } = read(text);
    expect(problems).toEqual([]);
    expect(policy).toEqual(expected);
  });

  test.each([
    ["an unknown preset", "policy: svne", [':1:1: unknown preset "svne": did you mean sven?']],
    ["an unknown key", "policy: sven\ntriger: {}", [':2:1: unknown key "triger": did you mean trigger?']],
    [
      "a key inside a map",
      "policy: sven\ngates:\n  countPendng: true",
      [':3:3: unknown key "countPendng" in gates: did you mean countPending?'],
    ],
    [
      "a key inside a variant",
      "policy: sven\ntrigger:\n  atLeast: { ratoi: 0.9, of: window }",
      [':3:14: unknown key "ratoi" in trigger.atLeast: did you mean ratio?'],
    ],
    [
      "an unknown variant",
      "policy: sven\ntrigger: { atLest: { tokens: 1 } }",
      [':2:12: unknown key "atLest" in trigger: did you mean atLeast?'],
    ],
    [
      "a value out of bounds",
      "policy: sven\noverflow: { maxRecoveries: 99 }",
      [":2:13: overflow.maxRecoveries: Too big: expected number to be <=10"],
    ],
    ["a value of a wrong type", "policy: sven\nenabled: maybe", [":2:1: enabled: expected boolean, received string"]],
    [
      "every problem, each with its place",
      "policy: sven\nenabled: 1\nsummary: { maxTokens: -1 }",
      [":2:1: enabled: expected boolean, received number", ":3:12: summary.maxTokens: Too small: expected number to be >0"],
    ],
    [
      "broken YAML",
      "policy: sven\nkeep: { messages: 3",
      [
        ":2:20: invalid YAML, correct it here (the parser says: Flow map in block collection must be sufficiently indented and end with a })",
      ],
    ],
    ["a key twice", "policy: sven\nenabled: true\nenabled: false", [":3:1: the key enabled occurs twice; keep one"]],
    ["a key twice in JSON", '{"policy": "sven",\n"cap": "8k", "cap": "off"}', [':2:14: the key "cap" occurs twice; keep one']],
    ["20,000 brackets", `policy: ${"[".repeat(20_000)}`, [":1:1: nested deeper than 64 levels"]],
    ["20,000 lists on a line", `policy:\n  ${"- ".repeat(20_000)}x`, [":2:1: nested deeper than 64 levels"]],
    ["20,000 keys that are maps", `policy: sven\n${"? ".repeat(20_000)}x`, [":2:1: nested deeper than 64 levels"]],
    [
      "a staircase of maps",
      Array.from({ length: 300 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"),
      [":64:1: nested deeper than 64 levels"],
    ],
    [
      "aliases that explode",
      [
        "a: &a [x,x,x,x,x,x,x,x,x]",
        ...[..."abcdefghi"].map((name, at) => `${"bcdefghij"[at]}: &${"bcdefghij"[at]} [${`*${name},`.repeat(9)}]`),
      ].join("\n"),
      [":1:1: its aliases expand to too much; write the values out"],
    ],
    ["an alias of itself", "policy: &a [*a]", [":1:1: policy: give a preset's name or a whole policy"]],
    ["no map", "- sven", [":1:1: not a map of keys and values"]],
    ["an empty file", "", [":1:1: not a map of keys and values"]],
    ["a policy that is no name and no map", "policy: 3", [":1:1: policy: give a preset's name or a whole policy"]],
    [
      "changes beside a whole policy",
      `policy: ${WHOLE}\nenabled: false`,
      [':2:1: "enabled" is next to a whole policy; put it under policy'],
    ],
    ["__proto__", "policy: sven\n__proto__: { enabled: false }", [':2:1: unknown key "__proto__"']],
  ])("names %s with file, line and column", (_, text, expected) => {
    const { policy, problems } = read(text);
    expect(problems.map((line) => line.split(": known: ")[0])).toEqual(expected.map((line) => `late.yaml${line}`));
    expect(policy).toBeNull();
  });

  test("says what is missing from a whole policy", () => {
    const { problems } = read("policy:\n  name: mine\n  enabled: true");
    expect(problems).toContain('late.yaml:1:1: missing key "trigger"');
  });

  test("says that a file is not there", () => {
    const result = readPolicyFile(folder("absent.yaml"), "absent.yaml");
    expect(result).toEqual({ problems: ["absent.yaml: cannot be read; give a preset's name or a YAML file"] });
  });
});

describe("policyYaml", () => {
  test("says where each value comes from", () => {
    const lines = read("policy: sven\noverflow:\n  maxRecoveries: 4\nstrategies: []\nemergency: null").yaml.split("\n");
    expect(lines).toContain("name: late # file name");
    expect(lines).toContain("  maxRecoveries: 4 # late.yaml:3");
    expect(lines).toContain("  # late.yaml:4");
    expect(lines).toContain("emergency: null # late.yaml:5");
    expect(lines).toContain("  maxTokens: 4096 # preset sven");
  });

  test("says so of values in an earlier version's form, too", () => {
    const lines = read("policy: opal\nexcerpts:\n  atMost: { tokens: 900 }\nkeep: { messages: 3 }").yaml.split("\n");
    expect(lines).toContain("    messages: 3 # late.yaml:4");
    expect(lines).toContain("      tokens: 900 # late.yaml:4");
  });

  test.each(PRESETS.map((preset) => [preset.name, preset] as const))("is %s again when it is read", (_, preset) => {
    const yaml = policyYaml({ policy: preset, originOf: () => "here" });
    expect(parse(yaml)).toEqual(preset);
    expect(read(yaml).policy).toEqual(preset);
  });
});

const load = (text: string, file = "plimsoll.yaml") => {
  const path = folder(file);
  writeFileSync(path, text);
  return loadPolicy(path);
};

const KNOBS_FILE = `# what my agent does
extends: sven
actAt: 75%
keep:
  recent: 12 messages
  human: 20k
writer: none
cap: 8k
facts: { maxTokens: 500 }
`;

describe("a policy file", () => {
  test("says the same as code does", () => {
    const { policy } = load(KNOBS_FILE);
    const keep = { recent: "12 messages", human: "20k" };
    const written = { extends: "sven", actAt: "75%", keep, writer: "none", cap: "8k", facts: { maxTokens: 500 } };
    expect(policy).toEqual({ ...definePolicy(written), name: "sven (plimsoll.yaml)" });
  });

  test.each([
    ["trigger.atLeast.ratio", "plimsoll.yaml:3"],
    ["keep.0.atMost.tokens", "plimsoll.yaml:6"],
    ["keep.1.messages", "plimsoll.yaml:5"],
    ["strategies.0.writer", "plimsoll.yaml:7"],
    ["truncation.capTokens", "plimsoll.yaml:8"],
    ["facts.maxTokens", "plimsoll.yaml:9"],
    ["summary.maxTokens", "preset sven"],
    ["gates.countPending", "preset sven"],
  ])("explains where %s comes from", (path, origin) => {
    expect(load(KNOBS_FILE).explain(path)).toBe(origin);
  });

  test.each([
    ["without a preset turns the default's knobs", "actAt: 60%\n", { actAt: "60%" }],
    ["may have all of it under policy", "policy:\n  extends: sven\n  cap: off\n", { extends: "sven", cap: "off" }],
    ["may name another model there", "policy: { model: m 100k }\n", { model: "m 100k" }],
    ["may hold a session's settings", "model: opus\nmax_steps: 3\nextends: pi\nactAt: 80%\n", { extends: "pi", actAt: "80%" }],
    ["may say policy for extends", "policy: pi\nactAt: 80%\n", { extends: "pi", actAt: "80%" }],
  ])("%s", (_, text, written) => {
    expect({ ...load(text).policy, name: "" }).toEqual({ ...definePolicy(written), name: "" });
  });

  test.each([
    [
      "a knob's value",
      "extends: sven\nactAt: soon\n",
      "plimsoll.yaml:2:1: actAt: give a share up to 100%, as 75% or 75% of window, or a size, as 150k",
    ],
    ["a rule's value", "keep:\n  recent: some\nextends: pi\n", "plimsoll.yaml:2:3: keep.recent: give a share"],
    ["a mistyped knob", "extends: sven\nactsAt: 75%\n", 'plimsoll.yaml:2:1: unknown key "actsAt": did you mean actAt?'],
    [
      "a dotted knob",
      "actAt: 75%\nkeep.recent: 20%\n",
      'plimsoll.yaml:2:1: unknown key "keep.recent": write keep: { recent: … }',
    ],
    [
      "a mistyped rule",
      "extends: plimsoll\nkeep:\n  recents: 5%\n",
      'plimsoll.yaml:3:3: unknown keep rule "recents": did you mean recent?',
    ],
    ["an unknown preset", "extends: svne\n", 'plimsoll.yaml:1:1: unknown preset "svne": did you mean sven?'],
    ["an unknown preset below", "policy:\n  extends: svne\n", "plimsoll.yaml:2:3: unknown preset"],
    ["two presets", "policy: sven\nextends: pi\n", "plimsoll.yaml:2:1: policy and extends both name a preset"],
    ["a mistyped value below a knob", "extends: sven\nfacts: { maxToken: 3 }\n", "plimsoll.yaml:2:10: unknown key"],
  ])("refuses %s with its place", (_, text, line) => {
    expect(() => load(text)).toThrow(line);
  });

  test("tells all that is wrong at once", () => {
    expect(() => load("extends: sven\nactAt: soon\ncap: much\n")).toThrow(/:2:1: actAt.*\(and 1 more: plimsoll.yaml:3:1: cap/);
  });

  test("that is not there is named", () => {
    expect(() => loadPolicy(folder("none.yaml"))).toThrow("none.yaml: cannot be read");
  });
});

/** Keys of maps that no description is given for; a kind's own name needs none. */
function undescribed(schema: unknown, path: string): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((each) => undescribed(each, path));
  if (!isRecord(schema)) return [];
  const { properties, ...others } = schema;
  const keys = Object.entries(isRecord(properties) ? properties : {}).flatMap(([key, value]) => {
    const isDescribed = isRecord(value) && (typeof value.description === "string" || Object.hasOwn(value, "const"));
    return [...(isDescribed ? [] : [`${path}${key}`]), ...undescribed(value, `${path}${key}.`)];
  });
  return [...keys, ...Object.values(others).flatMap((each) => undescribed(each, path))];
}

describe("the schema of policies", () => {
  test.each([
    ["a whole policy", policyJsonSchema()],
    ["a policy file", policyFileJsonSchema()],
  ])("describes each key of %s", (_, schema) => {
    expect(Object.keys(Object(schema.properties)).length).toBeGreaterThan(15);
    expect(undescribed(schema, "")).toEqual([]);
  });

  test("of a file demands nothing and knows presets and knobs", () => {
    const schema = policyFileJsonSchema();
    expect(JSON.stringify(schema)).not.toContain('"required"');
    expect(Object.keys(Object(schema.properties))).toEqual(
      expect.arrayContaining(["extends", "actAt", "writer", "cap", "trigger"]),
    );
  });
});

test.each([
  [
    "a list of rules",
    "[{ kind: recent, messages: 10 }]",
    [expect.stringMatching(/^late\.yaml:2:1: this list leaves out the preset's /)],
  ],
  ["a map", "{ recent: 10 messages }", []],
])("%s under a preset says which rules it leaves out", (_, keep, notes) => {
  expect(read(`extends: plimsoll\nkeep: ${keep}\n`)).toMatchObject({ notes });
});
