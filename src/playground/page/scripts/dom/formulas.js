import temml from 'temml';

/**
 * A formula in LaTeX as MathML.
 *
 * @param {string} formula
 * @param {string} mode `display` for one on a line of its own
 * @returns {Node[]}
 * @throws Error for one that isn't LaTeX
 */
export function render(formula, mode) {
  const target = document.createElement('span');
  temml.render(formula, target, { displayMode: mode === 'display', throwOnError: true, maxSize: [20, 200] });
  return [...target.childNodes];
}
