import { element } from './element.js';

/**
 * *
 *
 * @param {Blob} blob
 * @param {string} name
 */
export function saveFile(blob, name) {
  const link = downloadLink(name, blob, name);
  link.click();
  URL.revokeObjectURL(link.href);
}

/**
 * * @param {string} label
 * @param {Blob} blob
 * @param {string} name of the file
 * @returns {HTMLAnchorElement} styled as a quiet button
 */
export function downloadLink(label, blob, name) {
  return element('a', { class: 'quiet-button', href: URL.createObjectURL(blob), download: name }, label);
}
