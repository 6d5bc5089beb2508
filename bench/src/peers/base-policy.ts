import { PI_POLICY, type Policy } from "@plimsoll/core";

/** The base of peers that are written as one summary by a model: pi's design, and the facts that every summary of ours comes with. */
export const BASE_POLICY: Policy = { ...PI_POLICY, facts: { maxTokens: 1000, files: "by-name" } };
