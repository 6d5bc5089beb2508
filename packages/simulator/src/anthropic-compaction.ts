import { type BindingRequest, isOwnSummary, type SentMessage } from "./anthropic-binding.ts";
import { recordAt, recordsAt, stringAt } from "./fields.ts";
import { headerValues, invalid } from "./wire.ts";

/**
 * Compaction on demand: platform.claude.com/docs/en/build-with-claude/compaction-on-demand, read on 2026-11-29. The error codes are the page's; the words beside
 * them are ours where it quotes none.
 */
const COMPACTION_BETA = "compact-2026-09-04";

/** Models that have it, by the page's list: Claude 4.6 and later. */
const NO_COMPACTION = /claude-(?:[23]|instant|(?:opus|sonnet|haiku)-4(?![-.](?:[6-9]|\d\d(?!\d)))|haiku-(?!5[-.]5))/;

/** Tells whether a request asks for a summary; throws what the vendor refuses of it. Token counting ignores the parameter. */
export function checkCompaction(body: unknown, messages: readonly SentMessage[], request: BindingRequest): boolean {
  const { modelId, headers, rules } = request;
  const asked = recordAt(body, "compaction");
  if (asked === null) return false;
  if (!headerValues(headers, "anthropic-beta").includes(COMPACTION_BETA))
    throw invalid(`compaction: requires anthropic-beta: ${COMPACTION_BETA}`);
  if (rules.compactEndpoint === "off" || NO_COMPACTION.test(modelId)) throw invalid("compaction: not supported on this model");
  if (stringAt(asked, "type") !== "summarize") throw invalid("compaction.type: Input should be 'summarize'");
  if ((stringAt(asked, "instructions") ?? "").length > 16_384)
    throw invalid("compaction.instructions: at most 16384 characters");
  const choice = stringAt(recordAt(body, "tool_choice"), "type");
  const output = recordAt(body, "output_config");
  const beside = [
    ["context_management", recordAt(body, "context_management") !== null],
    ["stop_sequences", Array.isArray(Object(body).stop_sequences)],
    ["output_config.format", recordAt(output, "format") !== null],
    ["output_config.task_budget.remaining", recordAt(output, "task_budget")?.remaining !== undefined],
    ["tool_choice", choice === "any" || choice === "tool"],
  ].find(([, isThere]) => isThere === true);
  if (beside !== undefined) throw invalid(`${String(beside[0])}: cannot be combined with compaction`);
  const last = messages.at(-1);
  if (last?.role === "assistant" && last.blocks.some(({ type }) => type === "tool_use"))
    throw invalid("compaction: the last assistant turn has a tool call without its result");
  return true;
}

const BLOCK_FIELDS: ReadonlySet<string> = new Set(["type", "content", "signature", "cache_control", "tool_changes"]);

/** Checks the summaries of a request; true if it begins with one. Throws what the vendor refuses. */
export function checkSummaries(body: unknown, messages: readonly SentMessage[], { headers, rules }: BindingRequest): boolean {
  const all = messages.flatMap(({ blocks }, index) =>
    blocks.flatMap((block, place) => (block.type === "compaction" ? [{ block, index, place }] : [])),
  );
  const [first, second] = all;
  if (first === undefined) return false;
  const where = `messages.${first.index}.content.${first.place}`;
  if (!headerValues(headers, "anthropic-beta").includes(COMPACTION_BETA))
    throw invalid(`${where}: Input tag 'compaction' found using 'type' does not match any of the expected tags`);
  const extra = Object.keys(first.block).find((key) => !BLOCK_FIELDS.has(key));
  if (extra !== undefined) throw invalid(`${where}.compaction.${extra}: Extra inputs are not permitted`);
  if (second !== undefined) throw invalid(`${where}: at most one compaction block may be provided`);
  if (first.index > 0 || first.place > 0) throw refusal(where, "misplaced", "block_");
  if (rules.summaries === "expired") throw refusal(where, "expired", "block_");
  if (rules.summaries !== undefined || !isOwnSummary(first.block)) throw refusal(where, "invalid", "signature_");
  if (recordsAt(recordAt(body, "context_management"), "edits").some(({ type }) => type === "compact_20260112"))
    throw invalid("context_management: cannot run on a request with a signed compaction block");
  return true;
}

function refusal(where: string, what: string, of: string) {
  return invalid(`${where}: the compaction block is ${what} (compaction_${of}${what})`, { code: `compaction_${of}${what}` });
}
