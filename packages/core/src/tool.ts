/**
 * The shape of a tool's output, which decides how it is truncated before it enters history. Declared by each tool;
 * a tool that declares nothing is `generic`. Any other name is a category, too, cut by its own truncation if there is one, else as `generic`.
 *
 * - `head-tail`: command output; the beginning and the end matter
 * - `match-list`: search hits, best first; leading hits matter
 * - `file-content`: text of a file; beginning and end matter alike
 * - `generic`: anything else
 */
export type OutputCategory = "head-tail" | "match-list" | "file-content" | "generic" | (string & Record<never, never>);

/** The output categories that core knows, in the order of their documentation. */
export const OUTPUT_CATEGORIES: readonly OutputCategory[] = ["head-tail", "match-list", "file-content", "generic"];

/** A file that a tool call touched. `path` is as the call gave it; Plimsoll never opens it. */
export interface PathAccess {
  readonly path: string;
  readonly access: "read" | "modify";
}

/** The texts of a tool that are sent. */
export function toolTexts({ name, description, parametersJson }: ToolSpec): readonly string[] {
  return [name, description, parametersJson];
}

/** A tool as the model sees it. `parametersJson` is its JSON schema, as the text that is sent. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parametersJson: string;
}
