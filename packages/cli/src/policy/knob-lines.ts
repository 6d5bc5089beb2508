import { amountWords, triggerWords } from "@plimsoll/bench/extend";
import { printable } from "@plimsoll/bench/terminal";
import type { Policy } from "@plimsoll/core";
import { amountSchema, knobText } from "@plimsoll/core/extend";

/** Shows a policy by the settings that most people change, a line each. */
export function knobLines(policy: Policy): readonly string[] {
  const { trigger, keep, summary, enabled, prepare } = policy;
  const writer = typeof summary.request === "string" ? "same" : summary.request.cheaper.modelId;
  const kept = keep.map((rule) => printable(`${rule.kind}${amountOf(rule)}`));
  return [
    `actAt      ${triggerWords({ enabled, trigger })?.replace(/^at /, "") ?? "never"}`,
    `pays       ${trigger.pays ?? "off"}`,
    `keep       ${kept.join("; ") || "nothing"}`,
    `writer     ${writerOf(policy)}`,
    `cap        ${capOf(policy)}${policy.truncation?.capTokens ? " tokens of 4 bytes" : ""}`,
    `prepareAt  ${prepare === undefined ? "off" : amountWords(prepare.atLeast)}`,
    `model      ${printable(writer)}`,
  ];
}

/** The cap of a policy's results, in the words of the knob. */
export function capOf({ truncation }: Policy): string {
  const { capTokens = 0 } = truncation ?? {};
  return capTokens === 0 ? "off" : knobText(capTokens);
}

/** The writer of a policy's summaries, in the words of the knob. */
export function writerOf({ strategies }: Policy): string {
  return ["vendor", "model"].find((name) => strategies.some((spec) => "writer" in spec && spec.writer === name)) ?? "none";
}

function amountOf(rule: Policy["keep"][number]): string {
  if ("messages" in rule) return ` ${String(rule.messages)} messages`;
  const amount = "amount" in rule ? rule.amount : "atMost" in rule ? rule.atMost : undefined;
  const parsed = amountSchema.safeParse(amount);
  return parsed.success ? ` ${amountWords(parsed.data)}` : "";
}
