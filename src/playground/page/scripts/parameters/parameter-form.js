import { element, quietButton, uniqueId } from '../dom/element.js';
import { createParameterField } from './parameter-field.js';

/**
 * @typedef {import('./parameter-field.js').Descriptor} Descriptor
 * @typedef {import('./parameter-field.js').ParameterField} ParameterField
 * @typedef {import('./parameter-field.js').Choice} Choice
 * @typedef {import('./parameter-field.js').Value} Value
 */

/**
 * * @typedef {object} ParameterForm
 * @property {HTMLElement} root
 * @property {(parameters: Readonly<Record<string, Descriptor>>, choices?: Readonly<Record<string, readonly Choice[]>>) => void} show
 * @property {() => Record<string, Value>} changed the values that aren't defaults, by name
 * @property {(name: string, value: Value) => void} set
 * @property {(name: string, message: string) => boolean} point shows an error; false for an unknown name
 */

/**
 * * The parameters of one model. Changed values are kept when switching models.
 *
 * @param {readonly HTMLElement[]} [settings] of the panel, shown first
 * @param {Readonly<Record<string, Value>>} [first] initial values that replace defaults
 * @returns {ParameterForm}
 */
export function createParameterForm(settings = [], first = {}) {
  /** @type {Map<string, ParameterField>} */
  let fields = new Map();
  const list = element('div', { class: 'parameters-list' });
  const body = element('div', { class: 'parameters-body', id: uniqueId('parameters') }, ...settings, list);
  const toggle = quietButton('Parameters', () => open(root.dataset['open'] === 'false'), {
    class: 'quiet-button parameters-toggle',
    'aria-expanded': 'false',
    'aria-controls': body.id,
  });
  const reset = quietButton(
    'Reset',
    () => {
      for (const field of fields.values()) field.set(undefined);
      count();
    },
    { class: 'quiet-button reset' },
  );
  const head = element('div', { class: 'parameters-head' }, element('h3', {}, 'Parameters'), toggle, reset);
  const root = element(
    'section',
    { class: 'parameters', 'aria-label': 'Parameters', 'data-open': 'false' },
    head,
    body,
  );

  const open = (/** @type {boolean} */ isOpen) => {
    root.dataset['open'] = String(isOpen);
    toggle.setAttribute('aria-expanded', String(isOpen));
  };
  const changed = () => {
    /** @type {Record<string, Value>} */
    const values = {};
    for (const [name, field] of fields) {
      const value = field.changed();
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
  const count = () => {
    const number = Object.keys(changed()).length;
    reset.hidden = number === 0;
    toggle.textContent = number === 0 ? 'Parameters' : `Parameters · ${number} changed`;
  };
  list.addEventListener('input', count);

  return {
    root,
    changed,
    show(parameters, choices = {}) {
      const before = fields.size === 0 ? first : changed();
      fields = new Map(
        Object.entries(parameters).map(([name, descriptor]) => [
          name,
          createParameterField(name, descriptor, choices[name]),
        ]),
      );
      for (const [name, value] of Object.entries(before)) fields.get(name)?.set(value);
      const rootsOf = (/** @type {Descriptor['section']} */ section) =>
        [...fields]
          .filter(([name]) => sectionOf(name, parameters) === section)
          .map(([, field]) => field.root);
      const advanced = rootsOf('advanced');
      list.replaceChildren(...rootsOf('basic'));
      if (advanced.length > 0) {
        const more = element('div', {}, ...advanced);
        list.append(element('details', { class: 'more' }, element('summary', {}, 'Advanced'), more));
      }
      root.hidden = fields.size + settings.length === 0;
      count();
    },
    set(name, value) {
      fields.get(name)?.set(value);
      count();
    },
    point(name, message) {
      const field = fields.get(name);
      if (field === undefined) return false;
      field.point(message);
      open(true);
      const section = field.root.closest('details');
      if (section) section.open = true;
      return true;
    },
  };
}

/** Seeds stay visible, since they are needed to reproduce answers. @param {string} name @param {Readonly<Record<string, Descriptor>>} parameters */
function sectionOf(name, parameters) {
  return name === 'seed' ? 'basic' : parameters[name]?.section;
}
