import { deflateRawSync } from "node:zlib";

/** A file of a zip archive that is made for a test. */
export interface ZippedFile {
  readonly name: string;
  readonly text: string;
  /** The size that the archive claims to unpack to, if that is not so. */
  readonly saysBytes?: number;
  /** How it is packed, by the format's number, and the packed bytes; deflated if nothing is said. */
  readonly method?: number;
  readonly packed?: Buffer;
}

const DEFLATE = 8;

/** An archive of the files, after the format's description (APPNOTE 4.3). */
export function zipOf(files: readonly ZippedFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const content = Buffer.from(file.text);
    const packed = file.packed ?? deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(file.method ?? DEFLATE, 4);
    fields.writeUInt32LE(crcOf(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(file.saysBytes ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from("PK\u0003\u0004"), fields, name, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\u0001\u0002"), Buffer.from([20, 0]), fields, place, name);
    offset += 30 + name.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from("PK\u0005\u0006"), end]);
}

/** CRC-32 as zip archives have it; Node has one from 22.2 on. */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
