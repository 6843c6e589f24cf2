import { element } from './element.js';
import { formatBytes } from './format.js';

/**
 * * Chooses a file by dialog, drop or paste, and shows the name of the latest.
 *
 * @param {object} options
 * @param {string} options.label
 * @param {string} options.hint
 * @param {string} options.accept media type such as `image/*`
 * @param {(file: File) => void} options.onFile
 * @returns {{ root: HTMLLabelElement, show(file: File): void }} `show` displays a file from elsewhere
 */
export function createFileDrop({ label, hint, accept, onFile }) {
  const input = element('input', { type: 'file', class: 'visually-hidden', accept });
  const name = element('strong', {}, label);
  const note = element('span', { class: 'hint' }, hint);
  const root = element('label', { class: 'drop' }, input, name, note);
  takeFiles(root, input, ([file]) => onFile(file));
  return {
    root,
    show(file) {
      root.dataset['chosen'] = 'true';
      name.textContent = file.name;
      note.textContent = `${formatBytes(file.size)} · choose, drop or paste another`;
    },
  };
}

/** @typedef {[File, ...File[]]} Files */

/**
 * * Takes files chosen with an input, and files dropped or pasted while an element is visible.
 *
 * @param {HTMLElement} root marked while files are dragged over the page
 * @param {HTMLInputElement} input
 * @param {(files: Files) => void} onFiles
 */
export function takeFiles(root, input, onFiles) {
  /** @param {FileList | null | undefined} list */
  const take = (list) => {
    const [first, ...others] = list ?? [];
    if (first) onFiles([first, ...others]);
    return first !== undefined;
  };
  input.addEventListener('change', () => {
    take(input.files);
    // So that the same file can be chosen again.
    input.value = '';
  });
  // Elements of a hidden panel have no box.
  const isShown = () => root.getClientRects().length > 0;
  const markOver = (/** @type {boolean} */ isOver) => (root.dataset['over'] = String(isOver));
  document.addEventListener('dragover', () => markOver(isShown()));
  document.addEventListener('dragleave', () => markOver(false));
  document.addEventListener('drop', ({ dataTransfer }) => {
    markOver(false);
    if (isShown()) take(dataTransfer?.files);
  });
  document.addEventListener('paste', (event) => {
    if (isShown() && take(event.clipboardData?.files)) event.preventDefault();
  });
}

/** Otherwise browsers navigate to files dropped outside a drop target. */
export function keepDroppedFiles() {
  for (const type of /** @type {const} */ (['dragover', 'drop'])) {
    document.addEventListener(type, (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    });
  }
}
