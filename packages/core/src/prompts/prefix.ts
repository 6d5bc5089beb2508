/**
 * What comes before the instructions if the request is the conversation itself: the model is in the agent's role there, with the agent's
 * tools, and has to be told that this message is not the person's.
 */
export const PREFIX_FRAME = {
  id: "prefix",
  version: 1,
  text: "[Request of the program that keeps this session, not of the person.] Stop working on the task now. Everything above this message is about to be taken out of your context and replaced by a record that you write in your next reply; what the session does afterwards rests on that record. Where the conversation begins with a record of earlier work, that one is replaced too: carry over what still holds of it. Reply with text only; the tools must not be used in this reply.",
} as const;
