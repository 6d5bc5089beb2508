import { Buffer } from "node:buffer";
import { type JsonNode, stringsOf } from "./json-node.ts";
import { at, type Finding, type VendorRule } from "./vendor-rule.ts";

/** The beginnings of files in base64, by their type. */
const FILES = [
  { kind: "image", begins: /^(?:data:image\/[^,]*,)?(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)/ },
  { kind: "document", begins: /^(?:data:application\/pdf[^,]*,)?JVBERi0/ },
] as const;

/** Files in a body, recognised by their beginning, in any field. */
function filesOf(body: JsonNode): readonly { readonly kind: "image" | "document"; readonly base64: string }[] {
  return Array.from(stringsOf(body)).flatMap(({ text }) => {
    const found = FILES.find(({ begins }) => begins.test(text));
    return found === undefined ? [] : [{ kind: found.kind, base64: text.slice(text.indexOf(",") + 1) }];
  });
}

/** The longer side of a PNG; zero for any other file. */
function sideOf(base64: string): number {
  const head = Buffer.from(base64.slice(0, 40), "base64");
  return base64.startsWith("iVBORw0KGgo") && head.length >= 24 ? Math.max(head.readUInt32BE(16), head.readUInt32BE(20)) : 0;
}

/** A rule of a wire's requests about how much there is of something. */
function atMost(
  id: string,
  source: string,
  most: number,
  amountOf: (body: JsonNode) => number,
): VendorRule<{ readonly body: JsonNode }> {
  return {
    id,
    source,
    *check({ body }): Iterable<Finding> {
      const amount = amountOf(body);
      if (amount > most) yield at(body, `${id}: ${amount} > ${most}`);
    },
  };
}

const bytesOf = ({ value }: JsonNode) => Buffer.byteLength(JSON.stringify(value) ?? "");
const countOf = (body: JsonNode) => filesOf(body).length;
const imagesOf = (body: JsonNode) => filesOf(body).filter(({ kind }) => kind === "image");
const largestOf = (sizes: readonly number[]) => sizes.reduce((largest, size) => Math.max(largest, size), 0);
const MB = 1024 * 1024;

const VISION = "https://platform.claude.com/docs/en/build-with-claude/vision, read 2026-11-26";

/** Anthropic's limits of inline media, for windows of a million tokens: less for smaller ones. */
export const MESSAGES_MEDIA_RULES: readonly VendorRule<{ readonly body: JsonNode }>[] = [
  atMost("body-bytes", VISION, 32 * MB, bytesOf),
  atMost("media-count", VISION, 600, countOf),
  atMost("image-base64", VISION, 10 * MB, (body) => largestOf(imagesOf(body).map(({ base64 }) => base64.length))),
  atMost("image-side", VISION, 8000, (body) => largestOf(imagesOf(body).map(({ base64 }) => sideOf(base64)))),
  atMost("image-side-of-many", VISION, 2000, (body) =>
    countOf(body) > 20 ? largestOf(imagesOf(body).map(({ base64 }) => sideOf(base64))) : 0,
  ),
];

const IMAGES_VISION = "https://developers.openai.com/api/docs/guides/images-vision, read 2026-11-26";
const FILE_INPUTS = "https://developers.openai.com/api/docs/guides/file-inputs, read 2026-11-26";

/** OpenAI's limits of inline media on both of its wires. */
export const OPENAI_MEDIA_RULES: readonly VendorRule<{ readonly body: JsonNode }>[] = [
  atMost("body-bytes", IMAGES_VISION, 512 * MB, bytesOf),
  atMost("image-count", IMAGES_VISION, 1500, (body) => imagesOf(body).length),
  atMost("file-bytes", FILE_INPUTS, 50 * MB, (body) =>
    filesOf(body).reduce((sum, { kind, base64 }) => sum + (kind === "document" ? Math.floor((base64.length * 3) / 4) : 0), 0),
  ),
];
