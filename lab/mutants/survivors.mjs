import { relative } from "node:path";
import { root } from "../../scripts/tool.mjs";

/**
 * A mutant that was tried, as far as it is looked at.
 * @typedef {{
 *   readonly status: string,
 *   readonly fileName: string,
 *   readonly location: { readonly start: { readonly line: number, readonly column: number } },
 *   readonly mutatorName: string,
 *   readonly replacement?: string,
 * }} TriedMutant
 */

/** Prints each mutant that no test notices when it is known, so that a run that is broken off has printed its findings. Stryker loads this as a plugin. */
const survivors = {
  /** @param {TriedMutant} mutant */
  onMutantTested({ status, fileName, location: { start }, mutatorName, replacement }) {
    if (status === "Killed" || status === "Ignored") return;
    const text = (replacement ?? "").replace(/\s+/g, " ").slice(0, 100);
    console.log(`${status} ${relative(root, fileName)}:${start.line}:${start.column} ${mutatorName} ${text}`);
  },
};

export const strykerPlugins = [{ kind: "Reporter", name: "survivors", value: survivors }];
