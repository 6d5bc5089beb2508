export { createOpenAiChatClient } from "./client.ts";
export type { ChatHost } from "./hosts.ts";
export { CHAT_HOSTS } from "./hosts.ts";
export type { ChatSession, ChatSessionOptions } from "./session.ts";
export { createChatSession } from "./session.ts";
