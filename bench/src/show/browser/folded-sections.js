/** Opens the folded part that a link leads to, and the parts around it. */

(() => {
  const openTarget = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id === "" ? null : document.getElementById(id);
    for (let each = target; each !== null; each = each.parentElement) if (each instanceof HTMLDetailsElement) each.open = true;
    if (target instanceof HTMLDetailsElement) target.scrollIntoView();
  };
  addEventListener("hashchange", openTarget);
  // A second click on a link changes no hash.
  addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest('a[href^="#"]') : null;
    if (link?.getAttribute("href") === location.hash) openTarget();
  });
  openTarget();
})();
