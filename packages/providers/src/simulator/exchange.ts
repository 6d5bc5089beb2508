import type { WireName } from "./reply.ts";

/** What came of one request: for tests and displays. It holds nothing of the request's headers and text. */
export interface Exchange {
  readonly wire: WireName;
  readonly outcome: "answered" | "rejected" | "overflow" | "fault";
  readonly status: number;
  /** The vendor's words where the request was not answered. */
  readonly error: string | null;
  readonly modelId: string | null;
  readonly messageCount: number | null;
  readonly promptTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
}
