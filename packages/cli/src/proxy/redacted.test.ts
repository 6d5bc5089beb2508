import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { createConversationKeys, createLearnedLimits, createProxyCompaction } from "@plimsoll/providers/proxy";
import { expect, onTestFinished, test } from "vitest";
import { sendRaw } from "../../testing/proxy-setting.ts";
import { type RelayedRequest, startRelay } from "../../testing/relay.ts";
import { createExchange } from "./exchange.ts";
import { startProxyServer } from "./proxy-server.ts";
import { createUpstream } from "./upstream.ts";

const KEY = "sk-planted-0123456789abcdef";
const hide = (text: string) => text.split(KEY).join("[key]");

/** Sends one request through a proxy with a redactor; gives its answer, and the requests that the upstream got. */
async function exchanged(
  redact: (text: string) => string,
  path: string,
  body: string,
  headers: { readonly [name: string]: string },
) {
  const relay = await startRelay("", (_, response) => {
    response.end("{}");
    return "answered";
  });
  const compaction = createProxyCompaction({
    ...{ policy: PLIMSOLL_POLICY, sessions: null, learned: createLearnedLimits(), redact },
    keys: createConversationKeys([], async () => undefined),
  });
  const upstream = createUpstream(
    new URL(relay.url),
    () => undefined,
    () => 0,
  );
  const answer = createExchange({
    ...{ upstream, compaction, policy: PLIMSOLL_POLICY },
    onProblem: () => undefined,
    withRequest: (_, work) => work(),
  });
  const server = await startProxyServer({ host: "127.0.0.1", port: 0, token: "t", answer });
  onTestFinished(async () => {
    await server.close();
    upstream.close();
    await relay.close();
  });
  const { status, body: bytes } = await sendRaw(`${server.url}${path}`, headers, body);
  return { status, answer: JSON.parse(bytes.toString("utf8")), seen: relay.requests.map(textOf) };
}

function textOf({ body }: RelayedRequest): string {
  return body.toString("utf8");
}

const asked = JSON.stringify({ model: "claude-opus-5", max_tokens: 100, messages: [{ role: "user", content: KEY }] });
const failing = () => {
  throw new Error("no");
};

test.each<[string, (text: string) => string, string, string, { readonly [name: string]: string }]>([
  ["whose redactor fails", failing, "/v1/messages", asked, {}],
  ["that is no JSON", hide, "/v1/messages", `{"messages": ["${KEY}"`, {}],
  ["whose packing is not known", hide, "/v1/messages", KEY, { "content-encoding": "x-own" }],
  ["at a path of no history", hide, "/v1/messages/count_tokens", asked, {}],
])("a request %s is refused, and never passed on as it came", async (_, redact, path, body, headers) => {
  const { status, answer, seen } = await exchanged(redact, path, body, headers);
  expect(seen).toEqual([]);
  expect([status, answer.error.type]).toEqual([400, "not_redacted"]);
});

test.each([
  ["a history", "/v1/messages", asked],
  ["one text", "/v1/responses", JSON.stringify({ model: "gpt-5", input: KEY })],
  ["nothing to redact, at a path of no history", "/v1/embeddings", JSON.stringify({ input: "words" })],
])("a request of %s is passed on redacted", async (_, path, body) => {
  expect((await exchanged(hide, path, body, {})).seen).toEqual([hide(body)]);
});
