import type { ModelLimits, Policy } from "@plimsoll/core";
import { parseRecord } from "../src/fields.ts";
import { proxyInMemory } from "./proxy-in-memory.ts";

/** The platform's fetch behind a proxy's compaction, as the requests of a program pass it. */
export function fetchBehindProxy(policy: Policy, limits: ModelLimits): typeof fetch {
  const onProblem = (line: string) => {
    throw new Error(line);
  };
  const compaction = proxyInMemory({ policy, limits, onProblem });
  const signal = new AbortController().signal;
  return async (input, init) => {
    // The SDK stated the length of the body that it made.
    const { "content-length": _, ...headers } = Object.fromEntries(new Headers(init?.headers));
    const bodyText = typeof init?.body === "string" ? init.body : "";
    const { pathname: path } = new URL(String(input));
    const post = async (body: string) => await fetch(input, { ...init, headers, body });
    let prepared = await compaction.prepare({ path, headers, bodyText, signal });
    let answer = await post(prepared?.bodyText ?? bodyText);
    for (let recovery = 0; !answer.ok && prepared !== null; recovery++) {
      const failure = { status: answer.status, bodyText: await answer.clone().text() };
      prepared = await prepared.recover(failure, recovery);
      answer = prepared === null ? answer : await post(prepared.bodyText ?? bodyText);
    }
    await prepared?.observe(parseRecord(await answer.clone().text()) ?? {});
    return answer;
  };
}
