import { element } from '../../dom/element.js';
import { errorView } from '../error-view.js';

/**
 * * Shows the answers of two models side by side. Fails if the first fails; an error of the second is shown in its column.
 *
 * @param {HTMLElement} log
 * @param {object} options
 * @param {(place: HTMLElement) => Promise<void>} options.first
 * @param {(place: HTMLElement) => Promise<void>} options.second
 * @param {() => void} options.changeKey
 * @param {AbortSignal} options.signal
 */
export async function answerPair(log, { first, second, changeKey, signal }) {
  const [left, right] = [element('div', { class: 'side' }), element('div', { class: 'side' })];
  const pair = element('div', { class: 'pair' }, left, right);
  log.append(pair);
  const other = second(right).catch((error) => {
    if (!signal.aborted) right.append(errorView(error, changeKey));
  });
  try {
    await first(left);
  } finally {
    if (left.childElementCount === 0) pair.remove();
    else await other;
  }
}
