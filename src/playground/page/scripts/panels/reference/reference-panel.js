import { element } from '../../dom/element.js';
import { errorView } from '../error-view.js';

/**
 * * Every endpoint with its fields and errors, from the API's OpenAPI document, loaded when the panel is opened.
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
      const document = /** @type {import('./endpoint-views.js').OpenApi} */ (await response.json());
      const { endpointViews } = await import('./endpoint-views.js');
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
