import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type Inflate, pdfPageCount } from "./pdf-pages.ts";

const base64 = (text: string) => Buffer.from(text, "latin1").toString("base64");

const inflate: Inflate = (deflated) => {
  try {
    return inflateSync(Buffer.from(deflated, "latin1")).toString("latin1");
  } catch {
    return null;
  }
};

const object = (number: number, content: string) => `${number} 0 obj\n${content}\nendobj\n`;
const page = (number: number) => object(number, "<< /Type /Page /Parent 2 0 R >>");
const tree = object(2, "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>");
const catalog = object(1, "<</Type/Catalog/Pages 2 0 R>>");

/** An object stream with two pages in it, as writers since PDF 1.5 make them. */
function compressed(number: number): string {
  const pages = "3 0 4 40 <</Type/Page/Parent 2 0 R>> <</Type/Page/Parent 2 0 R>> <</Type/Pages/Count 2>>";
  const data = deflateSync(Buffer.from(pages, "latin1")).toString("latin1");
  return object(number, `<</Type/ObjStm/N 3/First 12/Filter/FlateDecode/Length ${data.length}>>stream\r\n${data}\r\nendstream`);
}

describe("pdfPageCount", () => {
  test.each<[string, string, number | null]>([
    ["page objects, not the tree's nodes", `%PDF-1.4\n${catalog}${tree}${page(3)}${page(4)}`, 2],
    ["names without a space between them", `%PDF-1.4\n${object(3, "<</Type/Page>>")}`, 1],
    ["a page that an update wrote again", `%PDF-1.4\n${tree}${page(3)}${page(4)}%%EOF\n${page(4)}`, 2],
    ["what a file for the web states at its start", "%PDF-1.4\n9 0 obj\n<< /Linearized 1 /L 900 /N 37 /T 800 >>\nendobj\n", 37],
    ["objects in compressed streams", `%PDF-1.5\n${compressed(7)}`, 2],
    ["plain and compressed ones together", `%PDF-1.5\n${page(9)}${compressed(7)}`, 3],
    ["a stream's own text says nothing", `%PDF-1.4\n${object(5, "<< /Length 12 >> stream\n/Type /Page\nendstream")}`, null],
    ["a damaged stream", `%PDF-1.5\n${object(7, "<</Type/ObjStm>>stream\nno zlib\nendstream")}`, null],
    ["no page at all", `%PDF-1.4\n${catalog}`, null],
    ["no PDF", "GIF89a /Type /Page", null],
    ["nothing", "", null],
  ])("%s", (_, text, pages) => {
    expect(pdfPageCount(base64(text), inflate)).toBe(pages);
  });

  test("without a way to inflate, compressed pages are not known", () => {
    expect(pdfPageCount(base64(`%PDF-1.5\n${compressed(7)}`))).toBeNull();
  });

  test.each([
    ["no base64", "\u{1f600}***"],
    ["a cut-off encoding", base64("%PDF-1.4\n/Type /Page").slice(0, -1)],
  ])("%s does not throw", (_, text) => {
    expect(pdfPageCount(text)).toSatisfy((pages) => pages === null || pages === 1);
  });

  test.each([
    ["types without end", `%PDF-1.4\n${"/Type ".repeat(400_000)}`, null],
    ["white space without end", `%PDF-1.4\n/Type${" ".repeat(2_000_000)}/Page`, 1],
    ["objects without end", `%PDF-1.4\n${" obj endobj".repeat(300_000)}`, null],
    ["streams without end", `%PDF-1.4\n${"/ObjStm stream ".repeat(200_000)}`, null],
  ])("%s are read in one pass", (_, text, pages) => {
    expect(pdfPageCount(base64(text), inflate)).toBe(pages);
  });
});
