import { element, field } from './dom/element.js';
import { errorView } from './panels/error-view.js';

/**
 * *
 *
 * @param {(key: string) => unknown} onKey
 * @returns {{ root: HTMLElement, showError(error: unknown): void, focus(): void }}
 */
export function createGate(onKey) {
  const input = element('input', {
    type: 'password',
    class: 'input',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
  });
  const problem = element('div', {});
  const form = element(
    'form',
    {},
    field('API key', input, 'It stays in this browser tab and is forgotten when the tab is closed.'),
    problem,
    element('div', {}, element('button', { type: 'submit', class: 'button' }, 'Open')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onKey(input.value);
  });
  return {
    root: element('section', { class: 'gate' }, element('h2', {}, 'Enter your API key'), form),
    showError: (error) => problem.replaceChildren(errorView(error)),
    focus: () => input.focus(),
  };
}
