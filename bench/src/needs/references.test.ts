import { describe, expect, test } from "vitest";
import { extractReferences } from "./references.ts";

function found(text: string): readonly string[] {
  return extractReferences(text).map((reference) => `${reference.kind} ${reference.text}`);
}

describe("extractReferences", () => {
  test.each([
    ["a relative path", "see src/app/main.ts, line 7", ["path src/app/main.ts"]],
    ["a leading ./ is not part of a path", "run ./scripts/go.sh.", ["path scripts/go.sh"]],
    ["a path with a line number", "at lib/a_b.rs:123:4", ["path lib/a_b.rs", "number 123"]],
    ["a root path", "(/etc/hosts)", ["path /etc/hosts"]],
    ["a home path", "`~/.config/x.toml`", ["path ~/.config/x.toml"]],
    ["a scoped package", '"@scope/pack-age"', ["path @scope/pack-age"]],
    ["a path in another alphabet", "docs/über-uns.md", ["path docs/über-uns.md"]],
    ["a name inside a sentence without spaces", "请打开fooBar文件", ["identifier fooBar"]],
    ["two words with a slash are no path", "read/write and application/json", []],
    ["a fraction is no path", "1/2", []],
    ["camelCase", "call renderTable()", ["identifier renderTable"]],
    ["PascalCase of two words", "a ContextManager", ["identifier ContextManager"]],
    ["snake_case", "set max_depth=5", ["identifier max_depth"]],
    ["a dotted name", "os.path.join(x)", ["identifier os.path.join"]],
    ["a qualified name", "std::vec::Vec", ["identifier std::vec::Vec"]],
    ["a file name", "open notes.md", ["identifier notes.md"]],
    ["kebab with digits", "model gpt-4-mini", ["identifier gpt-4-mini"]],
    ["letters and digits", "uses sha256", ["identifier sha256"]],
    ["plain and hyphenated words are no names", "A well-known Word, e.g. this one. END", []],
    ["short names are left out", "a.b x_y aB", []],
    ["a number of three digits", "took 451 ms", ["number 451"]],
    ["a date", "on 2024-05-17", ["number 2024-05-17"]],
    ["small numbers, ranges and decimals are left out", "99 of 9-10 and 92.2", []],
    ["a commit", "at 3f2a9bc now", ["hash 3f2a9bc"]],
    ["a hexadecimal word is no hash", "defaced facade", []],
    ["a URL with a query, without the full stop", "see https://a.example/x?q=1&r=2.", ["url https://a.example/x?q=1&r=2"]],
    ["a URL in brackets", "[x](http://b.example:80/y_z)", ["url http://b.example:80/y_z"]],
    ["a scheme alone is no URL", "http:// x", []],
    ["a flag and its value", "--no-cache --jobs=128", ["flag --no-cache", "flag --jobs", "number 128"]],
    ["a rule of dashes is no flag", "---- -- --", []],
    ["a name after 20 million characters without a break", `${"a".repeat(20_000_000)} fooBar`, ["identifier fooBar"]],
    ["a quoted error", 'it said "No such file here" again', ["quoted-error No such file here"]],
    ["an error in backticks", "got `cannot read it`", ["quoted-error cannot read it"]],
    ["a quotation over two lines is none", '"cannot read\nthis at all"', []],
    ["a quotation that is no error", '"once upon a time"', []],
    ["each reference once", "fooBar fooBar", ["identifier fooBar"]],
    ["a lone surrogate ends a name", "foo_bar\ud800", ["identifier foo_bar"]],
    ["nothing", "", []],
  ])("%s", (_rule, text, expected) => {
    expect(found(text)).toEqual(expected);
  });
});
