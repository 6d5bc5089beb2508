import process from "node:process";
import type { ModelClient } from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import { createAnthropicClient } from "../anthropic/client.ts";
import type { ClientOptions } from "../client/model-client.ts";
import { createOpenAiChatClient } from "../openai-chat/client.ts";
import { CHAT_HOSTS, chatHostNamed } from "../openai-chat/hosts.ts";
import { createOpenAiResponsesClient } from "../openai-responses/client.ts";

/** Hosts that can be named: the two with wires of their own first, then those that speak Chat Completions. */
export const HOST_NAMES: readonly string[] = [...new Set(["anthropic", "openai", ...CHAT_HOSTS.map(({ name }) => name)])];

/** The environment's variables that hold the hosts' keys: what nothing but a request may carry. */
export const KEY_VARIABLES: readonly string[] = [
  ...new Set(["ANTHROPIC_API_KEY", ...CHAT_HOSTS.flatMap(({ keyVariable }) => keyVariable ?? [])]),
];

/**
 * The client of a host by its name. Where `baseUrl` is left out, the environment's `<HOST>_BASE_URL` (`ANTHROPIC_BASE_URL`, `LLAMA_CPP_BASE_URL`)
 * comes before the host's own address. Importing this needs the SDKs of all wires.
 *
 * @throws PlimsollError `bad-input` for a host that is not known, or one whose key is not set.
 */
export function clientFor(host: string, options: ClientOptions = {}): ModelClient {
  const environment = options.environment ?? process.env;
  const baseUrl = options.baseUrl ?? environment[baseUrlVariable(host)];
  const given = { ...options, environment, ...(baseUrl === undefined || baseUrl === "" ? {} : { baseUrl }) };
  if (host === "anthropic") return createAnthropicClient(given);
  if (host === "openai") return createOpenAiResponsesClient(given);
  const chatHost = chatHostNamed(host);
  if (chatHost !== undefined) return createOpenAiChatClient({ ...given, host: chatHost });
  throw new PlimsollError("bad-input", `no host is called "${host}"; there are ${HOST_NAMES.join(", ")}`, { host });
}

/** The environment's variable that names another address for a host. */
export function baseUrlVariable(host: string): string {
  return `${host.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_BASE_URL`;
}
