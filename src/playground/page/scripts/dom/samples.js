import { element, quietButton } from './element.js';

/**
 * @typedef {object} Sample
 * @property {string} label
 * @property {() => Promise<File>} make
 */

/**
 * Buttons that stand for a file of one's own.
 *
 * @param {readonly Sample[]} samples
 * @param {(file: File) => void} onFile
 * @param {(error: unknown) => void} onError
 * @returns {HTMLElement}
 */
export function createSamples(samples, onFile, onError) {
  const buttons = samples.map(({ label, make }) =>
    quietButton(label, () => void make().then(onFile, onError)),
  );
  return element(
    'div',
    { class: 'row samples', hidden: samples.length === 0 },
    element('span', { class: 'hint' }, 'No file at hand? Try'),
    ...buttons,
  );
}
