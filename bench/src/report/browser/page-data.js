/** Reads the blocks of data that the page carries: JSON, deflated, as base64. */

// biome-ignore lint/correctness/noUnusedVariables: read by later scripts of the same page
const pageData = (() => {
  /** @type {Map<string, Promise<any>>} */
  const known = new Map();

  /** @param {string} base64 */
  const unpack = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  };

  /**
   * The block's content; each is unpacked once. `any`: what is in a block is what the page's writer put there.
   * @param {string} id
   * @returns {Promise<any>}
   */
  const read = (id) => {
    const content = known.get(id) ?? unpack(document.getElementById(id)?.textContent ?? "");
    known.set(id, content);
    return content;
  };

  /**
   * Numbers that were written down as differences.
   * @param {readonly number[]} steps
   */
  const sums = (steps) => {
    let total = 0;
    return steps.map((step) => {
      total += step;
      return total;
    });
  };

  return { read, sums };
})();
