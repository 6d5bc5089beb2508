import { formatPercent, formatTokens } from "@plimsoll/bench/extend";
import { z } from "zod";
import { printable } from "../terminal/printable.ts";

/** The payload that Claude Code gives to a status line's command: code.claude.com/docs/en/statusline, read in November 2026. */
export const statusSchema: z.ZodType<Status> = z.object({
  model: z.object({ display_name: z.string() }).exactOptional(),
  context_window: z
    .object({
      context_window_size: z.number().exactOptional(),
      current_usage: z
        .object({
          input_tokens: z.number(),
          cache_creation_input_tokens: z.number().exactOptional(),
          cache_read_input_tokens: z.number().exactOptional(),
        })
        .nullish(),
    })
    .exactOptional(),
});

interface Status {
  readonly model?: { readonly display_name: string };
  readonly context_window?: {
    readonly context_window_size?: number;
    readonly current_usage?:
      | {
          readonly input_tokens: number;
          readonly cache_creation_input_tokens?: number;
          readonly cache_read_input_tokens?: number;
        }
      | null
      | undefined;
  };
}

/** One line: the model, how full its window is, and how much of the newest prompt came from the cache. */
export function statusLine({ model, context_window: context }: Status): string {
  const usage = context?.current_usage ?? null;
  const name = model === undefined ? [] : [printable(model.display_name)];
  if (usage === null) return [...name, "no request yet"].join(" · ");
  const { input_tokens: plain, cache_creation_input_tokens: written = 0, cache_read_input_tokens: read = 0 } = usage;
  const total = plain + written + read;
  const size = context?.context_window_size ?? null;
  const full = size === null ? [] : [`of ${formatTokens(size)} (${formatPercent((100 * total) / size)} %)`];
  const cached = total === 0 ? [] : [`${formatPercent((100 * read) / total)} % from the cache`];
  return [...name, [formatTokens(total), ...full].join(" "), ...cached].join(" · ");
}
