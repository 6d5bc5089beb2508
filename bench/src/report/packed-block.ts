import { deflateRawSync } from "node:zlib";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";

/** Data that a page's script reads: JSON, deflated, as base64. It holds no character that means something in HTML. */
export interface PackedBlock {
  readonly id: string;
  readonly base64: string;
}

/** Packs data for a page. Deflated, a report's data has a tenth of its size. */
export function packBlock(id: string, value: unknown): PackedBlock {
  const base64 = deflateRawSync(JSON.stringify(value), { level: 9 }).toString("base64");
  return { id, base64 };
}

/** The block as an element that no browser runs or shows. */
export function packedElement({ id, base64 }: PackedBlock): Markup {
  return html`<script type="text/plain" id="${id}">${base64}</script>\n`;
}
