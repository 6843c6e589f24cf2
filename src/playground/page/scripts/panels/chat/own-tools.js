import { element, field, quietButton, uniqueId } from '../../dom/element.js';

/** @typedef {import('./example-tools.js').ExampleTool} ExampleTool */

const example = `[
  {
    "name": "get_price",
    "description": "Get the price of a thing.",
    "parameters": {
      "type": "object",
      "properties": { "thing": { "type": "string" } },
      "required": ["thing"]
    }
  }
]`;

/**
 * * A field for functions in JSON; the user answers their calls.
 *
 * @returns {{ root: HTMLElement, tools: () => ExampleTool[] }} `tools` throws for invalid text
 */
export function createToolEditor() {
  const input = element('textarea', { class: 'input code-input', rows: '6', spellcheck: 'false' });
  const problem = element('p', { class: 'problem', role: 'status', id: uniqueId('tools'), hidden: true });
  const tools = () => (input.value.trim() === '' ? [] : readTools(input.value).map(toTool));
  const check = () => {
    problem.textContent = faultOf(tools) ?? '';
    problem.hidden = problem.textContent === '';
    input.setAttribute('aria-invalid', String(!problem.hidden));
  };
  input.addEventListener('input', check);
  const fill = quietButton('Example', () => {
    input.value = example;
    check();
  });
  const root = element(
    'details',
    { class: 'chat-settings' },
    element('summary', {}, 'Your own tools'),
    field(
      'Functions',
      input,
      'A list in JSON: name, description, parameters as a JSON Schema. You answer the calls.',
    ),
    problem,
    fill,
  );
  return { root, tools };
}

/** @param {() => unknown} check */
function faultOf(check) {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * @param {string} text
 * @returns {{ name: string, [field: string]: unknown }[]} functions
 * @throws Error naming the function and the field
 */
export function readTools(text) {
  const given = /** @type {unknown} */ (JSON.parse(text));
  if (!Array.isArray(given)) throw new Error('Expected a list: [{ "name": … }]');
  const names = new Set();
  return given.map((entry, index) => {
    const place = `[${index}]`;
    // The format of requests is accepted too.
    const called = entry?.type === 'function' ? entry.function : entry;
    const { name, description, parameters = {} } = Object(called);
    if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name))
      throw new Error(`${place}.name: expected 1 to 64 letters, digits, _ or -`);
    if (names.has(name)) throw new Error(`${place}.name: expected every name once, got ${name} again`);
    names.add(name);
    if (description !== undefined && typeof description !== 'string')
      throw new Error(`${place}.description: expected a text`);
    assertSchema(`${place}.parameters`, parameters);
    if (parameters.type !== undefined && parameters.type !== 'object')
      throw new Error(`${place}.parameters.type: expected "object"`);
    return called;
  });
}

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Checks frequent mistakes; the API checks the rest. @param {string} place @param {any} schema @param {number} [depth] */
function assertSchema(place, schema, depth = 0) {
  if (typeof schema === 'boolean' || depth > 50) return;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new Error(`${place}: expected a JSON Schema, which is an object`);
  const { type, properties = {}, items, required = [] } = schema;
  const unknown = [type ?? []].flat().find((each) => !types.includes(each));
  if (unknown !== undefined)
    throw new Error(`${place}.type: expected one of ${types.join(', ')}, got ${JSON.stringify(unknown)}`);
  if (!Array.isArray(required) || required.some((name) => typeof name !== 'string'))
    throw new Error(`${place}.required: expected a list of names`);
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
    throw new Error(`${place}.properties: expected an object of schemas`);
  for (const [name, inner] of Object.entries(properties))
    assertSchema(`${place}.properties.${name}`, inner, depth + 1);
  if (items !== undefined) assertSchema(`${place}.items`, items, depth + 1);
}

/** @param {{ name: string, [field: string]: unknown }} definition @returns {ExampleTool} */
function toTool(definition) {
  const { name } = definition;
  return {
    label: name,
    name,
    definition: { type: 'function', function: definition },
    answer: (_values, signal, place) =>
      new Promise((resolve, reject) => {
        const input = element('textarea', { class: 'input', rows: '2' });
        const send = quietButton('Send the result', () => resolve({ content: input.value }));
        place(element('div', { class: 'call-form' }, field(`Result of ${name}`, input), send));
        input.focus();
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  };
}
