import { element } from '../../dom/element.js';

/**
 * The documents, best first, each with its score as a number and as a bar.
 *
 * @param {readonly string[]} documents as they were sent
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
