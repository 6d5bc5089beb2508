import { mkdtempSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Exchange, SimulatedReply, SimulatedRequest, Simulator, SimulatorOptions } from "@plimsoll/simulator";
import { startSimulator } from "@plimsoll/simulator";
import { onTestFinished } from "vitest";
import { proxy } from "../src/proxy/proxy-command.ts";
import type { GivenOptions } from "../src/proxy/proxy-options.ts";
import { recordedIo } from "./recorded-io.ts";
import { type Intercept, type RelayedRequest, startRelay } from "./relay.ts";

/** A proxy in this process, with a simulator as its upstream. */
export interface ProxySetting {
  readonly simulator: Simulator;
  /** With the token. */
  readonly url: string;
  readonly folder: string;
  /** Requests as the upstream got them. */
  readonly seen: readonly RelayedRequest[];
  readonly stdout: () => string;
  /** Ends the proxy as a person does, and starts another one over the same state. */
  restart(): Promise<string>;
  /** Ends both; the test's end does it, too. */
  close(): Promise<void>;
}

/** The setting of a play: a window, and the options of the proxy. */
export interface SettingOptions extends Partial<SimulatorOptions> {
  readonly proxy?: Partial<GivenOptions>;
  readonly intercept?: Intercept;
}

/** A model that only ever calls the tool that there is; only text if there is none. */
export function callOn({ toolNames, replyIndex }: SimulatedRequest): SimulatedReply {
  const [toolName] = toolNames;
  const said = { type: "text", text: `I look at part ${replyIndex}.` } as const;
  if (toolName === undefined) return { parts: [said] };
  return { parts: [said, { type: "tool-call", toolName, argumentsJson: JSON.stringify({ command: `look ${replyIndex}` }) }] };
}

/** Starts both on loopback; they end with the test. */
export async function startSetting({ proxy: given = {}, intercept, ...options }: SettingOptions = {}): Promise<ProxySetting> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-proxy-"));
  const simulator = await startSimulator({ replies: callOn, contextWindowTokens: 12_000, nowMs: () => 0, ...options });
  const relay = await startRelay(simulator.url, intercept);
  const { io, stdout } = recordedIo(folder, options.nowMs);
  const start = async () => {
    const controller = new AbortController();
    const before = stdout().length;
    const ended = proxy(
      { upstream: relay.url, policy: "plimsoll", window: "12k", port: "0", state: join(folder, "state"), ...given },
      io,
      controller.signal,
    );
    const url = await addressIn(() => stdout().slice(before), ended);
    return { url, controller, ended };
  };
  let running = await start();
  const stop = async () => {
    running.controller.abort();
    await running.ended;
  };
  const end = async () => {
    await stop();
    await relay.close();
    await simulator.close();
  };
  let ended: Promise<void> | null = null;
  const close = () => (ended ??= end());
  onTestFinished(close);
  return {
    simulator,
    url: running.url,
    folder,
    seen: relay.requests,
    stdout,
    restart: async () => {
      await stop();
      running = await start();
      return running.url;
    },
    close,
  };
}

/** The address that the proxy prints once it listens. */
async function addressIn(printed: () => string, ended: Promise<number>): Promise<string> {
  for (;;) {
    const url = /ANTHROPIC_BASE_URL=(\S+)/.exec(printed())?.[1];
    if (url !== undefined) return url;
    await Promise.race([ended, new Promise((resolve) => setImmediate(resolve))]);
  }
}

/** Compactions that a proxy printed. */
export function compactionsIn(printed: string): number {
  return printed.split("\n").filter((line) => line.includes("  compacted (")).length;
}

/** Requests that read less of the cache than the one before them sent, by more than a cache's steps. */
export function prefixBreaks(exchanges: readonly Exchange[]): number {
  return exchanges.filter(({ cacheReadTokens }, index) => {
    const before = exchanges[index - 1]?.promptTokens ?? 0;
    return before > 2_000 && (cacheReadTokens ?? 0) < before - 256;
  }).length;
}

export type RawBody = string | Uint8Array | readonly Uint8Array[];

/** Sends a body as it is, a list of pieces without a length; a header may be one that `fetch` does not let through. Gives the answer's bytes as they come. */
export function sendRaw(
  url: string,
  headers: { readonly [name: string]: string },
  body: RawBody,
): Promise<{ status: number; headers: unknown; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) }),
      );
    });
    sent.on("error", reject);
    if (typeof body === "string" || body instanceof Uint8Array) sent.end(body);
    else Readable.from(body).pipe(sent);
  });
}
