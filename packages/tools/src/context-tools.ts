import { contextTools } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/extend";

/** Which of the tools an agent offers, and from where `compact` acts. */
type ContextOptions = NonNullable<Parameters<typeof contextTools>[1]>;

/** Makes the tools of `contextTools` for an agent: a call goes to its own session. */
export function contextAgentTools(options: ContextOptions): readonly AgentTool[] {
  const { definitions } = contextTools(() => ({ contextCall: () => Promise.resolve("") }), options);
  return definitions.map((spec) => ({
    spec,
    category: "file-content",
    isRerunnable: false,
    hint: spec.name === "recall" ? "use start to see other pieces" : null,
    pathsOf: () => [],
    effectOf: () => ({ kind: "read" }),
    run: async (args, { contextCall }) => {
      const text = await contextTools({ contextCall }, options).execute(spec.name, args);
      return { text: text ?? "", isError: false };
    },
  }));
}
