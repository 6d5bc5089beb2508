import type { AgentEvent } from "@plimsoll/core/agent";
import { lineFor } from "../run/event-lines.ts";
import { printableLines } from "../terminal/printable.ts";

/** Where a chat's events are shown. `sessionId` is `null` until the session is open. */
export interface ChatScreen {
  write(text: string): void;
  status(): string;
  sessionId(): string | null;
}

/** Shows words as they come and everything else as lines of their own. */
export function createRenderer({ write, status, sessionId }: ChatScreen): (event: AgentEvent) => void {
  let isInWords = false;
  const breakLine = () => {
    if (isInWords) write("\n");
    isInWords = false;
  };
  return (event) => {
    const isOwn = sessionId() === null || event.sessionId === sessionId();
    if (event.type === "text-delta") {
      // What a sub-agent says is for its parent.
      if (isOwn) write(printableLines(event.text));
      isInWords ||= isOwn;
      return;
    }
    const line = lineFor(event, sessionId());
    if (line !== null) {
      breakLine();
      write(`${line}\n`);
    }
    if (isOwn && (event.type === "usage-update" || event.type === "agent-end")) breakLine();
    if (isOwn && event.type === "usage-update") write(`${status()}\n`);
  };
}
