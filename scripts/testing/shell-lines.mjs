/**
 * The commands of a shell's lines: comments and variables set for one command are left out, pipes and `&&` taken apart, quotes removed.
 * @param {string} text
 * @returns {readonly (readonly string[])[]}
 */
export function shellCommands(text) {
  const lines = text.replaceAll(/\\\n\s*/g, " ").split("\n");
  return lines.flatMap((line) => {
    /** @type {string[][]} */
    const commands = [[]];
    for (const [token] of line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'|&])+|\|+|&+/g)) {
      if (token.startsWith("#")) break;
      if (/^[|&]/.test(token)) commands.push([]);
      else if (commands.at(-1)?.length !== 0 || !/^[A-Z_]+=/.test(token)) commands.at(-1)?.push(token.replaceAll(/["']/g, ""));
    }
    return commands.filter((words) => words.length > 0);
  });
}

/** The ways to say `pnpm` and `plimsoll` in full. */
const PNPM = /^(?:npx -y )?pnpm(?:@12)? /;
const PLIMSOLL = /^(?:npx )?plimsoll /;

/**
 * Finds the started program of ours: the command line with its arguments, a script of the workspace, or nothing.
 * @param {readonly string[]} words
 * @returns {{ readonly kind: "plimsoll", readonly args: readonly string[] } | { readonly kind: "script", readonly workspace: string | null, readonly name: string } | { readonly kind: "other" }}
 */
export function startedBy(words) {
  const line = `${words.join(" ")} `;
  const pnpm = PNPM.exec(line)?.[0];
  const rest = pnpm === undefined ? words : words.slice(pnpm.trim().split(" ").length);
  const plimsoll = PLIMSOLL.exec(`${rest.join(" ")} `)?.[0];
  if (plimsoll !== undefined) return { kind: "plimsoll", args: rest.slice(plimsoll.trim().split(" ").length) };
  if (pnpm === undefined) return { kind: "other" };
  const [filter, workspace = "", ...named] = rest;
  const [first, second] = filter === "--filter" ? named : rest;
  return {
    kind: "script",
    workspace: filter === "--filter" ? workspace : null,
    name: (first === "run" ? second : first) ?? "",
  };
}
