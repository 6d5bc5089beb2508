import type { Message } from "@plimsoll/core";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import type { SizeModel } from "../size-model/size-model.ts";
import type { Recorder } from "./metric.ts";

/** What fills the context, in tokens of the size model: at each sampled call a number for each kind. */
export interface Composition {
  readonly kinds: readonly string[];
  readonly samples: readonly { readonly call: number; readonly tokens: readonly number[] }[];
}

/** Calls at which the context is taken apart: as many as a chart can show side by side (chosen). */
const MOST_SAMPLES = 48;

/** What fills the context over a session, in tokens of the size model, at evenly spread calls. */
export function createComposition(sizeModel: SizeModel): Recorder<Composition, ReplayedCall> {
  const every = Math.max(1, Math.ceil(sizeModel.calls.length / MOST_SAMPLES));
  const samples: { readonly call: number; readonly byKind: ReadonlyMap<string, number> }[] = [];
  return {
    add: (sent) => {
      if (sent.call % every === 0) samples.push({ call: sent.call, byKind: tokensByKind(sent, sizeModel) });
    },
    result: () => {
      const kinds = [...new Set(samples.flatMap(({ byKind }) => [...byKind.keys()]))];
      return {
        kinds,
        samples: samples.map(({ call, byKind }) => ({ call, tokens: kinds.map((kind) => Math.round(byKind.get(kind) ?? 0)) })),
      };
    },
  };
}

function tokensByKind(sent: ReplayedCall, sizeModel: SizeModel): ReadonlyMap<string, number> {
  const tokens = new Map([["overhead", sent.nonMessageTokens]]);
  for (const message of sent.context) {
    const kind = kindOf(message);
    tokens.set(kind, (tokens.get(kind) ?? 0) + sizeModel.messageTokens(message, sent.call));
  }
  return tokens;
}

function kindOf(message: Message): string {
  if (message.role === "tool-result") return `results of ${message.toolName}`;
  if (message.origin === "summary") return "summaries";
  if (message.origin === "notice") return "notices";
  if (message.role === "assistant") return "assistant";
  return message.origin === "injected" ? "injected" : "person";
}
