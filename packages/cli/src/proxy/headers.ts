import type { IncomingMessage } from "node:http";

/** Names of headers that are only about one connection: RFC 9110, 7.6.1, and those that clients still send. */
const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-(?:authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;

/** The header that may hold the proxy's own token, in the place of the address. */
export const TOKEN_HEADER = "x-plimsoll-token";

/** Name and value, in the order in which they came. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** The headers of a message as they go on: without those that are about this connection, or that `Connection` names. */
export function passedHeaders({ rawHeaders, headers }: Pick<IncomingMessage, "rawHeaders" | "headers">): HeaderPairs {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (!HOP_BY_HOP.test(lower) && !named.includes(lower)) pairs.push([name, value]);
  }
  return pairs;
}

/** The headers without some, by names in lower case. */
export function without(pairs: HeaderPairs, names: readonly string[]): HeaderPairs {
  return pairs.filter(([name]) => !names.includes(name.toLowerCase()));
}

/** The headers with more values of `anthropic-beta`, all in one. */
export function withBetas(pairs: HeaderPairs, betas: readonly string[]): HeaderPairs {
  if (betas.length === 0) return pairs;
  const name = "anthropic-beta";
  const own = pairs.flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []));
  return [...without(pairs, [name]), [name, [...own, ...betas].join(",")]];
}

/** As Node takes them: a name that comes several times keeps all its values. */
export function headerRecord(pairs: HeaderPairs): Record<string, string | string[]> {
  const record = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of pairs) {
    const known = record.get(name.toLowerCase());
    if (known === undefined) record.set(name.toLowerCase(), { name, values: [value] });
    else known.values.push(value);
  }
  return Object.fromEntries(
    [...record.values()].map(({ name, values }) => [name, values.length > 1 ? values : (values[0] ?? "")]),
  );
}
