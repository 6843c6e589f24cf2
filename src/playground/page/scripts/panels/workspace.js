import { ApiError } from '../api/api-error.js';
import { element, field, select } from '../dom/element.js';
import { createParameterForm } from '../parameters/parameter-form.js';
import { createDemoNote } from './demo-note.js';
import { createCurlButton } from './copy-curl.js';
import { errorView } from './error-view.js';
import { createTask } from './task.js';

/**
 * @typedef {import('../../../../server/models.ts').WireModel} Model
 * @typedef {import('../../../../server/models.ts').ModelParameters} ModelParameters
 * @typedef {import('../parameters/parameter-form.js').Choice} Choice
 */

/**
 * *
 *
 * @typedef {object} PanelContext
 * @property {import('../api/client.js').Client} client
 * @property {() => string} currentKey
 * @property {HTMLElement} exchange shows the last request and its response
 * @property {readonly [Model, ...Model[]]} models of its kind
 * @property {(category: string) => Model | undefined} modelOf first model of a different category, if any
 * @property {(category: string, file: File) => void} handOver opens a different panel with a file
 * @property {() => void} open shows the panel
 * @property {() => void} changeKey
 */

/**
 * *
 *
 * @typedef {object} Panel
 * @property {HTMLElement} root
 * @property {HTMLElement} [aside] sidebar of all panels
 * @property {(file: File) => void} [take] file from a different panel
 */

/**
 * * @typedef {object} Workspace
 * @property {HTMLElement} root
 * @property {HTMLElement} main container of the panel's elements
 * @property {import('./task.js').Task} task
 * @property {HTMLElement} curlShown and the last exchange
 * @property {HTMLButtonElement} curlButton
 * @property {(...before: readonly HTMLElement[]) => HTMLElement[]} controls button row with these before the curl button, then curl line and errors
 * @property {import('../parameters/parameter-form.js').ParameterForm} parameters
 * @property {HTMLElement} problem container of errors
 * @property {() => Model} model the selected model
 * @property {(id: string) => void} choose selects a model
 * @property {(error: unknown) => void} showError
 */

/**
 * * The common parts of panels: title, model selection, parameters, start/stop button, errors, curl line.
 *
 * @param {PanelContext} context
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.lead
 * @param {string} options.action label of the button
 * @param {() => void} options.onStart
 * @param {() => import('./copy-curl.js').Shown} options.describe the current request
 * @param {(model: Model) => Promise<Record<string, readonly Choice[]>>} [options.choices] of parameters that are texts
 * @param {(isBusy: boolean) => void} [options.onBusy]
 * @param {readonly HTMLElement[]} [options.settings] shown before the parameters
 * @param {Record<string, string | number | boolean>} [options.first] initial parameter values
 * @returns {Workspace}
 */
export function createWorkspace(
  context,
  { title, lead, action, onStart, describe, choices, onBusy, settings, first },
) {
  const { client, models } = context;
  const modelSelect = select(models.map(({ id }) => ({ value: id, label: id })));
  const model = () => models.find(({ id }) => id === modelSelect.value) ?? models[0];
  const parameters = createParameterForm(settings, first);
  const problem = element('div', {});
  const showError = (/** @type {unknown} */ error) => {
    problem.replaceChildren(errorView(error, context.changeKey));
    if (error instanceof ApiError && error.param !== '') parameters.point(error.param, error.message);
  };
  let watching = new AbortController();
  const watch = async () => {
    const { signal } = (watching = new AbortController());
    const path = `/models/${encodeURIComponent(model().id)}`;
    const read = async () => /** @type {Promise<Model>} */ ((await client.send({ path }, signal)).json());
    const { showLoad } = await import('./show-load.js');
    await showLoad(read, problem, signal);
  };
  const task = createTask({
    label: action,
    onStart,
    onError: showError,
    onBusy(isBusy) {
      watching.abort();
      if (isBusy) {
        problem.replaceChildren();
        // The request reports the failure.
        watch().catch(() => undefined);
      }
      onBusy?.(isBusy);
    },
  });
  const { button: curlButton, shown } = createCurlButton(client.base, describe);
  const curlShown = element('div', { class: 'raw' }, shown, context.exchange);

  const discover = async () => {
    const { id } = model();
    try {
      const [response, known] = await Promise.all([
        client.send({ path: `/models/${encodeURIComponent(id)}/parameters` }),
        choices?.(model()),
      ]);
      const found = /** @type {ModelParameters} */ (await response.json());
      if (model().id === id) parameters.show(found.parameters, known);
    } catch (error) {
      showError(error);
    }
  };
  const demoNote = createDemoNote();
  const onChoice = () => {
    demoNote.show(model());
    void discover();
  };
  modelSelect.addEventListener('change', onChoice);
  onChoice();
  const choose = (/** @type {string} */ id) => {
    modelSelect.value = id;
    onChoice();
  };

  const head = element(
    'div',
    { class: 'workspace-head' },
    element('div', {}, element('h2', {}, title), element('p', { class: 'lead' }, lead)),
    models.length > 1
      ? field('Model', modelSelect)
      : element('p', { class: 'model' }, element('code', {}, models[0].id)),
  );
  const main = element('div', { class: 'workspace-main' }, head, demoNote.root);
  const root = element('section', { class: 'workspace' }, main, parameters.root);
  const controls = (/** @type {readonly HTMLElement[]} */ ...before) => [
    element('div', { class: 'row' }, ...before, element('span', { class: 'spread' }), curlButton),
    curlShown,
    problem,
  ];
  return {
    root,
    main,
    task,
    curlButton,
    curlShown,
    controls,
    parameters,
    problem,
    model,
    choose,
    showError,
  };
}
