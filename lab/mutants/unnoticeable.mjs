/**
 * A node of the syntax tree, as far as it is looked at.
 * @typedef {{
 *   readonly type: string,
 *   readonly test?: unknown,
 *   readonly value?: unknown,
 * }} Node
 * @typedef {{ readonly node: Node, readonly parentPath: Place | null }} Place
 */

/**
 * Changes that no test can notice, or no program reads: the default of a switch over all kinds, which the types leave nothing for, and the text of an
 * error; its code is mutated. Stryker loads this as a plugin.
 */
const unnoticeable = {
  /** @param {Place} place @returns {string | undefined} the reason, if the node and all below it stays as it is */
  shouldIgnore({ node, parentPath }) {
    if (node.type === "SwitchCase" && node.test === null) return "never reached";
    const isWords = node.type === "TemplateLiteral" || (typeof node.value === "string" && node.value.includes(" "));
    return isWords && parentPath !== null && makesError(parentPath) ? "text of an error" : undefined;
  },
};

/** @param {Place} place */
function makesError({ node, parentPath }) {
  return node.type === "NewExpression" || (node.type === "CallExpression" && parentPath?.node.type === "ThrowStatement");
}

export const strykerPlugins = [{ kind: "Ignore", name: "unnoticeable", value: unnoticeable }];
