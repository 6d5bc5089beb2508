import type { Output } from "../io.ts";

/** Whether text for an output may be coloured: on a terminal, unless `NO_COLOR` is set (no-color.org). */
export function coloursOf(
  { isTTY }: Output,
  environment: { readonly [name: string]: string | undefined },
): "colours" | "plain" {
  return isTTY === true && (environment.NO_COLOR ?? "") === "" ? "colours" : "plain";
}
