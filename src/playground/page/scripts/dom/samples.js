import { element, quietButton } from './element.js';

/**
 * @typedef {object} Sample
 * @property {string} label
 * @property {boolean} [isPicture]
 * @property {() => Promise<File>} make
 */

/**
 * * Buttons with sample files; pictures are shown on their buttons.
 *
 * @param {readonly Sample[]} samples
 * @param {(file: File) => void} onFile
 * @param {(error: unknown) => void} onError
 * @returns {HTMLElement}
 */
export function createSamples(samples, onFile, onError) {
  const buttons = samples.map((sample) => sampleButton(sample, sample.label, onFile, onError));
  return element(
    'div',
    { class: 'row samples', hidden: samples.length === 0 },
    element('span', { class: 'hint' }, 'No file at hand? Try'),
    ...buttons,
  );
}

/**
 * @param {Sample} sample
 * @param {string} name
 * @param {(file: File) => void} onFile
 * @param {(error: unknown) => void} onError
 * @returns {HTMLButtonElement}
 */
export function sampleButton({ isPicture, make }, name, onFile, onError) {
  const choose = () => void make().then(onFile, onError);
  if (!isPicture) return quietButton(name, choose);
  const picture = element('img', { alt: '' });
  make().then((file) => (picture.src = URL.createObjectURL(file)), onError);
  const button = quietButton('', choose, { class: 'sample-picture', 'aria-label': name, title: name });
  button.append(picture);
  return button;
}
