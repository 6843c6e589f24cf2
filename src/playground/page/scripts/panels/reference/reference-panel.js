import { element } from '../../dom/element.js';
import { toRows } from '../../reference/schema-rows.js';
import { errorView } from '../error-view.js';

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

/**
 * Every endpoint with its fields and errors, from the description that the API gives of itself. It is asked for when
 * the panel is opened.
 *
 * @param {Pick<import('../workspace.js').PanelContext, 'client' | 'changeKey'>} context
 * @returns {import('../workspace.js').Panel & { onOpen(): void }}
 */
export function createReferencePanel({ client, changeKey }) {
  const body = element('div', { class: 'reference' });
  const main = element(
    'div',
    { class: 'workspace-main' },
    element(
      'div',
      { class: 'workspace-head' },
      element(
        'div',
        {},
        element('h2', {}, 'API reference'),
        element('p', { class: 'lead' }, 'Every endpoint with its fields, defaults and errors.'),
      ),
    ),
    body,
  );
  let isAsked = false;
  const show = async () => {
    try {
      const response = await client.send({ path: '/openapi.json' });
      const document = /** @type {OpenApi} */ (await response.json());
      body.replaceChildren(...endpointViews(document, client.base));
    } catch (error) {
      isAsked = false;
      body.replaceChildren(errorView(error, changeKey));
    }
  };
  return {
    root: element('section', { class: 'workspace' }, main),
    onOpen() {
      if (isAsked) return;
      isAsked = true;
      body.replaceChildren(element('p', { class: 'status', role: 'status' }, 'Loading …'));
      void show();
    },
  };
}

/** @param {OpenApi} document @param {string} base */
function endpointViews({ paths, components }, base) {
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
  // Some have hundreds of rows, which nobody reads all.
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
 * The first cell of each row is code.
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
