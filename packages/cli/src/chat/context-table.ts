import { formatTokens } from "@plimsoll/bench";
import type { Context, Message, Part, Policy, Tokenizers } from "@plimsoll/core";
import { createEstimator, createWorkCounter, partChars } from "@plimsoll/core";
import { printable } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";

/** What fills a context: one row a kind and tool. */
export interface ContextShare {
  readonly what: string;
  readonly count: number;
  readonly chars: number;
  /** By the policy's measure, before any calibration. */
  readonly tokens: number;
}

/** How a context is measured: by its policy, with tokenizers where that counts by a byte-pair encoding. */
export interface ShareMeasure {
  readonly policy: Policy;
  readonly tokenizers?: Tokenizers;
}

/** The shares of a context, largest first. Tokens of a message are spread over its parts by their length. */
export function contextShares(context: Context, { policy, tokenizers = {} }: ShareMeasure): readonly ContextShare[] {
  const { measure } = createEstimator(policy.estimator, createWorkCounter(), { tokenizers });
  const shares = new Map<string, { count: number; chars: number; tokens: number }>();
  const add = (what: string, chars: number, tokens: number) => {
    const share = shares.get(what) ?? { count: 0, chars: 0, tokens: 0 };
    shares.set(what, { count: share.count + 1, chars: share.chars + chars, tokens: share.tokens + tokens });
  };
  if (context.system !== "") add("system", context.system.length, measure.textTokens(context.system));
  if (context.tools.length > 0) {
    const chars = context.tools.reduce((sum, tool) => sum + tool.description.length + tool.parametersJson.length, 0);
    add("tools", chars, measure.toolsTokens(context.tools));
  }
  for (const message of context.messages) {
    const tokens = measure.messageTokens(message);
    const totalChars = message.parts.reduce((sum, part) => sum + partChars(part), 0);
    for (const part of message.parts) {
      const ratio = totalChars === 0 ? 1 / message.parts.length : partChars(part) / totalChars;
      add(kindOf(message, part), partChars(part), tokens * ratio);
    }
  }
  return [...shares].map(([what, share]) => ({ what, ...share })).sort((a, b) => b.tokens - a.tokens);
}

function kindOf(message: Message, part: Part): string {
  if (part.type === "image") return "images";
  if (part.type === "reasoning") return "reasoning";
  if (part.type === "tool-call") return `calls of ${part.toolName}`;
  if (message.role === "tool-result") return `results of ${message.toolName}`;
  if (message.origin === "model") return "the model's words";
  return message.origin === "human" ? "your messages" : `${message.origin} messages`;
}

/** The shares as a table, with the name of the measure below it. */
export function contextTable(context: Context, by: ShareMeasure): string {
  const shares = contextShares(context, by);
  const total = shares.reduce((sum, { tokens }) => sum + tokens, 0);
  const rows = shares.map(({ what, count, tokens }) => [
    printable(what),
    String(count),
    formatTokens(tokens),
    `${Math.round((100 * tokens) / Math.max(1, total))}%`,
  ]);
  const head = [["what", "parts", "tokens", "share"].map((content) => ({ content, align: "right" }) as const)];
  const { name } = createEstimator(by.policy.estimator, createWorkCounter(), { tokenizers: by.tokenizers ?? {} });
  const table = rows.length === 0 ? "The context is empty." : drawTable({ head, rows, leftColumns: [0] });
  return `${table}\nmeasured by ${name}, uncalibrated`;
}
