/** Inflates a zlib stream of bytes (one UTF-16 unit a byte); `null` if it cannot, or if the text would be too long. */
export type Inflate = (deflated: string) => string | null;

/** Most base64 characters that are looked at: vendors take requests of 32 MB. Anything beyond it is not counted. */
const MAX_BASE64_CHARS = 44_000_000;

/** More pages than any vendor takes in one request: a number beyond it is no count of pages. */
const MAX_PAGES = 100_000;

/**
 * Counts the pages of a PDF in base64: from its first bytes if it was written for the web, else by its page objects, each once, even in an updated file. Newer files hold
 * their objects in compressed streams, which need `inflate`. `null` if it is not a PDF or has no visible page; never a guess from the length. One pass for any bytes.
 */
export function pdfPageCount(base64: string, inflate: Inflate = () => null): number | null {
  const bytes = decoded(base64.slice(0, MAX_BASE64_CHARS));
  if (bytes === null || !bytes.slice(0, HEADER_CHARS).includes("%PDF-")) return null;
  const stated = linearizedPages(bytes.slice(0, HEADER_CHARS));
  if (stated !== null) return stated;
  const pageObjects = new Set<string>();
  let compressedPages = 0;
  for (const object of bytes.split("endobj")) {
    const streamAt = object.indexOf("stream");
    const dictionary = streamAt < 0 ? object : object.slice(0, streamAt);
    if (countPageTypes(dictionary) > 0) pageObjects.add(objectNumber(dictionary));
    else if (streamAt >= 0 && dictionary.includes("/ObjStm"))
      compressedPages += countPageTypes(inflate(streamData(object, streamAt)) ?? "");
  }
  const pages = pageObjects.size + compressedPages;
  return pages > 0 && pages <= MAX_PAGES ? pages : null;
}

/** The header and the dictionary of a linearised file are in its first 1,024 bytes (ISO 32000-1, annex F.3.2). */
const HEADER_CHARS = 1024;

function linearizedPages(head: string): number | null {
  const at = head.indexOf("/Linearized");
  const stated = at < 0 ? null : /\/N\s+(\d{1,6})/.exec(head.slice(at));
  const pages = Number(stated?.[1] ?? 0);
  return pages > 0 && pages <= MAX_PAGES ? pages : null;
}

/** A page's type: the name ends at white space or a delimiter. */
const PAGE_TYPE = /\/Type[ \r\n\t\f\0]*\/Page(?![^ \r\n\t\f\0/<>[\]()%{}])/g;

function countPageTypes(text: string): number {
  return text.match(PAGE_TYPE)?.length ?? 0;
}

/** Characters before `obj` that hold an object's number and generation. */
const NUMBER_CHARS = 24;

/** The number before `obj`; the text itself if there is none, so that it counts for one. */
function objectNumber(dictionary: string): string {
  const at = dictionary.indexOf(" obj");
  if (at < 0) return dictionary;
  const before = dictionary.slice(Math.max(0, at - NUMBER_CHARS), at).trim();
  return before.split(/\s/).at(-2) ?? before;
}

function streamData(object: string, streamAt: number): string {
  const start = streamAt + "stream".length;
  const skipped = object.startsWith("\r\n", start) ? 2 : 1;
  const end = object.lastIndexOf("endstream");
  return object.slice(start + skipped, end < 0 ? undefined : end);
}

function decoded(base64: string): string | null {
  try {
    return atob(base64.slice(0, base64.length - (base64.length % 4)));
  } catch {
    // Text that is no base64 has no pages.
    return null;
  }
}
