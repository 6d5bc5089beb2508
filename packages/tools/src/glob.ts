import { z } from "zod";
import { checked, defineTool, type FolderTool, IN_FOLDER, output } from "./define-tool.ts";
import { workspaceFiles } from "./workspace/workspace.ts";

/** `glob`: lists the files whose paths match a pattern, without those in `.git` and `node_modules`. */
export const globTool: FolderTool = checked(IN_FOLDER, ({ workspace }) =>
  defineTool({
    name: "glob",
    description: "Lists files whose path matches a pattern, e.g. src/**/*.ts. Folders .git and node_modules are left out.",
    category: "match-list",
    isRerunnable: true,
    hint: "narrow pattern or path to see other files",
    effect: { kind: "read" },
    input: z.strictObject({ pattern: z.string().min(1), path: z.string().optional() }),
    run: async ({ pattern, path = "." }) => {
      const files = await workspaceFiles(workspace, path, pattern);
      return output(files.length === 0 ? "No files." : files.join("\n"));
    },
  }),
);
