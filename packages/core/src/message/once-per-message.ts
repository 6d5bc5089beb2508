import type { Message } from "./message.ts";

/** Remembers what `make` gives for a message, so that it runs once for each message value; what it gave goes with the message. */
export function oncePerMessage<T extends object | number | string | boolean | null>(
  make: (message: Message) => T,
): (message: Message) => T {
  const known = new WeakMap<Message, T>();
  return (message) => {
    const seen = known.get(message);
    if (seen !== undefined) return seen;
    const made = make(message);
    known.set(message, made);
    return made;
  };
}
