import { element } from '../../dom/element.js';

/**
 * * The documents, best first, with score and bar.
 *
 * @param {readonly string[]} documents in the request's order
 * @param {import('../../../../../categories/rerank/wire/bodies.ts').RerankResponse['results']} results
 * @returns {HTMLElement}
 */
export function toRankingView(documents, results) {
  const items = results.map(({ index, relevance_score: score }) => {
    const bar = element('span', { class: 'ranking-bar', 'aria-hidden': 'true' });
    bar.style.setProperty('--score-share', `${score * 100}%`);
    return element(
      'li',
      {},
      element('span', { class: 'ranking-text' }, documents[index] ?? ''),
      element('span', { class: 'score' }, score.toFixed(3)),
      bar,
    );
  });
  return element('ol', { class: 'ranking', 'aria-label': 'Documents, best first' }, ...items);
}
