import { element } from '../../dom/element.js';
import { toRows } from '../../reference/schema-rows.js';

/**
 * @typedef {import('../../reference/schema-rows.js').Schema} Schema
 * @typedef {Readonly<Record<string, { schema: { $ref: string } }>>} Content
 */

/**
 * @typedef {object} Operation
 * @property {string} summary
 * @property {readonly { name: string, in: string, description?: string }[]} [parameters]
 * @property {{ content: Content }} [requestBody]
 * @property {Readonly<Record<string, { description: string, content: Content }>>} responses
 */

/** @typedef {{ paths: Readonly<Record<string, Record<string, Operation>>>, components: { schemas: Readonly<Record<string, Schema>> } }} OpenApi */

/** @param {OpenApi} document @param {string} base */
export function endpointViews({ paths, components }, base) {
  const schemaOf = (/** @type {string} */ ref) => components.schemas[ref.split('/').at(-1) ?? ''] ?? {};
  const prefix = new URL(base).pathname;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      endpointView(`${method.toUpperCase()} ${prefix}${path}`, operation, schemaOf),
    ),
  );
}

/** @param {string} title @param {Operation} operation @param {(ref: string) => Schema} schemaOf */
function endpointView(title, { summary, parameters = [], requestBody, responses }, schemaOf) {
  const content = element('div', { class: 'endpoint-content' });
  const root = element(
    'details',
    { class: 'endpoint' },
    element('summary', {}, element('code', {}, title), element('span', { class: 'hint' }, summary)),
    content,
  );
  // Rendered on demand: some have hundreds of rows.
  root.addEventListener('toggle', () => {
    if (content.hasChildNodes()) return;
    const { 200: success, ...errors } = responses;
    content.append(
      ...parameterTable(parameters),
      ...contentTables('Request', requestBody?.content ?? {}, schemaOf),
      ...contentTables('Response', success?.content ?? {}, schemaOf),
      table(
        'Errors',
        ['Status', 'Code'],
        Object.entries(errors).map(([status, { description }]) => [status, description]),
      ),
    );
  });
  return root;
}

/** @param {NonNullable<Operation['parameters']>} parameters */
function parameterTable(parameters) {
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: place, description = '' }) => [name, place, description]);
  return [table('Parameters', ['Name', 'In', 'Description'], rows)];
}

/** @param {string} title @param {Content} content @param {(ref: string) => Schema} schemaOf */
function contentTables(title, content, schemaOf) {
  const isRequest = title === 'Request';
  const head = ['Field', 'Value', ...(isRequest ? ['Default'] : []), 'Description'];
  return Object.entries(content).map(([mediaType, { schema }]) => {
    const rows = toRows(schemaOf(schema.$ref)).map(({ name, type, isRequired, byDefault, description }) =>
      isRequest ? [name, type, isRequired ? 'required' : byDefault, description] : [name, type, description],
    );
    return table(`${title}: ${mediaType}`, head, rows);
  });
}

/**
 * * Formats the first cell of each row as code.
 *
 * @param {string} title
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(title, head, rows) {
  return element(
    'div',
    { class: 'table-frame', tabindex: '0', role: 'region', 'aria-label': title },
    element(
      'table',
      { class: 'table' },
      element('caption', {}, title),
      element('thead', {}, element('tr', {}, ...head.map((name) => element('th', { scope: 'col' }, name)))),
      element(
        'tbody',
        {},
        ...rows.map(([first = '', ...others]) =>
          element(
            'tr',
            {},
            element('td', {}, element('code', {}, first)),
            ...others.map((cell) => element('td', {}, cell)),
          ),
        ),
      ),
    ),
  );
}
