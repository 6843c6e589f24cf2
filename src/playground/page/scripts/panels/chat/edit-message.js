import { element, quietButton } from '../../dom/element.js';

/**
 * * Edits a sent message in place. Enter sends it, Escape cancels.
 *
 * @param {HTMLElement} message
 * @param {string} text
 * @param {(text: string) => void} onSend
 */
export function editMessage(message, text, onSend) {
  const former = [...message.childNodes];
  const pictures = [...message.querySelectorAll('.sent-picture')];
  const input = element('textarea', { class: 'input', rows: '2', 'aria-label': 'Edit message' });
  input.value = text;
  const close = () => {
    message.classList.remove('is-edited');
    message.replaceChildren(...former);
  };
  const cancel = () => {
    close();
    message.querySelector(/** @type {'button'} */ ('.edit-button'))?.focus();
  };
  const send = () => {
    const wanted = input.value.trim();
    if (wanted === '' && pictures.length === 0) return;
    // Restored if the answer fails.
    close();
    onSend(wanted);
  };
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') cancel();
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send();
    }
  });
  message.classList.add('is-edited');
  message.replaceChildren(
    ...pictures,
    input,
    element(
      'div',
      { class: 'row' },
      element('span', { class: 'hint' }, 'The messages after it are replaced.'),
      element('span', { class: 'spread' }),
      quietButton('Cancel', cancel, { class: 'quiet-button small-button' }),
      quietButton('Send edited message', send, { class: 'quiet-button small-button' }),
    ),
  );
  input.focus();
  input.setSelectionRange(text.length, text.length);
}
