import { z } from "zod";
import * as option from "../option.ts";
import type { Redact } from "./redaction.ts";

/**
 * Names under which people and vendors keep credentials: long words anywhere, and short ones if they are a word of their own, since TOKENS counts,
 * TOKENIZERS names a library, and PWD is a folder. Chosen from the variables that the providers' SDKs, cloud tools, package managers and code hosts
 * read.
 */
const CREDENTIAL_NAMES: readonly RegExp[] = [
  /PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIAL|(API|ACCESS|PRIVATE|SIGNING)_?KEY/i,
  /TOKEN(_|$)/i,
  /(^|_)(KEY|PAT|PASS|AUTH|JWT|COOKIE)$/i,
  /_PWD$/i,
];

/** True for a variable whose name looks like a credential's. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL_NAMES.some((pattern) => pattern.test(name));
}

/** Shorter values occur in texts by chance, and hiding them would reveal them; the keys of providers have 35 characters and more. */
const MINIMUM_SECRET_CHARS = 16;

/** Texts without certain secrets. */
interface Redactor {
  /** The text with `[NAME]` for each secret in it; the very text if there is none. */
  text(text: string): string;
  /** The length of the longest secret, 0 for none: the end of a piece may cut one in two. */
  readonly longestChars: number;
}

/** A value to hide, and the name that takes its place. */
interface Secret {
  readonly name: string;
  readonly value: string;
}

const SECRETS = z.array(option.schema<Secret>({ name: option.text, value: option.text }));

/** Makes a redactor of exact values. It does not hide values under 16 characters. Linear in the text for each secret. */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  option.check("a redactor", SECRETS, secrets);
  const hidden = secrets
    .filter(({ value }) => value.length >= MINIMUM_SECRET_CHARS)
    // One secret may begin with another.
    .sort((a, b) => b.value.length - a.value.length);
  return {
    text: (text) => hidden.reduce((rest, { name, value }) => rest.split(value).join(`[${name}]`), text),
    longestChars: hidden[0]?.value.length ?? 0,
  };
}

/** A name, and its value as source code, settings, JSON and headers write both. */
const NAMED =
  /(?<![\w-])([a-z_][\w-]{0,99})((?:\\*["'])?\s{0,3}[=:]\s{0,3}(?:(?:bearer|basic)\s+)?(?:\\*["'])?)([\w+/=.~-]{16,})(?![\w+/=.~(-])/gi;

/** Keys that say so by themselves: beginnings that issuers document for scanners of secrets (read 2026-11), signed tokens, and keys in armour. */
const ISSUED =
  /(?<![\w-])(?:(?:[spr]k|gh[opsur]|github_pat|glpat|npm|hf|xox[a-z])[-_][\w-]{16,}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{35}|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+)|(?<=\bbearer\s{1,3})[\w+/=.~-]{16,}|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\w+/=\s\\]+-----END [A-Z ]{0,20}PRIVATE KEY-----/gi;

/**
 * Makes a redactor of keys, for `redact`. It hides the values of environment variables whose names look like credentials (`[NAME]`), values beside such a name in any
 * text, and keys in recognisable forms (`[key]`). Keys in other forms stay: add your own patterns.
 */
export function createKeyRedactor(environment: { readonly [name: string]: string | undefined } = {}): Redact {
  option.check("a redactor of keys", option.object, environment);
  const named = Object.entries(environment).flatMap(([name, value = ""]) => (isCredentialName(name) ? [{ name, value }] : []));
  const known = createRedactor(named);
  const isKey = (name: string, value: string) =>
    isCredentialName(name.split("-").join("_")) && /\d/.test(value) && /[a-z]/i.test(value);
  return (text) =>
    known
      .text(text)
      .replace(NAMED, (whole, name: string, between: string, value: string) =>
        isKey(name, value) ? `${name}${between}[key]` : whole,
      )
      .replace(ISSUED, (whole) => (/\d/.test(whole) ? "[key]" : whole));
}
