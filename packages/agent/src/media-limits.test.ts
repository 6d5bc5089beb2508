import { type ImagePart, type Message, PlimsollError } from "@plimsoll/core";
import { scriptedModel } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { AGENT_LIMITS, agentSetup } from "../testing/agent-setup.ts";
import { startAgent } from "./start-agent.ts";

const UNKNOWN = { widthPx: null, heightPx: null, sizeBytes: null };
const IMAGE = { type: "image", mediaType: "image/png", ...UNKNOWN, source: { kind: "absent" } } as const;

const DAY_MS = 86_400_000;
const imagesIn = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) => parts.filter((part): part is ImagePart => part.type === "image")).length;

/** An agent of a server that takes so many images a request, which may change, at a time that may, too. */
async function opened() {
  const server = { most: 8, nowMs: 1, sent: [] as number[], refused: 0 };
  const model = scriptedModel(({ context }) => {
    const images = imagesIn(context.messages);
    server.sent.push(images);
    if (images <= server.most) return { text: "seen" };
    server.refused += 1;
    return {
      error: new PlimsollError("provider-failed", "too many", {
        outcome: { kind: "too-large", of: "images", limit: server.most },
      }),
    };
  });
  const { options } = agentSetup([]);
  const limits = { ...AGENT_LIMITS, contextWindowTokens: 400_000 };
  const client = { client: model.client, modelId: "test/model", limits };
  const agent = await startAgent({ ...options, model: client, nowMs: () => server.nowMs });
  const show = async (count: number) => {
    const { error } = await agent.submit([{ type: "text", text: "look" }, ...Array.from({ length: count }, () => IMAGE)]);
    return error;
  };
  return { server, show };
}

describe("a limit of images that a refusal taught an agent", () => {
  test("holds for a day, and then no longer", async () => {
    const { server, show } = await opened();
    for (let turn = 0; turn < 14; turn += 1) expect(await show(1)).toBeNull();
    expect(server.refused).toBe(1);
    server.most = 1000;
    server.nowMs += DAY_MS / 2;
    for (let turn = 0; turn < 6; turn += 1) await show(1);
    expect(server.sent.slice(-6).every((images) => images <= 8)).toBe(true);
    server.nowMs += DAY_MS;
    for (let turn = 0; turn < 6; turn += 1) await show(1);
    expect(server.sent.at(-1)).toBeGreaterThan(8);
    expect(server.refused).toBe(1);
  });

  test("falls where a larger request is answered", async () => {
    const { server, show } = await opened();
    for (let turn = 0; turn < 10; turn += 1) await show(1);
    server.most = 1000;
    expect(await show(10)).toBeNull();
    expect(server.sent.at(-1)).toBeGreaterThanOrEqual(10);
    for (let turn = 0; turn < 3; turn += 1) await show(1);
    expect(server.sent.at(-1)).toBeGreaterThanOrEqual(13);
  });
});
