import { element } from './element.js';

/** Longer texts are shown as they are written: they would hold up the page. */
const longestText = 50_000;

/** An element that shows code as it is written until `decorate` colors it. @param {string} text @param {string} language */
export function decorable(text, language) {
  return element('code', { 'data-language': language }, text);
}

/** Colors the code within an element, once. @param {Element} within */
export function decorate(within) {
  for (const target of within.querySelectorAll('[data-language]')) void decorateOne(target);
}

/** @param {Element} target */
async function decorateOne(target) {
  const text = target.textContent ?? '';
  const language = target.getAttribute('data-language') ?? '';
  target.removeAttribute('data-language');
  if (language === '' || text.length > longestText) return;
  try {
    // A page without code never loads it.
    const { render } = await import('./grammars.js');
    const shown = render(text, language);
    if (shown) target.replaceChildren(...shown);
  } catch {
    // The server may have gone: the text is there.
  }
}
