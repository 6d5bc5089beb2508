import { html, type Markup } from "./markup.ts";

/** Makes a text for the reader to take along, with a button that copies it (`copy-button.js`). `id` is its own on the page. */
export function pasteBlock({
  id,
  label,
  text,
}: {
  readonly id: string;
  readonly label: string;
  readonly text: string;
}): Markup {
  return html`<div class="paste"><p><b>${label}</b> <button type="button" data-copy="${id}" aria-live="polite">Copy</button></p>
<pre id="${id}" tabindex="0">${text}</pre></div>`;
}
