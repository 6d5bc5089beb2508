import { describe, expect, test } from "vitest";
import type { ImagePart, Message } from "../message/message.ts";
import { NO_SIZE, type RequestLimits, type RequestSize, type RequestUnit } from "../message/size.ts";
import { mediaStubs } from "./stub-media.ts";

interface Given {
  readonly px?: number;
  readonly chars?: number;
  readonly pages?: number;
  readonly mediaType?: string;
}

function media({ px = 100, chars = 400, pages, mediaType = "image/png" }: Given): ImagePart {
  const source = { kind: "base64", data: "A".repeat(chars) } as const;
  const pageCount = pages === undefined ? {} : { pageCount: pages };
  return { type: "image", mediaType, widthPx: px, heightPx: 10, sizeBytes: null, source, ...pageCount };
}

/** A result with one file for each that is given, behind the person's message. */
function view(given: readonly Given[], said: readonly Given[] = []): readonly Message[] {
  const results = given.map((each, index): Message => {
    const names = { role: "tool-result", id: `r${index}`, callId: `c${index}`, toolName: "look" } as const;
    return { ...names, isError: false, category: "generic", parts: [media(each)], atMs: null };
  });
  const human = { role: "user", id: "h", origin: "human", parts: said.map(media), atMs: null } as const;
  return [human, ...results];
}

const of = (
  messages: readonly Message[],
  limits: RequestLimits,
  more: { beside?: RequestSize; guessed?: RequestUnit } = {},
) => {
  const { edits, left } = mediaStubs(messages, { limits, beside: more.beside ?? NO_SIZE, guessed: more.guessed ?? null });
  return { gone: edits.map(({ messageId }) => messageId), left };
};
const many = (count: number, each: Given = {}): readonly Given[] => Array.from({ length: count }, () => each);
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `r${from + index}`);

describe("what goes for a limit", () => {
  test.each<[string, readonly Message[], RequestLimits, readonly string[]]>([
    ["nothing at a limit", view(many(8)), { images: 8 }, []],
    ["the oldest above it, until a quarter is free again", view(many(9)), { images: 8 }, ids(0, 3)],
    ["what the person said last takes of the limit", view(many(5), many(4)), { images: 8 }, ids(0, 2)],
    ["the larger ones alone for a limit of one", view([{}, { chars: 900 }, {}]), { imageBytes: 800 }, ["r1"]],
    ["those with more pixels", view([{ px: 900 }, {}, { px: 800 }]), { imagePx: 800 }, ["r0"]],
    [
      "documents for pages, and images as a page each",
      view([{}, { pages: 9, mediaType: "application/pdf" }, {}]),
      { pages: 10 },
      ["r0", "r1"],
    ],
    [
      "documents alone for their bytes",
      view([{}, ...many(3, { pages: 1, mediaType: "application/pdf" })]),
      { documentBytes: 700 },
      ["r1", "r2"],
    ],
    ["the few that are too large among many", view([...many(21), { px: 900 }]), { manyImagePx: 800 }, ["r21"]],
    ["or so many that the others are not many", view(many(21, { px: 900 })), { manyImagePx: 800 }, ids(0, 6)],
    ["nothing among few", view(many(20, { px: 900 })), { manyImagePx: 800 }, []],
    ["sound and films for bytes", view(many(4, { mediaType: "audio/wav" })), { bytes: 1600 }, ["r0", "r1"]],
  ])("%s", (_, messages, limits, gone) => {
    expect(of(messages, limits)).toEqual({ gone, left: [] });
  });

  test("what the last human message holds alone is named, and nothing goes for it", () => {
    const messages = view(many(3), [{ chars: 900 }]);
    expect(of(messages, { imageBytes: 800 })).toEqual({ gone: [], left: [{ unit: "imageBytes", size: 900, limit: 800 }] });
    expect(of(view(many(3), many(9)), { images: 8 }).left).toEqual([{ unit: "images", size: 12, limit: 8 }]);
  });

  test("for a guess all may go, and no more than it says", () => {
    expect(of(view(many(10)), { images: 8 }, { guessed: "images" }).gone).toEqual(ids(0, 2));
    expect(of(view(many(3), many(9)), { images: 8 }, { guessed: "images" }).gone).toEqual(ids(0, 3));
  });

  test("what stands beside the view takes of the limit, too", () => {
    const beside = { ...NO_SIZE, bytes: 900 };
    expect(of(view(many(3)), { bytes: 2000 }, { beside }).gone).toEqual(ids(0, 2));
  });
});
