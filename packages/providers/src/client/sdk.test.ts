import { describe, expect, test } from "vitest";
import { inWholeLines, loadedOnce } from "./sdk.ts";

describe("a vendor's SDK", () => {
  test("is loaded when it is asked for, and once", async () => {
    const loads: string[] = [];
    const sdk = loadedOnce("sdk", async () => {
      loads.push("load");
      return loads.length;
    });
    expect(loads).toEqual([]);
    expect(await Promise.all([sdk(), sdk()])).toEqual([1, 1]);
    expect(loads).toEqual(["load"]);
  });

  test("that is missing is named with what to do, and looked for again", async () => {
    const answers = [() => import("no-such-package-of-a-vendor".slice(0)), async () => "there"];
    const sdk = loadedOnce<unknown>("no-such-package-of-a-vendor", () => answers.shift()?.() ?? Promise.resolve(null));
    await expect(sdk()).rejects.toThrow(/^the package (\S+) is not installed: npm install \1$/);
    expect(await sdk()).toBe("there");
  });

  test("that lacks something of its own is told from one that is missing", async () => {
    const sdk = loadedOnce("@vendor/sdk", () => import("no-such-package-of-a-vendor".slice(0)));
    await expect(sdk()).rejects.toThrow(
      /^the package @vendor\/sdk is not whole \(.*no-such-package-of-a-vendor.*\): npm install @vendor\/sdk$/,
    );
  });

  test("whose loading fails otherwise says why itself", async () => {
    const sdk = loadedOnce("sdk", () => Promise.reject(new TypeError("apiKey: not a string")));
    await expect(sdk()).rejects.toThrow(TypeError);
  });
});

describe("a streamed response", () => {
  const piecesOf = async (type: string) => {
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      start: (out) => {
        for (const piece of ["da", "ta", ": 1\n\nd", "ata: 2", "\n\n", "end"]) out.enqueue(encoder.encode(piece));
        out.close();
      },
    });
    const response = inWholeLines(new Response(body, { status: 206, headers: { "content-type": type, "x-id": "1" } }));
    expect([response.status, response.headers.get("x-id")]).toEqual([206, "1"]);
    const pieces: string[] = [];
    for await (const piece of response.body ?? expect.fail()) pieces.push(new TextDecoder().decode(piece));
    return pieces;
  };

  test.each([
    ["of events comes in pieces that end a line", "text/event-stream", ["data: 1\n\nd", "ata: 2\n\n", "end"]],
    ["of another kind comes as it was", "application/json", ["da", "ta", ": 1\n\nd", "ata: 2", "\n\n", "end"]],
  ])("%s", async (_, type, pieces) => {
    expect(await piecesOf(type)).toEqual(pieces);
  });
});
