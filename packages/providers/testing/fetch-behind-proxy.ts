import { parseRecord } from "../src/fields.ts";
import type { ProxyCompaction } from "../src/proxy/proxy.ts";

/** The platform's fetch behind a proxy's compaction, as the requests of a program pass it. */
export function fetchBehindProxy(compaction: ProxyCompaction): typeof fetch {
  const signal = new AbortController().signal;
  return async (input, init) => {
    // The SDK stated the length of the body that it made.
    const { "content-length": _, ...headers } = Object.fromEntries(new Headers(init?.headers));
    const bodyText = typeof init?.body === "string" ? init.body : "";
    const { pathname: path } = new URL(String(input));
    let prepared = await compaction.prepare({ path, headers, bodyText, signal });
    const post = async () => {
      const betas = [headers["anthropic-beta"] ?? [], prepared?.betas ?? []].flat().join(",");
      const own = { ...headers, ...(betas === "" ? {} : { "anthropic-beta": betas }) };
      return await fetch(input, { ...init, headers: own, body: prepared?.bodyText ?? bodyText });
    };
    let answer = await post();
    for (let recovery = 0; !answer.ok && prepared !== null; recovery++) {
      const failure = { status: answer.status, bodyText: await answer.clone().text() };
      prepared = await prepared.recover(failure, recovery);
      if (prepared !== null) answer = await post();
    }
    await prepared?.observe(parseRecord(await answer.clone().text()) ?? {});
    return answer;
  };
}
