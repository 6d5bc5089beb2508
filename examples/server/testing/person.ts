/** The outcome of a message. */
export interface Heard {
  readonly text: string;
  /** How often it had to be sent again: the replica was gone, or another one had the conversation. */
  readonly retries: number;
  readonly compactions: number;
}

/** A person's message. */
export interface Sent {
  readonly conversationId: string;
  readonly number: number;
  readonly text: string;
}

/** How long a person waits before sending again. Chosen. */
const RETRY_MS = 200;
const MAXIMUM_RETRIES = 300;

/** Sends a message to the first of the replicas, and to the next one if it is gone or may not answer, until there is an answer. */
export async function ask(urls: readonly string[], message: Sent): Promise<Heard> {
  for (let retries = 0; retries < MAXIMUM_RETRIES; retries++) {
    const url = urls[retries % urls.length] ?? "";
    const heard = await askOnce(url, message).catch(() => null);
    if (heard !== null) return { ...heard, retries };
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  throw new Error(`no answer to message ${message.number} of ${message.conversationId}`);
}

/** The answer, or `null` if another replica has the conversation for now. Rejects if the connection breaks. */
async function askOnce(url: string, { conversationId, number, text }: Sent): Promise<Omit<Heard, "retries"> | null> {
  const body = JSON.stringify({ number, text });
  const response = await fetch(`${url}/conversations/${conversationId}/messages`, { method: "POST", body });
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  const told: readonly { readonly type?: string; readonly text?: string }[] = lines.map((line) => JSON.parse(line));
  const done = told.find(({ type }) => type === "done");
  if (done === undefined) return null;
  return { text: done.text ?? "", compactions: told.filter(({ type }) => type === "compacted").length };
}
