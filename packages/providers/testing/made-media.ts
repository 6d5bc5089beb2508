import { Buffer } from "node:buffer";

/** A file that a step brings: `sidePx` of an image, `pages` of a document; at an address if `url` is given. */
export interface LoopMedia {
  readonly mediaType: string;
  readonly base64: string;
  readonly url?: string;
}

/** A PNG of so many pixels a side and at least so many bytes; a header and filling. */
export function png(sidePx: number, bytes = 60): LoopMedia {
  const file = Buffer.alloc(Math.max(60, bytes), 7);
  file.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 0, "latin1");
  file.writeUInt32BE(sidePx, 16);
  file.writeUInt32BE(Math.ceil(sidePx / 2), 20);
  return { mediaType: "image/png", base64: file.toString("base64") };
}

/** A PDF of so many pages and at least so many bytes; packed, its pages are known only to the server. */
export function pdf(pages: number, bytes = 0, form: "plain" | "packed" = "plain"): LoopMedia {
  const objects =
    form === "packed"
      ? `%Pages: ${pages}\n`
      : Array.from({ length: pages }, (_, at) => `${at + 3} 0 obj\n<< /Type /Page >>\nendobj\n`).join("");
  const filling = "%".repeat(Math.max(0, bytes - objects.length));
  return { mediaType: "application/pdf", base64: Buffer.from(`%PDF-1.4\n${objects}${filling}`).toString("base64") };
}

/** A recording of so many bytes. */
export function audio(bytes: number): LoopMedia {
  return { mediaType: "audio/wav", base64: Buffer.alloc(bytes, 1).toString("base64") };
}
