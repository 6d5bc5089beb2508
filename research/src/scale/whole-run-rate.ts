/**
 * Processor seconds a GB that a whole run under these policies took, as a page tells: the last figure of the first row that `pnpm big-corpus` made
 * under just these. Throws if there is none.
 */
export function wholeRunRate(page: string, policies: readonly string[]): number {
  const begin = `| ${policies.map((policy) => `\`${policy}\``).join(", ")} |`;
  const row = page.split("\n").find((line) => line.startsWith(begin));
  const rate = Number(row?.split("|").at(-2)?.replaceAll("*", ""));
  if (!(rate > 0)) throw new Error(`the page has no row of a whole run under ${policies.join(", ")}`);
  return rate;
}
