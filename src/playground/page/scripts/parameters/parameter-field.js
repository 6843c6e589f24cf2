import { element, select, uniqueId } from '../dom/element.js';

/**
 * @typedef {import('../../../../server/models.ts').ModelParameters['parameters'][string]} Descriptor
 * @typedef {string | number | boolean} Value
 * @typedef {{ value: string, label: string }} Choice
 */

/**
 * * @typedef {object} ParameterField
 * @property {HTMLElement} root
 * @property {() => Value | undefined} changed the value, if it isn't the default
 * @property {(value: Value | undefined) => void} set `undefined` restores the default
 * @property {(message: string) => void} point shows an error; empty clears it
 */

const maxSliderSteps = 4096;
const maxSelectOptions = 6;

/**
 * * A control for one parameter, from its discovery description.
 *
 * @param {string} name
 * @param {Descriptor} descriptor
 * @param {readonly Choice[]} [choices] for a text with fixed values
 * @returns {ParameterField}
 */
export function createParameterField(name, descriptor, choices) {
  const id = uniqueId('parameter');
  const { default: byDefault, description } = descriptor;
  const { main, slider } = createControls(descriptor, choices);
  main.id = id;
  main.setAttribute('aria-describedby', `${id}-hint`);
  const label = element('label', { class: 'label', for: id }, element('code', {}, name));
  const hint = element('p', { class: 'hint', id: `${id}-hint` }, description);
  const problem = element('p', { class: 'problem', hidden: true });
  const root = element('div', { class: 'parameter' }, label, main, slider, problem, hint);

  /** @returns {Value | undefined} */
  const read = () => {
    if (main instanceof HTMLInputElement && main.type === 'checkbox') return main.checked;
    if (main.value.trim() === '') return byDefault;
    if (descriptor.type === 'boolean') return main.value === 'true';
    // Invalid numbers are sent as is, for the API's error message.
    const isText = descriptor.type === 'string' || Number.isNaN(Number(main.value));
    return isText ? main.value : Number(main.value);
  };
  const changed = () => (read() === byDefault ? undefined : read());
  const point = (/** @type {string} */ message) => {
    problem.textContent = message;
    problem.hidden = message === '';
    main.setAttribute('aria-invalid', String(message !== ''));
  };
  const refresh = () => {
    root.dataset['changed'] = String(changed() !== undefined);
    point('');
    if (!slider) return;
    slider.value = String(read());
    const [min, max] = [Number(slider.min), Number(slider.max)];
    slider.style.setProperty('--fill', `${((Number(slider.value) - min) / (max - min)) * 100}%`);
  };
  const set = (/** @type {Value | undefined} */ value) => {
    const shown = value ?? byDefault;
    if (main instanceof HTMLInputElement && main.type === 'checkbox') main.checked = shown === true;
    else main.value = shown === undefined ? '' : String(shown);
    refresh();
  };
  slider?.setAttribute('aria-labelledby', (label.id = `${id}-label`));
  slider?.addEventListener('input', () => set(Number(slider.value)));
  main.addEventListener('input', refresh);
  set(undefined);
  return { root, changed, set, point };
}

/**
 * @param {Descriptor} descriptor
 * @param {readonly Choice[] | undefined} choices
 * @returns {{ main: HTMLInputElement | HTMLSelectElement, slider?: HTMLInputElement }}
 */
function createControls({ type, min, max, step = 1, default: byDefault }, choices) {
  if (type === 'boolean') {
    // A third state for an unset parameter.
    if (byDefault === undefined) {
      const values = ['', 'true', 'false'].map((value) => ({ value, label: value || 'not set' }));
      return { main: withClass(select(values), 'number') };
    }
    return { main: element('input', { type: 'checkbox', role: 'switch', class: 'switch-input' }) };
  }
  if (choices) return { main: withClass(select(choices), 'wide') };
  if (type === 'string')
    return { main: element('input', { type: 'text', class: 'input wide', autocomplete: 'off' }) };
  if (min !== undefined && max !== undefined && byDefault !== undefined) {
    if (type === 'int' && max - min < maxSelectOptions) {
      const values = Array.from({ length: max - min + 1 }, (_, index) => String(min + index));
      return { main: withClass(select(values.map((value) => ({ value, label: value }))), 'number') };
    }
    if ((max - min) / step <= maxSliderSteps) {
      const slider = element('input', { type: 'range', class: 'slider', min, max, step });
      return { main: numberInput(type, 'set'), slider };
    }
  }
  return { main: numberInput(type, byDefault === undefined ? 'not set' : String(byDefault)) };
}

/** @template {HTMLElement} T @param {T} target @param {string} name @returns {T} */
function withClass(target, name) {
  target.classList.add(name);
  return target;
}

/** A text field, since fields of type `number` hide invalid input from the page. @param {Descriptor['type']} type @param {string} placeholder */
function numberInput(type, placeholder) {
  const inputmode = type === 'int' ? 'numeric' : 'decimal';
  return element('input', {
    type: 'text',
    inputmode,
    class: 'input number',
    autocomplete: 'off',
    placeholder,
  });
}
