import { PI_POLICY, type Policy } from "@plimsoll/core";

/** The base of peers that are written as one summary by a model: pi's design, without its lists of files. */
export const BASE_POLICY: Policy = { ...PI_POLICY, facts: { maxTokens: 0 } };
