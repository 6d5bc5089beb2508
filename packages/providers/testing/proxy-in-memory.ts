import { type ModelLimits, PLIMSOLL_POLICY } from "@plimsoll/core";
import { createLearnedLimits } from "../src/learned-limits.ts";
import { createConversationKeys } from "../src/proxy/conversation-keys.ts";
import { createProxyCompaction, type ProxyCompaction } from "../src/proxy/proxy.ts";

type ProxyOptions = Parameters<typeof createProxyCompaction>[0];

/** A proxy's compaction that keeps nothing, for one model's limits. */
export function proxyInMemory({ limits, ...options }: Partial<ProxyOptions> & { limits: ModelLimits }): ProxyCompaction {
  return createProxyCompaction({
    policy: PLIMSOLL_POLICY,
    limitsOf: () => limits,
    sessions: null,
    keys: createConversationKeys([], async () => undefined),
    learned: createLearnedLimits(),
    ...options,
  });
}
