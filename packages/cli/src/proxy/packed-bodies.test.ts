import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { storedZstd, zstdFrame } from "@plimsoll/providers/testing";
import { describe, expect, test } from "vitest";
import { type AgentOptions, type AgentWire, startAgent } from "../../testing/proxy-agent.ts";
import { compactionsIn, type ProxySetting, type SettingOptions, sendRaw, startSetting } from "../../testing/proxy-setting.ts";
import type { Intercept } from "../../testing/relay.ts";

let setting: ProxySetting;
const started = async (options: SettingOptions = {}) => {
  setting = await startSetting(options);
  return setting;
};

type Pack = (bytes: Buffer | string) => Uint8Array<ArrayBuffer>;
const gzip: Pack = (bytes) => gzipSync(bytes);
const zstd: Pack = (bytes) => Buffer.from(storedZstd(bytes));
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const PACKINGS: readonly (readonly [encoding: string, wire: AgentWire, steps: number, pack: Pack])[] = [
  ["zstd", "openai-responses", 45, zstd],
  ["GZIP", "openai-chat", 18, gzip],
  ["deflate", "gemini", 18, (bytes) => deflateSync(bytes)],
  ["br", "anthropic", 18, (bytes) => brotliCompressSync(bytes, quickly)],
  ["gzip, zstd", "openai-responses", 18, (bytes) => zstd(Buffer.from(gzip(bytes)))],
];
const FORMS: readonly AgentOptions["form"][] = ["whole", "streamed"];
const ROWS = PACKINGS.flatMap((packing) => FORMS.map((form) => [form, ...packing] as const));

const linesWith = (words: string) =>
  setting
    .stdout()
    .split("\n")
    .filter((line) => line.includes(words));
const session = { session_id: "s" };

test.each(ROWS)(
  "%s, requests packed with %s (%s): of %i each is paid once, none is refused",
  async (form, encoding, wire, steps, pack) => {
    const { url, seen, simulator, stdout } = await started();
    const agent = startAgent({ wire, form, url, pack, headers: { ...session, "content-encoding": encoding } });
    const answers = await agent.say("Look at every part.", steps);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: steps }, () => 200));
    expect([seen.length, simulator.exchanges().length]).toEqual([steps, steps]);
    expect(seen.filter(({ headers }) => headers["content-encoding"] !== undefined)).toEqual([]);
    expect(compactionsIn(stdout())).toBeGreaterThan(0);
    expect(linesWith("problem")).toEqual([]);
  },
);

/** Has the simulator answer, and packs the answer, in small pieces. */
function packedAnswers(
  encoding: string,
  pack: Pack,
  said: (text: string, index: number) => string = (text) => text,
): Intercept {
  let index = 0;
  return async ({ target, headers, body }, response) => {
    const sent = Object.entries(headers).filter(([name]) => /^(x-|auth|anthropic|content-type)/.test(name));
    const answer = await fetch(`${setting.simulator.url}${target}`, {
      method: "POST",
      headers: sent.map(([name, value]) => [name, `${value}`]),
      body: Buffer.from(body),
    });
    const packed = Buffer.from(pack(said(await answer.text(), index++)));
    response.writeHead(answer.status, {
      "content-type": `${answer.headers.get("content-type")}`,
      "content-encoding": encoding,
    });
    for (let at = 0; at < packed.length; at += 500) response.write(packed.subarray(at, at + 500));
    response.end();
    return "answered" as const;
  };
}

/** Answers whose usage was noted, by the proxy's logs. */
function notedIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  const text = names.map((name) => readFileSync(join(folder, name), "utf8")).join("");
  return new Set(text.match(/"requestId":"[^"]+"/g)).size;
}

/** The small agent unpacks no zstd. Streams come plain from the proxy. */
const ANSWERED = ROWS.filter(([form, encoding]) => form === "streamed" || !encoding.includes("zstd"));

test.each(ANSWERED)("%s, answers and refusals packed with %s (%s) are read", async (form, encoding, wire, _, pack) => {
  const { url, folder } = await started({ proxy: { window: "200k" }, intercept: packedAnswers(encoding, pack) });
  const agent = startAgent({ wire, form, url, headers: session });
  const answers = await agent.say("Look at every part.", 20);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(linesWith("refused with 400, sent again").length).toBeGreaterThan(0);
  expect(notedIn(folder)).toBeGreaterThanOrEqual(20);
});

const REFUSED_IN_STREAM = `event: error\ndata: ${JSON.stringify({ type: "error", code: "context_length_exceeded", message: "Your input exceeds the context window of this model." })}\n\n`;

test("a stream packed with zstd that begins with an overflow is cut and asked again", async () => {
  const intercept = packedAnswers("zstd", zstd, (text, index) => (index === 6 ? REFUSED_IN_STREAM : text));
  const { url } = await started({ intercept });
  const agent = startAgent({ wire: "openai-responses", form: "streamed", url, headers: session });
  const answers = await agent.say("Look at every part.", 9);
  expect(answers).toHaveLength(9);
  expect(linesWith("answered with 200, but")).toHaveLength(1);
});

