/**
 * * @typedef {Node | string | null | undefined} Child empty values are skipped
 * @typedef {Record<string, string | number | boolean | undefined>} Attributes `false` and `undefined` are skipped
 */

/**
 * * Creates an element. Model and server output is passed as children, which are text, never markup.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== undefined) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

let lastId = 0;

/**
 * * @param {string} prefix
 * @returns {string} a unique id
 */
export function uniqueId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/**
 * A control with its label and a hint.
 *
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [hint]
 * @returns {HTMLDivElement}
 */
export function field(label, control, hint) {
  control.id ||= uniqueId('field');
  const hintElement =
    hint === undefined ? null : element('p', { class: 'hint', id: `${control.id}-hint` }, hint);
  if (hintElement) control.setAttribute('aria-describedby', hintElement.id);
  return element(
    'div',
    { class: 'field' },
    element('label', { class: 'label', for: control.id }, label),
    control,
    hintElement,
  );
}

/**
 * @param {string} label
 * @param {() => void} onClick
 * @param {Attributes} [attributes]
 * @returns {HTMLButtonElement}
 */
export function quietButton(label, onClick, attributes = {}) {
  const button = element('button', { type: 'button', class: 'quiet-button', ...attributes }, label);
  button.addEventListener('click', onClick);
  return button;
}

/**
 * @param {string} label
 * @param {boolean} [checked]
 * @returns {{ root: HTMLLabelElement, input: HTMLInputElement }}
 */
export function toggle(label, checked = false) {
  const input = element('input', { type: 'checkbox', role: 'switch', class: 'switch-input', checked });
  return { root: element('label', { class: 'switch' }, input, element('span', {}, label)), input };
}

/**
 * @param {readonly { value: string, label: string }[]} options
 * @param {string} [chosen]
 * @returns {HTMLSelectElement}
 */
export function select(options, chosen) {
  return element(
    'select',
    { class: 'input' },
    ...options.map(({ value, label }) => element('option', { value, selected: value === chosen }, label)),
  );
}
