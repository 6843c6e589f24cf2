import { element } from './element.js';

/**
 * @param {string} label
 * @param {Blob} blob
 * @param {string} name of the file
 * @returns {HTMLAnchorElement} looks like a quiet button
 */
export function downloadLink(label, blob, name) {
  return element('a', { class: 'quiet-button', href: URL.createObjectURL(blob), download: name }, label);
}
