import Anthropic from "@anthropic-ai/sdk";
import { createModelSummarizer, PLIMSOLL_MODEL_POLICY } from "@plimsoll/core";
import { createAnthropicClient } from "@plimsoll/providers/anthropic";
import { createPostgresStore } from "@plimsoll/stores/postgres";
import pg from "pg";
import { createServer } from "./server.ts";

const {
  ANTHROPIC_BASE_URL: baseUrl,
  MODEL = "claude-haiku-4-5",
  PORT = "0",
  WINDOW_TOKENS,
  LEASE_MS,
  POOL = "10",
} = process.env;

// The database is the one of PGHOST, PGDATABASE and so on; the key is in ANTHROPIC_API_KEY.
const pool = new pg.Pool({ max: Number(POOL) });
pool.on("error", (error) => console.error(error.message));
const store = createPostgresStore(pool, LEASE_MS === undefined ? {} : { leaseMs: Number(LEASE_MS) });
await store.setUp();

const server = createServer({
  store,
  client: new Anthropic(),
  summarizer: createModelSummarizer(createAnthropicClient(baseUrl === undefined ? {} : { baseUrl }), { modelId: MODEL }),
  policy: PLIMSOLL_MODEL_POLICY,
  modelId: MODEL,
  windowTokens: WINDOW_TOKENS === undefined ? null : Number(WINDOW_TOKENS),
});
server.listen(Number(PORT), "127.0.0.1", () => {
  const address = server.address();
  console.log(`listening on http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : PORT}`);
});
process.once("SIGTERM", () => server.close(() => void pool.end()));
