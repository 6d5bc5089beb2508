import { importFile } from "@plimsoll/bench";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { fixtureSessions } from "@plimsoll/fixtures";
import { contextAfterCut, contextMarkdown, SHOWN_ROOM_TOKENS } from "./context-page.ts";
import { POLICY_BEFORE } from "./policy-before.ts";

/** A page for each session that comes with the project: what the model is sent after the last cut, as it is now and as it was before. */
export async function contextPages(): Promise<readonly { readonly file: string; readonly text: string }[]> {
  return Promise.all(
    fixtureSessions().map(async ({ name, path }) => {
      const [transcript] = await importFile(path, name);
      if (transcript === undefined) throw new Error(`${name}: no session`);
      const now = contextMarkdown("Now", await contextAfterCut(transcript, PLIMSOLL_POLICY));
      const before = contextMarkdown("Before", await contextAfterCut(transcript, POLICY_BEFORE));
      return { file: `${name}.md`, text: page(name, now, before) };
    }),
  );
}

function page(name: string, now: string, before: string): string {
  return `# ${name}: what the model is sent after a cut

Written by \`pnpm contexts\`: the session of that name that comes with the project, replayed in a window of ${SHOWN_ROOM_TOKENS / 1000}k above its overhead; the request after
the last cut of the default policy, then of the default as it was before recall.
Messages that stayed word for word are shortened here; what the compaction wrote is whole. Tool results are the session's own.

${now}

${before}
`;
}
