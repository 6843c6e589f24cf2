import { element } from './element.js';

/**
 * * A menu button. Escape or a click elsewhere closes the menu.
 *
 * @param {string} label
 * @param {object} options
 * @param {string} options.look classes of the button
 * @param {() => boolean} [options.closes] allows closing
 * @param {...HTMLElement} content
 * @returns {{ root: HTMLDetailsElement, close(): void }}
 */
export function createMenu(label, { look, closes = () => true }, ...content) {
  const summary = element('summary', { class: look }, label);
  const root = element(
    'details',
    { class: 'menu' },
    summary,
    element('div', { class: 'menu-body' }, ...content),
  );
  const close = () => {
    if (closes()) root.open = false;
  };
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !root.open || !closes() || event.defaultPrevented) return;
    close();
    summary.focus();
  });
  document.addEventListener('click', (event) => {
    if (event.target instanceof Node && event.target.isConnected && !root.contains(event.target)) close();
  });
  return { root, close };
}
