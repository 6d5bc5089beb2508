import { describe, expect, test } from "vitest";
import { textOf } from "../message/message.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import type { ArtifactStore } from "../ports.ts";
import { absentImage, result } from "../testing/builders.ts";
import { admitToolResult, artifactHandle, createMemoryArtifactStore, MAXIMUM_RECALL_CHARS, recallArtifact } from "./recall.ts";

const policy = { ...SVEN_POLICY, truncation: { capTokens: 100 } };
const long = Array.from({ length: 500 }, (_, line) => `line ${line}`).join("\n");

describe("admitToolResult", () => {
  test("a result within the cap comes back as it is, and nothing is stored", async () => {
    const put: string[] = [];
    const artifacts: ArtifactStore = { put: (text) => Promise.resolve(`${put.push(text)}`), get: () => Promise.resolve(null) };
    const message = result("r", "c", "short");
    expect(await admitToolResult(message, { policy, artifacts })).toEqual({ message, handle: null });
    expect(put).toEqual([]);
  });

  test("half a character becomes U+FFFD, in history and in what is kept", async () => {
    const artifacts = createMemoryArtifactStore();
    const short = await admitToolResult(result("r", "c", "half \ud83d"), { policy, artifacts });
    expect(textOf(short.message)).toBe("half \ufffd");
    const cut = await admitToolResult(result("r", "c", `\ud83d${long}`), { policy, artifacts });
    expect(textOf(cut.message).isWellFormed()).toBe(true);
    expect(await artifacts.get(cut.handle ?? "")).toBe(`\ufffd${long}`);
  });

  test("with no cap everything is let in", async () => {
    const message = result("r", "c", long);
    const admission = { policy: { ...policy, truncation: null }, artifacts: createMemoryArtifactStore() };
    expect((await admitToolResult(message, admission)).message).toBe(message);
  });

  test("what is cut names the handle under which the whole is found, with the tool's own hint", async () => {
    const artifacts = createMemoryArtifactStore();
    const { message, handle } = await admitToolResult(result("r", "c", long), { policy, artifacts, hint: "use offset" });
    expect(textOf(message).length).toBeLessThan(long.length);
    expect(textOf(message)).toContain(`use offset; handle ${handle}`);
    expect(await artifacts.get(handle ?? "")).toBe(long);
  });

  test("nothing is cut that was not kept: a store that rejects, rejects", async () => {
    const artifacts: ArtifactStore = { put: () => Promise.reject(new Error("disk full")), get: () => Promise.resolve(null) };
    await expect(admitToolResult(result("r", "c", long), { policy, artifacts })).rejects.toThrow("disk full");
  });

  test("images pass", async () => {
    const message = { ...result("r", "c", long), parts: [{ type: "text", text: long } as const, absentImage()] };
    const admitted = await admitToolResult(message, { policy, artifacts: createMemoryArtifactStore() });
    expect(admitted.message.parts[1]).toEqual(absentImage());
  });
});

describe("recallArtifact", () => {
  test("gives the piece that is asked for, bounded", async () => {
    const artifacts = createMemoryArtifactStore();
    const handle = await artifacts.put("x".repeat(50_000));
    const piece = await recallArtifact(handle, { startChar: 5, maximumChars: 1_000_000 }, artifacts);
    expect(piece).toEqual({ text: "x".repeat(MAXIMUM_RECALL_CHARS), startChar: 5, totalChars: 50_000 });
  });

  test("is null for an unknown handle", async () => {
    const unknown = artifactHandle("never stored");
    expect(await recallArtifact(unknown, { startChar: 0, maximumChars: 10 }, createMemoryArtifactStore())).toBeNull();
  });
});
