import type { Message } from "@plimsoll/core";

/** How a message is weighed before it is measured; `hiddenTokens` is the part of it that is reasoning not on file. */
export interface MessageWeights {
  readonly tokens: (message: Message, modelId: string) => number;
  readonly hiddenTokens: (message: Message, modelId: string) => number;
}
