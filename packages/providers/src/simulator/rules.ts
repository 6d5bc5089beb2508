import type { WireName } from "./reply.ts";

/** How a simulated provider applies rules that not every model, account or server has. Each that is left out holds as {@link SIMULATED_RULES} says. */
export interface SimulatedRules {
  /** Whether thinking is bound to what stands before it: on every model, or on none. */
  readonly thinkingPrefix?: "every-model" | "off";
  /** What comes of thinking over a changed prefix if the request does not say. */
  readonly prefixMismatch?: "error" | "drop_block";
  /** When the account was made: older ones are checked by the newest models alone, and where the request asks for it. */
  readonly account?: "since-2026-08-31" | "before-2026-08-31";
  /** Whether a model is kept from reading thinking of models that it cannot read. */
  readonly thinkingModel?: "off";
}

/** One rule of a vendor or a server: since when it holds, who says so, and how it is switched. */
export interface SimulatedRule {
  readonly id: string;
  readonly wire: WireName;
  /** The day from which it holds, or on which its page was read where none is named. */
  readonly since: string;
  readonly says: string;
  readonly source: string;
  /** The option, with the values that differ from what is documented. */
  readonly switch: string;
}

const PREFIX_CHECKS = "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks";
const PRESERVED = "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking";
const BEDROCK = "https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html";

/** The rules that can be switched, as docs/simulator.md lists them. */
export const SIMULATED_RULES: readonly SimulatedRule[] = [
  {
    id: "thinking-prefix",
    wire: "anthropic",
    since: "2026-08-31",
    says: "Thinking is bound to `system`, the tools that are not deferred and all messages before it; after a change it and all later thinking is refused, with the words of the vendor, also where tokens are counted. Marks for the cache and other parameters are no change.",
    source: PREFIX_CHECKS,
    switch: "`rules.thinkingPrefix`: `every-model`, `off`",
  },
  {
    id: "thinking-run",
    wire: "anthropic",
    since: "2026-08-31",
    says: "Thinking that comes back is one unbroken run: leaving out its beginning, its end or all of it is fine; a gap, a block that moved or one that is put back makes what was given meanwhile invalid.",
    source: PREFIX_CHECKS,
    switch: "`rules.thinkingPrefix`: `every-model`, `off`",
  },
  {
    id: "thinking-account",
    wire: "anthropic",
    since: "2026-08-31",
    says: "Accounts made before that day are checked by Fable 5.2 and Mythos 5.2 alone, and by others where the request names a behaviour. Mythos 5.1 checks nobody.",
    source: PRESERVED,
    switch: "`rules.account`: `before-2026-08-31`",
  },
  {
    id: "thinking-outcome",
    wire: "anthropic",
    since: "2026-08-31",
    says: "`thinking.block_binding.prefix_mismatch_behavior` chooses between `error` and `drop_block`, needs the beta `thinking-binding-controls-2026-08-01`, and beats the default. With the beta the answer lists in `input_transformations` what was dropped.",
    source: BEDROCK,
    switch: "`rules.prefixMismatch`: `drop_block`",
  },
  {
    id: "thinking-model",
    wire: "anthropic",
    since: "2026-08-31",
    says: "Thinking that the model cannot read, because another model gave it, is dropped without an error.",
    source: PRESERVED,
    switch: "`rules.thinkingModel`: `off`",
  },
];
