import { element } from './element.js';

/**
 * A place to choose a file, drop one or paste one.
 *
 * @param {object} options
 * @param {string} options.label
 * @param {string} options.hint
 * @param {string} options.accept media type such as `image/*`
 * @param {(file: File) => void} options.onFile
 * @returns {HTMLLabelElement}
 */
export function createFileDrop({ label, hint, accept, onFile }) {
  const input = element('input', { type: 'file', class: 'visually-hidden', accept });
  const root = element(
    'label',
    { class: 'drop' },
    input,
    element('strong', {}, label),
    element('span', { class: 'hint' }, hint),
  );
  /** @param {FileList | undefined} files */
  const take = (files) => {
    const file = files?.[0];
    if (file) onFile(file);
    return file !== undefined;
  };
  input.addEventListener('change', () => {
    take(input.files ?? undefined);
    // So that the same file can be chosen again.
    input.value = '';
  });
  // In a panel that isn't shown nothing has a box.
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
  return root;
}

/** Without this, a browser leaves the page for a file that is dropped where nothing takes it. */
export function keepDroppedFiles() {
  for (const type of /** @type {const} */ (['dragover', 'drop'])) {
    document.addEventListener(type, (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    });
  }
}
