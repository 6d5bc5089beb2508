import { resolve } from "node:path";
import { z } from "zod";
import { checked, defineTool, type FolderTool, failure, IN_FOLDER, output } from "./define-tool.ts";
import { readTextFile } from "./workspace/files.ts";
import { workspaceFiles } from "./workspace/workspace.ts";

/** Larger files are generated or data; chosen. */
const MAXIMUM_FILE_BYTES = 1024 * 1024;

/** Matches that are kept; more than any cap leaves room for. */
const MAXIMUM_MATCHES = 500;

/** Longest line that is shown; chosen. */
const MAXIMUM_LINE_CHARS = 400;

/** `search_codebase`: finds the lines with most of the words asked for, best first. */
export const searchCodebaseTool: FolderTool = checked(IN_FOLDER, ({ workspace }) =>
  defineTool({
    name: "search_codebase",
    description:
      "Finds lines by words, best first: those that hold most of the words, and words of the path count. Case does not matter. For exact patterns use grep.",
    category: "match-list",
    isRerunnable: true,
    hint: "use more specific words to see other matches",
    effect: { kind: "read" },
    input: z.strictObject({ query: z.string().min(1), path: z.string().optional() }),
    run: async ({ query, path = "." }, { signal }) => {
      const words = [...new Set(query.toLowerCase().match(/\S+/g))];
      if (words.length === 0) return failure("Give at least one word.");
      const matches: Match[] = [];
      for (const name of await workspaceFiles(workspace, path, "**/*")) {
        signal.throwIfAborted();
        // Links are passed over, and files that are gone meanwhile.
        const file = await readTextFile(resolve(workspace.root, name), MAXIMUM_FILE_BYTES).catch(() => null);
        if (file?.isBinary === false && file.isWhole) matches.push(...matchesIn(name, file.text, words));
      }
      const best = matches.sort((a, b) => b.score - a.score).slice(0, MAXIMUM_MATCHES);
      return output(best.length === 0 ? "No matches." : best.map(({ shown }) => shown).join("\n"));
    },
  }),
);

interface Match {
  readonly score: number;
  readonly shown: string;
}

function matchesIn(name: string, text: string, words: readonly string[]): readonly Match[] {
  const lowerName = name.toLowerCase();
  const nameScore = words.filter((word) => lowerName.includes(word)).length;
  return text.split("\n").flatMap((line, index) => {
    const lower = line.toLowerCase();
    const hits = words.filter((word) => lower.includes(word)).length;
    return hits === 0
      ? []
      : [{ score: 2 * hits + nameScore, shown: `${name}:${index + 1}:${line.slice(0, MAXIMUM_LINE_CHARS)}` }];
  });
}
