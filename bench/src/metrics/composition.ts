import type { Message } from "@plimsoll/core";
import { fileBegun, sequenceOf } from "@plimsoll/core/extend";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import type { SizeJudge } from "../size-judge/size-judge.ts";
import type { Recorder } from "./metric.ts";

/** The content of the context, in tokens of the size model: at each sampled call a number for each kind. */
export interface Composition {
  readonly kinds: readonly string[];
  readonly samples: readonly { readonly call: number; readonly tokens: readonly number[] }[];
}

/** Calls at which the context is taken apart: as many as a chart can show side by side (chosen). */
const MOST_SAMPLES = 48;

/** Records the content of the context over a session, in tokens of the size model, at evenly spread calls. */
export function createComposition(sizeJudge: SizeJudge): Recorder<Composition, ReplayedCall> {
  const every = Math.max(1, Math.ceil(sizeJudge.calls.length / MOST_SAMPLES));
  const tokensOf = followingKinds(sizeJudge);
  const samples: { readonly call: number; readonly byKind: ReadonlyMap<string, number> }[] = [];
  return {
    add: (sent) => {
      if (sent.call % every === 0) samples.push({ call: sent.call, byKind: tokensOf(sent) });
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

/** Counts the kinds of content in contexts that follow each other. Only new messages are looked at, if no size changed meanwhile. */
function followingKinds(
  sizeJudge: SizeJudge,
): (sent: Pick<ReplayedCall, "call" | "context" | "nonMessageTokens">) => ReadonlyMap<string, number> {
  let before = { call: 0, context: sequenceOf<Message>(), byKind: OVERHEAD_ALONE, isWhole: true };
  return ({ call, context, nonMessageTokens }) => {
    // Sizes that are no whole numbers are added up in the order of the messages.
    const goesOn = before.isWhole && context.goesOnFrom(before.context) && !sizeJudge.isResizedBetween(before.call, call);
    const byKind = new Map(goesOn ? before.byKind : OVERHEAD_ALONE);
    byKind.set(OVERHEAD, nonMessageTokens);
    let isWhole = true;
    for (const message of context.slice(goesOn ? before.context.size : 0)) {
      const kind = kindOf(message);
      const tokens = sizeJudge.messageTokens(message, call);
      isWhole &&= Number.isInteger(tokens);
      byKind.set(kind, (byKind.get(kind) ?? 0) + tokens);
    }
    before = { call, context, byKind, isWhole };
    return byKind;
  };
}

/** It stands first. */
const OVERHEAD = "overhead";
const OVERHEAD_ALONE: ReadonlyMap<string, number> = new Map([[OVERHEAD, 0]]);

function kindOf(message: Message): string {
  if (message.role === "tool-result") return `results of ${message.toolName}`;
  if (message.origin === "summary") return "summaries";
  if (message.origin === "notice") return "notices";
  if (message.role === "assistant") return "assistant";
  if (message.origin !== "injected") return "person";
  const [first] = message.parts;
  const file = first?.type === "text" ? fileBegun(first.text.trimStart().split("\n", 1)[0] ?? "") : null;
  return file === null ? "injected" : `instructions of ${file.name}`;
}
