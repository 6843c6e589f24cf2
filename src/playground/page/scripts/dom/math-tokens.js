/** * Formulas in Markdown: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`. A dollar sign next to a space or before a digit means money, as in Pandoc. */
const inlineRules = [
  /^(\$\$)([^$]+)\$\$/,
  /^(\$)(?![\s$])((?:\\[^]|[^\\$\n])+?)(?<!\s)\$(?!\d)/,
  /^(\\\()([^]+?)\\\)/,
  /^(\\\[)([^]+?)\\\]/,
];
const blockRule = /^ {0,3}(\$\$|\\\[)([^]+?)(?:\$\$|\\\]) *(?:\n+|$)/;

/** @param {RegExpExecArray | null | undefined} match */
function toToken(match) {
  if (!match) return undefined;
  const [raw, , formula] = match;
  return { type: 'math', raw, text: (formula ?? '').trim() };
}

/** Index of the first possible match. @param {string} text */
function start(text) {
  const place = text.search(/\$|\\[([]/);
  return place === -1 ? undefined : place;
}

/** Extensions for the lexer of `marked`. */
export const mathExtensions = {
  renderers: {},
  childTokens: {},
  inline: [
    (/** @type {string} */ text) =>
      toToken(inlineRules.map((rule) => rule.exec(text)).find((match) => match !== null)),
  ],
  block: [(/** @type {string} */ text) => toToken(blockRule.exec(text))],
  startInline: [start],
  startBlock: [(/** @type {string} */ text) => text.match(/^ {0,3}(?:\$\$|\\\[)/m)?.index],
};
