import { overheadHash, type SessionView } from "@plimsoll/core";

/** The hash of a view's overhead, made anew only where system text or tools are others than when it was asked before. */
export function createOverheadHash(): (view: Pick<SessionView, "system" | "tools">) => string {
  let known: { readonly view: Pick<SessionView, "system" | "tools">; readonly hash: string } | null = null;
  return (view) => {
    if (known === null || known.view.system !== view.system || known.view.tools !== view.tools)
      known = { view: { system: view.system, tools: view.tools }, hash: overheadHash(view.system, view.tools) };
    return known.hash;
  };
}
