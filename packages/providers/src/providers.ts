import { type ModelClient, PlimsollError } from "@plimsoll/core";
import { ANTHROPIC } from "./anthropic/client.ts";
import { processEnvironment } from "./client/environment.ts";
import type { ClientOptions, Provider } from "./client/options.ts";
import { CHAT_PROVIDERS } from "./openai-chat/client.ts";
import { OPENAI } from "./openai-responses/client.ts";

/** All providers that can be named. The first of a name counts: OpenAI is asked on its newer wire. */
const PROVIDERS: readonly Provider[] = [ANTHROPIC, OPENAI, ...CHAT_PROVIDERS];

/** Names of the hosts that {@link clientFor} knows: the two with APIs of their own first, then those that speak Chat Completions. */
export const HOST_NAMES: readonly string[] = [...new Set(PROVIDERS.map(({ name }) => name))];

/** Names of the environment variables that contain the hosts' API keys. Only requests may carry those. */
export const KEY_VARIABLES: readonly string[] = [...new Set(PROVIDERS.flatMap(({ keyVariable }) => keyVariable ?? []))];

/**
 * Returns the client of a provider by its name. Without `baseUrl` the environment's `<HOST>_BASE_URL` (`ANTHROPIC_BASE_URL`, `LLAMA_CPP_BASE_URL`)
 * comes before the host's own address.
 *
 * @throws PlimsollError `bad-input` for an unknown host, or one without its key.
 */
export function clientFor(host: string, options: ClientOptions = {}): ModelClient {
  const provider = PROVIDERS.find(({ name }) => name === host);
  if (provider === undefined)
    throw new PlimsollError("bad-input", `no host is called "${host}"; there are ${HOST_NAMES.join(", ")}`, { host });
  const environment = options.environment ?? processEnvironment();
  const baseUrl = options.baseUrl ?? environment[baseUrlVariable(host)];
  return provider.createClient({ ...options, environment, ...(baseUrl === undefined || baseUrl === "" ? {} : { baseUrl }) });
}

/** Name of the environment variable that sets another base URL for a host, such as `ANTHROPIC_BASE_URL`. */
export function baseUrlVariable(host: string): string {
  return `${host.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_BASE_URL`;
}
