import { element, quietButton } from '../../dom/element.js';

/**
 * @typedef {import('../../../../../categories/detection/wire/bodies.ts').DetectResponse} DetectResponse
 */

/** Closer to the top, as a share of the height, a label has no room above its box. */
const topMargin = 0.08;
/** Number of colors in the style sheet; more classes share them. */
const colors = 8;
/** Match colors in class names: a red box around a blue square would mislead. */
const namedColors = new Map([
  ['green', 0],
  ['red', 1],
  ['blue', 2],
  ['pink', 3],
  ['orange', 4],
  ['yellow', 4],
  ['brown', 4],
  ['purple', 6],
  ['gray', 7],
  ['black', 7],
]);

/**
 * * The found classes with color and count, most frequent first.
 *
 * @param {DetectResponse} response
 * @returns {Map<string, { color: string, count: number }>}
 */
export function classesOf({ detections }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { class_name: name } of detections) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([, count], [, other]) => other - count);
  const free = new Set(Array(colors).keys());
  const named = new Map(sorted.map(([name]) => [name, take(free, name.split(' ').map(toNamed))]));
  return new Map(
    sorted.map(([name, count], index) => {
      const color = named.get(name) ?? take(free, [...free]) ?? index % colors;
      return [name, { count, color: String(color) }];
    }),
  );
}

/** @param {string} word */
function toNamed(word) {
  return namedColors.get(word);
}

/** Takes the first free color. @param {Set<number>} free @param {readonly (number | undefined)[]} wanted */
function take(free, wanted) {
  return wanted.find((color) => color !== undefined && free.delete(color));
}

/**
 * * A toggle button per class for its boxes.
 *
 * @param {DetectResponse} response
 * @param {readonly HTMLElement[]} boxes
 * @returns {HTMLElement}
 */
export function toLegend(response, boxes) {
  const buttons = [...classesOf(response)].map(([name, { color, count }]) => {
    const button = quietButton(
      `${name} ${count}`,
      () => {
        const isShown = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(isShown));
        for (const [index, { class_name: other }] of response.detections.entries())
          if (other === name && boxes[index]) boxes[index].hidden = !isShown;
      },
      { class: 'quiet-button legend-class', 'data-color': color, 'aria-pressed': 'true' },
    );
    return element('li', {}, button);
  });
  return element(
    'ul',
    { class: 'legend', 'aria-label': 'Found classes; press one to hide its boxes' },
    ...buttons,
  );
}

/**
 * * Boxes over a picture, colored by class.
 *
 * @param {DetectResponse} response
 * @returns {HTMLElement[]}
 */
export function toBoxes(response) {
  const { detections, image } = response;
  const { width, height } = image;
  const classes = classesOf(response);
  return detections.map(({ class_name: name, confidence, box: { x1, y1, x2, y2 } }) => {
    const label = element('span', { class: 'box-label' }, `${name} ${confidence.toFixed(2)}`);
    const box = element(
      'div',
      {
        class: 'box',
        'data-inside': String(y1 / height < topMargin),
        'data-color': classes.get(name)?.color,
      },
      label,
    );
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
 * * The same as a table; hovering a row highlights its box.
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
    element('caption', { class: 'visually-hidden' }, 'Objects'),
    element('thead', {}, head),
    element('tbody', {}, ...rows),
  );
}