/** A request of the Responses wire as it is given, with the answer's bytes as they come. */
function posted(body: Uint8Array, encoding: string) {
  const headers = { ...session, authorization: "Bearer key", "content-type": "application/json", "content-encoding": encoding };
  return sendRaw(`${setting.url}/v1/responses`, headers, body);
}
const BODY = startAgent({ wire: "openai-responses", form: "whole", url: "" }).body({
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
});

test("a whole answer packed with zstd passes as it came, and its usage is noted", async () => {
  const said: string[] = [];
  const keep = (text: string) => `${said[said.push(text) - 1]}`;
  const { folder } = await started({ intercept: packedAnswers("zstd", zstd, keep) });
  const { body } = await posted(zstd(BODY), "zstd");
  expect(body.equals(zstd(said[0] ?? ""))).toBe(true);
  expect(notedIn(folder)).toBe(1);
});

const SPACES = { byte: 0x20, times: 128 * 1024 };
test.each<[string, Uint8Array]>([
  ["zstd", zstdFrame(Array.from({ length: 1_000_000 / 64 }, () => SPACES))],
  ["gzip", gzipSync(Buffer.alloc(65 * 1024 * 1024, " "))],
])("a small body of %s that is too large unpacked is refused in one line, and the proxy goes on", async (encoding, packed) => {
  const { seen } = await started();
  const { status, body } = await posted(packed, encoding);
  expect([packed.length < 100_000, status, String(body)]).toEqual([
    true,
    413,
    expect.stringContaining(`larger than 67108864 bytes when its ${encoding} is unpacked`),
  ]);
  expect([seen.length, linesWith("when its").length]).toEqual([0, 1]);
  expect((await posted(zstd(BODY), "zstd")).status).toBe(200);
});

test.each<[string, Uint8Array, string]>([
  ["zstd", zstd(BODY).subarray(0, 200), "the request's zstd is damaged (unexpected EOF): passed on as it came"],
  ["gzip", gzip(BODY).subarray(0, 200), "the request's gzip is damaged (unexpected end of file): passed on as it came"],
  ["zstd", zstd("{"), "the request's zstd is damaged (unpacked, it is not a JSON object): passed on as it came"],
])("a damaged body of %s is said, and passes as it came", async (encoding, packed, line) => {
  const { seen } = await started();
  await posted(packed, encoding);
  expect(linesWith("problem: the request's")).toEqual([expect.stringContaining(line)]);
  expect(seen[0]?.headers["content-encoding"]).toBe(encoding);
  expect(seen[0]?.body.equals(packed)).toBe(true);
});

test.each<[string, Uint8Array, string]>([
  ["that was never packed, though its headers say so, goes on without them", Buffer.from(BODY), "zstd"],
  ["whose encoding is none, goes on without its header", Buffer.from(BODY), "UTF-8"],
  ["in zstd whose header is empty is read", zstd(BODY), ""],
  ["in gzip whose header is empty is read", gzip(BODY), ""],
])("a body %s", async (_, packed, encoding) => {
  const { seen } = await started();
  expect((await posted(packed, encoding)).status).toBe(200);
  expect([seen[0]?.headers["content-encoding"], String(seen[0]?.body), linesWith("problem")]).toEqual([undefined, BODY, []]);
});

describe("an encoding that is not known is named with what to set, once, then counted", () => {
  test("in requests, which pass as they came", async () => {
    const { seen } = await started();
    for (let count = 0; count < 12; count++) await posted(Buffer.from("?"), "Snappy");
    expect(linesWith("packed with snappy").map((line) => line.replace(/^.*problem: /, ""))).toEqual([
      "a request packed with snappy cannot be read, nothing is cut, passed on as it came: have the program send plain bodies (Codex: features.enable_request_compression=false)",
      expect.stringMatching(/^10 requests packed with snappy cannot be read/),
    ]);
    expect(seen.map(({ headers, body }) => [headers["content-encoding"], String(body)])).toEqual(
      Array.from({ length: 12 }, () => ["Snappy", "?"]),
    );
  });

  test.each(FORMS)("in answers that come %s", async (form) => {
    const { url } = await started({ intercept: packedAnswers("x-own", (bytes) => Buffer.from(bytes)) });
    await startAgent({ wire: "openai-responses", form, url, headers: session }).say("Look.", 3);
    expect(linesWith("packed with x-own")).toEqual([
      expect.stringMatching(/an answer packed with x-own cannot be read, its usage is not recorded.+accept-encoding: identity/),
    ]);
  });
});

test("a damaged answer is said", async () => {
  const { url } = await started({ intercept: packedAnswers("zstd", (bytes) => Buffer.from(bytes)) });
  const agent = startAgent({ wire: "openai-responses", form: "streamed", url, headers: session });
  await agent.say("Look.", 1).catch(() => []);
  expect(linesWith("problem: the answer's")).toEqual([
    expect.stringContaining("the answer's zstd is damaged (it is not zstd)"),
  ]);
});
