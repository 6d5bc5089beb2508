import type { AgentEvent, AgentListener } from "./events.ts";

/** Hands events to any number of subscribers. */
export interface EventHub {
  emit(event: AgentEvent): void;
  /** Answers with the function that ends the subscription. */
  subscribe(listener: AgentListener): () => void;
}

/** A hub without subscribers. Each is called in the order of subscription. */
export function createEventHub(): EventHub {
  const listeners = new Set<{ readonly listener: AgentListener }>();
  return {
    emit: (event) => {
      for (const { listener } of [...listeners]) {
        try {
          listener(event);
        } catch {
          // A display that fails must not end the session, nor keep the others from hearing.
        }
      }
    },
    subscribe: (listener) => {
      const subscription = { listener };
      listeners.add(subscription);
      return () => void listeners.delete(subscription);
    },
  };
}
