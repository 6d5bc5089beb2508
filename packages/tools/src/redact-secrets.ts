import type { ArtifactStore, createRedactor } from "@plimsoll/core";
import { type AgentTool, characterBoundaryAtOrBefore, type ToolEffect } from "@plimsoll/core/extend";
import { type ArtifactWriter, isStreaming } from "./process/output-collector.ts";

type Redactor = ReturnType<typeof createRedactor>;

/**
 * Wraps tools so that the redactor hides secrets in everything that they give the session: texts for the model, descriptions of a call's effect, artifacts, their errors
 * and their output. Only exact values are found: a program can always write a secret in another form.
 */
export function redactedTools(tools: readonly AgentTool[], { text: hide, longestChars }: Redactor): readonly AgentTool[] {
  if (longestChars === 0) return tools;
  const hiding = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // The cause is left out: it may hold the message's secret.
      throw hide(message) === message ? error : new Error(hide(message));
    }
  };
  return tools.map((tool) => ({
    ...tool,
    spec: { ...tool.spec, description: hide(tool.spec.description), parametersJson: hide(tool.spec.parametersJson) },
    pathsOf: (args) => tool.pathsOf(args),
    effectOf: (args) => hiding(async () => hiddenEffect(await tool.effectOf(args), hide)),
    run: (args, call) =>
      hiding(async () => {
        const artifacts = redactedStore(call.artifacts, { text: hide, longestChars });
        const { text, hint, ...output } = await tool.run(args, { ...call, artifacts });
        return { ...output, text: hide(text), ...(hint === undefined ? {} : { hint: hide(hint) }) };
      }),
  }));
}

function hiddenEffect(effect: ToolEffect, hide: Redactor["text"]): ToolEffect {
  switch (effect.kind) {
    case "read":
    case "unknown":
      return effect;
    case "execute":
      return { ...effect, command: hide(effect.command), folder: hide(effect.folder) };
    case "write": {
      const hidden = (text: string | null) => (text === null ? null : hide(text));
      const contents = { before: hidden(effect.before), after: hidden(effect.after) };
      return { ...effect, ...contents, what: hide(effect.what), files: effect.files.map(hide) };
    }
    default:
      return effect satisfies never;
  }
}

/** The store with the redactor before it. It streams if the store does. */
function redactedStore(store: ArtifactStore, redactor: Redactor): ArtifactStore {
  const put = (text: string) => store.put(redactor.text(text));
  const get = (handle: string) => store.get(handle);
  if (!isStreaming(store)) return { put, get };
  const streaming = { put, get, begin: async () => redactedWriter(await store.begin(), redactor) };
  return streaming;
}

function redactedWriter(writer: ArtifactWriter, { text: hide, longestChars }: Redactor): ArtifactWriter {
  let held = "";
  return {
    write: async (text) => {
      const known = hide(held + text);
      // A secret whose end has not come yet is held back.
      const end = characterBoundaryAtOrBefore(known, Math.max(0, known.length - longestChars + 1));
      held = known.slice(end);
      if (end > 0) await writer.write(known.slice(0, end));
    },
    finish: async () => {
      if (held !== "") await writer.write(held);
      return await writer.finish();
    },
    discard: () => writer.discard(),
  };
}
