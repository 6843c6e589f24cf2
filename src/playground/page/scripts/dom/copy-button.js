import { announce } from './announce.js';
import { quietButton } from './element.js';

const confirmationMs = 1500;

/**
 * * A button that copies a text.
 *
 * @param {string} label
 * @param {string} name for screen readers
 * @param {() => string} textOf
 * @returns {HTMLButtonElement}
 */
export function copyButton(label, name, textOf) {
  const say = (/** @type {string} */ said) => {
    button.textContent = said;
    announce(`${said}.`);
    setTimeout(() => (button.textContent = label), confirmationMs);
  };
  // Browsers offer the clipboard only on pages of https and localhost.
  const copy = async () => navigator.clipboard.writeText(textOf());
  const button = quietButton(
    label,
    () =>
      void copy().then(
        () => say('Copied'),
        () => say('Not allowed here'),
      ),
    { class: 'quiet-button small-button', 'aria-label': name },
  );
  return button;
}
