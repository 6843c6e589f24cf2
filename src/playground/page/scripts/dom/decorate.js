import { element } from './element.js';

/** Longer texts would block the page and stay plain. */
const maxTextLength = 50_000;

/** Plain code until `decorate` colors it. @param {string} text @param {string} language */
export function decorable(text, language) {
  return element('code', { 'data-language': language }, text);
}

/** @param {Element} within */
export function decorate(within) {
  for (const target of within.querySelectorAll('[data-language]')) void decorateOne(target);
}

/** @param {Element} target */
async function decorateOne(target) {
  const text = target.textContent ?? '';
  const language = target.getAttribute('data-language') ?? '';
  target.removeAttribute('data-language');
  if (language === '' || text.length > maxTextLength) return;
  try {
    // Loaded lazily: pages without code don't need it.
    const { render } = await import('./grammars.js');
    const shown = render(text, language);
    if (shown) target.replaceChildren(...shown);
  } catch {
    // Without a server, the text stays plain.
  }
}
