import { element } from '../../dom/element.js';
import { nearestTo } from './similarity.js';

/**
 * * A heat map of similarities, and each text's nearest neighbor.
 *
 * @param {readonly string[]} texts
 * @param {readonly (readonly number[])[]} scores
 * @returns {HTMLElement}
 */
export function toMatrixView(texts, scores) {
  const columns = texts.map((text, index) => element('th', { scope: 'col', title: text }, String(index + 1)));
  const rows = texts.map((text, row) =>
    element(
      'tr',
      {},
      element(
        'th',
        { scope: 'row' },
        element('span', { class: 'place' }, String(row + 1)),
        element('span', { class: 'row-text' }, text),
      ),
      ...texts.map((_, column) => cell(scores[row]?.[column] ?? 0)),
    ),
  );
  const matrix = element(
    'table',
    { class: 'matrix' },
    element('caption', { class: 'visually-hidden' }, 'Similarity of each text with each'),
    element('thead', {}, element('tr', {}, element('td', {}), ...columns)),
    element('tbody', {}, ...rows),
  );
  return element(
    'div',
    { class: 'results' },
    element(
      'div',
      { class: 'matrix-scroll', tabindex: '0', role: 'region', 'aria-label': 'Similarities' },
      matrix,
    ),
    nearestList(texts, scores),
  );
}

/** @param {number} score */
function cell(score) {
  const shown = element('td', {}, score.toFixed(2));
  shown.style.setProperty('--heat-share', `${Math.max(0, score) * 100}%`);
  return shown;
}

/** @param {readonly string[]} texts @param {readonly (readonly number[])[]} scores */
function nearestList(texts, scores) {
  const items = texts.flatMap((text, index) => {
    const row = scores[index] ?? [];
    const nearest = nearestTo(row, index);
    if (nearest === -1) return [];
    const score = element('span', { class: 'score' }, (row[nearest] ?? 0).toFixed(3));
    return [
      element(
        'li',
        {},
        element('span', {}, text),
        element('span', { class: 'nearest' }, texts[nearest] ?? ''),
        score,
      ),
    ];
  });
  if (items.length === 0) return null;
  return element(
    'section',
    {},
    element('h3', {}, 'Nearest to each'),
    element('ol', { class: 'nearest-list' }, ...items),
  );
}
