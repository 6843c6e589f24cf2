import { element } from './element.js';

/** Libraries that a page without code and formulas never loads. */
const libraries = {
  code: () => import('./grammars.js'),
  math: () => import('./formulas.js'),
};

/** Longer texts are shown as they are written: they would hold up the page. */
const longestText = 50_000;

/**
 * An element that shows a text as it is written until `decorate` shows it better.
 *
 * @param {'code' | 'span'} tag
 * @param {keyof typeof libraries} kind
 * @param {string} text
 * @param {string} detail language of code; `display` or `inline` for a formula
 */
export function decorable(tag, kind, text, detail) {
  return element(tag, { 'data-decorable': kind, 'data-detail': detail }, text);
}

/** Colors the code and sets the formulas within an element, once. @param {Element} within */
export function decorate(within) {
  for (const target of within.querySelectorAll('[data-decorable]')) void decorateOne(target);
}

/** @param {Element} target */
async function decorateOne(target) {
  const kind = /** @type {keyof typeof libraries} */ (target.getAttribute('data-decorable'));
  const text = target.textContent ?? '';
  const detail = target.getAttribute('data-detail') ?? '';
  target.removeAttribute('data-decorable');
  if (text.length > longestText) return;
  try {
    const { render } = await libraries[kind]();
    const shown = render(text, detail);
    if (shown) target.replaceChildren(...shown);
  } catch {
    // What a model wrote may be no formula, and a server may have gone: the text is there.
  }
}
