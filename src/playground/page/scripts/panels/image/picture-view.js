import { downloadLink } from '../../dom/download.js';
import { element, quietButton } from '../../dom/element.js';

/**
 * * One picture, including its previews.
 *
 * @param {string} prompt
 */
export function createPictureView(prompt) {
  const image = element('img', { alt: '', hidden: true });
  const caption = element('figcaption', { class: 'row' });
  const root = element(
    'figure',
    { class: 'picture', 'data-state': 'begun' },
    element('div', { class: 'frame' }, image),
    caption,
  );
  const show = (/** @type {Blob} */ blob) => {
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(blob);
    image.hidden = false;
  };
  return {
    root,
    preview: show,
    /** @param {Blob} blob @param {number} seed @param {((file: File) => void) | undefined} onFind @param {(seed: number) => void} onSeed */
    complete(blob, seed, onFind, onSeed) {
      show(blob);
      image.alt = prompt;
      root.dataset['state'] = 'complete';
      const name = `slashv1-${seed}.png`;
      const find =
        onFind && quietButton('Find objects', () => onFind(new File([blob], name, { type: blob.type })));
      const again = quietButton(`Keep seed ${seed}`, () => onSeed(seed));
      caption.replaceChildren(downloadLink('Download', blob, name), ...(find ? [find] : []), again);
    },
  };
}
