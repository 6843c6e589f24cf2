import { element } from '../../dom/element.js';

/**
 * * The message field and its buttons.
 *
 * @param {HTMLTextAreaElement} input
 * @param {object} options
 * @param {HTMLElement} options.notice
 * @param {HTMLElement} options.attached
 * @param {readonly (HTMLElement | null)[]} options.before buttons at the beginning of the row
 * @param {HTMLElement} options.send
 * @param {readonly [HTMLElement, ...HTMLElement[]]} options.below first is left-aligned, the rest right-aligned
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
