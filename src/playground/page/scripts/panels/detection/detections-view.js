import { element } from '../../dom/element.js';

/**
 * @typedef {import('../../../../../categories/detection/wire/schema.ts').DetectResponse} DetectResponse
 */

/** Below this share of the picture's height a label has no room above its box. */
const topMargin = 0.08;

/**
 * Boxes over a picture.
 *
 * @param {DetectResponse} response
 * @returns {HTMLElement[]}
 */
export function toBoxes({ detections, image: { width, height } }) {
  return detections.map(({ class_name: name, confidence, box: { x1, y1, x2, y2 } }) => {
    const label = element('span', { class: 'box-label' }, `${name} ${confidence.toFixed(2)}`);
    const box = element('div', { class: 'box', 'data-inside': String(y1 / height < topMargin) }, label);
    Object.assign(box.style, {
      left: `${(x1 / width) * 100}%`,
      top: `${(y1 / height) * 100}%`,
      width: `${((x2 - x1) / width) * 100}%`,
      height: `${((y2 - y1) / height) * 100}%`,
    });
    return box;
  });
}

/**
 * The same as a table; the row under the pointer marks its box.
 *
 * @param {DetectResponse} response
 * @param {readonly HTMLElement[]} boxes
 * @returns {HTMLElement}
 */
export function toTable({ detections }, boxes) {
  const rows = detections.map(({ class_name: name, confidence, box: { x1, y1, x2, y2 } }, index) => {
    const row = element(
      'tr',
      {},
      element('td', {}, name),
      element('td', { class: 'number' }, confidence.toFixed(3)),
      element('td', { class: 'number' }, [x1, y1, x2, y2].map(Math.round).join(', ')),
    );
    row.addEventListener('pointerenter', () => boxes[index]?.setAttribute('data-marked', 'true'));
    row.addEventListener('pointerleave', () => boxes[index]?.removeAttribute('data-marked'));
    return row;
  });
  const head = element(
    'tr',
    {},
    element('th', { scope: 'col' }, 'Class'),
    element('th', { scope: 'col', class: 'number' }, 'Score'),
    element('th', { scope: 'col', class: 'number' }, 'Box (x1, y1, x2, y2)'),
  );
  return element(
    'table',
    { class: 'table' },
    element('caption', { class: 'visually-hidden' }, 'What was found'),
    element('thead', {}, head),
    element('tbody', {}, ...rows),
  );
}
