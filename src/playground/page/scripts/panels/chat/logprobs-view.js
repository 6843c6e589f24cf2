import { element } from '../../dom/element.js';

/**
 * @typedef {NonNullable<import('./messages.js').Chunk['choices'][number]['logprobs']>['content'][number]} TokenLogprob
 */

/**
 * * The tokens of an answer with their probabilities and alternatives.
 *
 * @returns {{ root: HTMLElement, add(tokens: readonly TokenLogprob[]): void }}
 */
export function createLogprobsView() {
  const list = element('ol', { class: 'tokens' });
  const root = element(
    'details',
    { class: 'reasoning', hidden: true },
    element('summary', {}, 'Probabilities'),
    list,
  );
  return {
    root,
    add(tokens) {
      root.hidden = false;
      for (const { token, logprob, top_logprobs: others } of tokens) {
        const chip = element(
          'li',
          { class: 'token' },
          element('code', {}, visible(token)),
          ` ${percent(logprob)}`,
        );
        chip.style.setProperty('--share', `${Math.exp(logprob) * 100}%`);
        if (others.length > 0) {
          const listed = others.map((other) => `${visible(other.token)} ${percent(other.logprob)}`);
          chip.append(element('span', { class: 'hint' }, listed.join(' · ')));
        }
        list.append(chip);
      }
    },
  };
}

/** @param {number} logprob @returns {string} `12.3 %` */
function percent(logprob) {
  return `${(Math.exp(logprob) * 100).toFixed(1)} %`;
}

/** @param {string} token @returns {string} with visible white space */
function visible(token) {
  return token.replaceAll(' ', '␣').replaceAll('\n', '⏎') || '∅';
}
