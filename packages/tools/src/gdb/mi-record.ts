/** One line of gdb's machine interface. `program` is a line that the debugged program wrote among them. */
export type MiRecord =
  | { readonly kind: "result"; readonly token: number | null; readonly class: string; readonly rest: string }
  | { readonly kind: "async"; readonly class: string; readonly rest: string }
  | { readonly kind: "console" | "log" | "target"; readonly text: string }
  | { readonly kind: "prompt" }
  | { readonly kind: "program"; readonly text: string };

const STREAMS: { readonly [mark: string]: "console" | "log" | "target" | undefined } = {
  "~": "console",
  "&": "log",
  "@": "target",
};

/** Reads one line. */
export function miRecord(line: string): MiRecord {
  if (line.trim() === "(gdb)") return { kind: "prompt" };
  const match = /^(\d{0,9})([\^*=~&@])(.*)$/s.exec(line);
  if (match === null) return { kind: "program", text: line };
  const [, token = "", mark = "", rest = ""] = match;
  const stream = STREAMS[mark];
  if (stream !== undefined)
    return rest.startsWith('"') ? { kind: stream, text: cString(rest) } : { kind: "program", text: line };
  const comma = rest.indexOf(",");
  const recordClass = comma < 0 ? rest : rest.slice(0, comma);
  const more = comma < 0 ? "" : rest.slice(comma + 1);
  if (mark === "^") return { kind: "result", token: token === "" ? null : Number(token), class: recordClass, rest: more };
  return { kind: "async", class: recordClass, rest: more };
}

/** The value of `name="…"` in a record's rest, or `null`. */
export function miField(rest: string, name: string): string | null {
  const start = rest.startsWith(`${name}="`) ? 0 : rest.indexOf(`,${name}="`) + 1;
  if (!rest.startsWith(`${name}="`, start)) return null;
  return cString(rest.slice(start + name.length + 1));
}

const ESCAPES: { readonly [mark: string]: string | undefined } = {
  n: "\n",
  t: "\t",
  r: "\r",
  f: "\f",
  b: "\b",
  v: "\v",
  a: "\u0007",
  e: "\u001b",
};

/** The text of a C string that begins with a quote, up to its end. Octal escapes are bytes of UTF-8. One pass. */
function cString(quoted: string): string {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (let index = 1; index < quoted.length && quoted[index] !== '"'; index++) {
    const octal = quoted[index] === "\\" ? /^[0-7]{3}/.exec(quoted.slice(index + 1, index + 4))?.[0] : undefined;
    if (octal !== undefined) {
      bytes.push(Number.parseInt(octal, 8));
      index += 3;
    } else if (quoted[index] === "\\") {
      index += 1;
      const mark = quoted[index] ?? "";
      bytes.push(...encoder.encode(ESCAPES[mark] ?? mark));
    } else {
      const character = String.fromCodePoint(quoted.codePointAt(index) ?? 0);
      bytes.push(...encoder.encode(character));
      index += character.length - 1;
    }
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
