import { keyVariable, toCurl } from '../api/curl.js';
import { announce } from '../dom/announce.js';
import { element, quietButton, uniqueId } from '../dom/element.js';

/**
 * * @typedef {object} Shown
 * @property {import('../api/client.js').ApiRequest} request
 * @property {readonly string[]} [files] files for the body's placeholders
 */

/**
 * * A button that copies the panel's current request, and an element that shows the copy.
 *
 * @param {string} base
 * @param {() => Shown} describe
 * @returns {{ button: HTMLButtonElement, shown: HTMLElement }}
 */
export function createCurlButton(base, describe) {
  const text = element('pre', { tabindex: '0', role: 'region', 'aria-label': 'curl line' });
  const note = element('p', { class: 'hint' });
  const shown = element('div', { class: 'curl', hidden: true, id: uniqueId('curl') }, text, note);
  const copy = async () => {
    const { request, files } = describe();
    const line = toCurl(base, request, files);
    text.textContent = line;
    shown.hidden = false;
    const copied = await navigator.clipboard?.writeText(line).then(
      () => true,
      () => false,
    );
    note.textContent = `${copied ? 'Copied. It' : 'Copy it from here; it'} takes the key from the variable ${keyVariable}.`;
    announce(note.textContent);
  };
  const button = quietButton('Copy as curl', () => void copy());
  return { button, shown };
}
