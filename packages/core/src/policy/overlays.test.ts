import { describe, expect, test } from "vitest";
import { BUILT_IN_KINDS } from "./kinds.ts";
import { POLICY_OVERLAYS } from "./overlays.ts";
import { policySchema } from "./policy.ts";
import { PI_POLICY } from "./presets/pi.ts";
import { PRESETS } from "./presets/presets.ts";
import { SVEN_CI_POLICY, SVEN_INTERACTIVE_POLICY, SVEN_POLICY } from "./presets/sven.ts";

const overlayOf = (key: string) => POLICY_OVERLAYS.find((overlay) => overlay.key === key);
const policyOf = (key: string, values: unknown) => overlayOf(key)?.policyOf(values);

describe("other systems' sections", () => {
  test.each([
    ["sven", "agent", SVEN_POLICY],
    ["pi", "compaction", PI_POLICY],
  ])("an empty section is the preset %s", (_, key, preset) => {
    expect(policyOf(key, {})).toEqual(preset);
  });

  test.each([
    [
      "for CI",
      {
        compaction_threshold: 0.65,
        compaction_keep_recent: 15,
        compaction_strategy: "structured",
        tool_result_token_cap: 2000,
        compaction_overhead_reserve: 0.12,
      },
      SVEN_CI_POLICY,
    ],
    [
      "for interactive sessions",
      { compaction_threshold: 0.8, compaction_keep_recent: 5, compaction_strategy: "narrative", tool_result_token_cap: 8000 },
      SVEN_INTERACTIVE_POLICY,
    ],
  ])("sven's tuning %s is its preset", (_, values, preset) => {
    expect(policyOf("agent", values)).toEqual({ ...preset, name: "sven" });
  });

  test("the Go agent's keys", () => {
    const values = { enabled: false, context_window: 100_000, reserve_tokens: 10_000, keep_recent_tokens: 5000 };
    expect(policyOf("compaction", values)).toMatchObject({
      enabled: false,
      trigger: { above: { tokens: 90_000 } },
      keep: [{ kind: "recent", amount: { tokens: 5000 } }],
      unknownWindow: { tokens: 100_000 },
      summary: { maxTokens: 8000, turnPrefixMaxTokens: 5000 },
    });
  });

  test.each([
    ["sven", "agent", { compaction_treshold: 0.8 }],
    ["sven", "agent", { compaction_threshold: 1.2 }],
    ["sven", "agent", { compaction_strategy: "short" }],
    ["pi", "compaction", { reserve_tokens: -1 }],
    ["pi", "compaction", { window: 5 }],
  ])("%s refuses what it does not know", (_, key, values) => {
    expect(overlayOf(key)?.schema.safeParse(values).success).toBe(false);
  });

  test.each(PRESETS.map((preset) => [preset.name, preset] as const))("%s is a policy by its own schema", (_, preset) => {
    expect(policySchema(BUILT_IN_KINDS).parse(JSON.parse(JSON.stringify(preset)))).toEqual(preset);
  });
});
