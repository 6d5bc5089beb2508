/** Buttons that copy the text of another element, named by `data-copy`; where the clipboard is closed, the text is selected. */

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.getAttribute("data-copy") ?? "");
    if (source === null) return;
    try {
      await navigator.clipboard.writeText(source.textContent ?? "");
      button.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(source);
      button.textContent = "Selected: copy it with your keys";
    }
  });
}
