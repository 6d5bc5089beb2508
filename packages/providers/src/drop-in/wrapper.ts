import { createRedaction, option } from "@plimsoll/core/extend";
import { refuseUnsupported, type SupportedPackage } from "../client/supported.ts";
import { namedReply } from "../shorter-reply.ts";
import { type ArrayCompactor, type ArrayRequest, createArrayCompactor } from "./array-compactor.ts";
import { COMPACTOR_KEYS, type CompactorOptions, createVendorNotes } from "./request.ts";
import type { WireArray } from "./wire-array.ts";

/** The functions of its compactor that a wrapper of a model offers, too. */
export type Offered<Item> = Pick<
  ArrayCompactor<Item, never>,
  "last" | "recall" | "contextCall" | "conversations" | "delete" | "close"
>;

interface WrapperOptions<Call> extends CompactorOptions {
  readonly conversation?: (call: Call) => string | null;
}

/** A wrapper of an SDK's model: its compactor, and the facts of its calls. */
interface Wrapper<Item, Answer, Call> {
  readonly compactor: ArrayCompactor<Item, Answer>;
  readonly offered: Offered<Item>;
  /** Names a call's conversation as the options do; `null` if they do not. */
  readonly keyOf: (call: Call) => string | null;
  readonly noteVendors: ReturnType<typeof createVendorNotes>;
  /** Redacts a history that is not compacted. */
  readonly hidden: <Value>(value: Value) => Value;
  /** The facts of a call that asks for so long a reply, that of the options by default: `ask` is given the length that fits. */
  readonly replyFacts: (wanted: number | undefined, ask: (tokens: number) => void) => ArrayRequest<Answer>;
}

/** Makes the parts of a wrapper. Throws PlimsollError `bad-input` if one of the packages is installed in an unsupported version. */
export function createWrapper<Item, Answer, Call>(
  wire: WireArray<Item, Answer>,
  packages: readonly SupportedPackage[],
  given: WrapperOptions<Call>,
): Wrapper<Item, Answer, Call> {
  option.check("a compactor", WRAPPER_OPTIONS, given);
  const { conversation, ...options } = given;
  for (const name of packages) refuseUnsupported(name);
  const compactor = createArrayCompactor(wire, options);
  const named = namedReply(options);
  const { recall, contextCall, conversations, close } = compactor;
  return {
    compactor,
    offered: {
      get last() {
        return compactor.last;
      },
      recall,
      contextCall,
      conversations,
      delete: compactor.delete,
      close,
    },
    keyOf: (call) => conversation?.(call) ?? null,
    noteVendors: createVendorNotes(options),
    hidden: createRedaction(options.redact).item,
    replyFacts: (wanted = named, ask) => {
      if (wanted === undefined) return {};
      ask(wanted);
      return { maxOutputTokens: wanted, onReply: (mostTokens) => ask(Math.min(wanted, mostTokens ?? wanted)) };
    },
  };
}

const WRAPPER_OPTIONS = option.schema<WrapperOptions<never>>({ ...COMPACTOR_KEYS, conversation: option.fn.optional() });
