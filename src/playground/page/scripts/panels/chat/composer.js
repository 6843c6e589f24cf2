import { element } from '../../dom/element.js';

/**
 * The field for a message with what belongs to it.
 *
 * @param {HTMLTextAreaElement} input
 * @param {object} options
 * @param {HTMLElement} options.notice
 * @param {HTMLElement} options.attached
 * @param {readonly (HTMLElement | null)[]} options.before buttons at the beginning of the row
 * @param {HTMLElement} options.send
 * @param {readonly [HTMLElement, ...HTMLElement[]]} options.below the first at the beginning, the others at the end
 * @param {() => void} options.onEnter
 */
export function createComposer(input, { notice, attached, before, send, below, onEnter }) {
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    onEnter();
  });
  const [first, ...others] = below;
  const spread = () => element('span', { class: 'spread' });
  return element(
    'div',
    { class: 'composer' },
    notice,
    element('label', { class: 'visually-hidden', for: (input.id = 'chat-input') }, 'Message'),
    element(
      'div',
      { class: 'message-box' },
      attached,
      input,
      element('div', { class: 'row' }, ...before, spread(), send),
    ),
    element('div', { class: 'row' }, first, spread(), ...others),
  );
}
