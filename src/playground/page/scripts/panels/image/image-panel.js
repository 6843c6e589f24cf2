import { readJsonEvents } from '../../api/server-events.js';
import { announce } from '../../dom/announce.js';
import { blobFromBase64 } from '../../dom/bytes.js';
import { element, field } from '../../dom/element.js';
import { formatDuration } from '../../dom/format.js';
import { createWorkspace } from '../workspace.js';
import { createPictureView } from './picture-view.js';

/** @typedef {import('../../../../../categories/image/wire/schema.ts').ImageStreamEvent} ImageStreamEvent */

/** @param {import('../workspace.js').PanelContext} context @returns {import('../workspace.js').Panel} */
export function createImagePanel(context) {
  const { client, modelOf, handOver } = context;
  const prompt = element('textarea', { class: 'input', rows: '2' }, 'a red circle above a blue square');
  const status = element('p', { class: 'status', role: 'status' });
  const gallery = element('div', { class: 'gallery' });
  const toRequest = () => ({
    path: '/images/generations',
    json: { model: workspace.model().id, prompt: prompt.value, ...workspace.parameters.changed() },
  });
  const workspace = createWorkspace(context, {
    title: 'Image',
    lead: 'Describe a picture and watch it being drawn.',
    action: 'Draw',
    // A quarter of the pixels of the API's default.
    first: { width: 512, height: 512 },
    onStart: () => void draw(),
    describe: () => ({ request: toRequest() }),
  });
  const { task, parameters } = workspace;

  const draw = () =>
    task.run(async (signal) => {
      const { path, json } = toRequest();
      const startedAt = performance.now();
      /** @type {Map<number, ReturnType<typeof createPictureView>>} */
      const views = new Map();
      const viewOf = (/** @type {number} */ index) => {
        const view = views.get(index) ?? createPictureView(json.prompt);
        if (!views.has(index)) gallery.prepend(view.root);
        views.set(index, view);
        return view;
      };
      status.textContent = 'Waiting for the first step …';
      try {
        const response = await client.send(
          { path, json: { ...json, stream: true, stream_options: { include_progress: true } } },
          signal,
        );
        for await (const event of /** @type {AsyncGenerator<ImageStreamEvent>} */ (
          readJsonEvents(response, signal)
        )) {
          const view = viewOf(event.image_index);
          if (event.type !== 'image_generation.progress') {
            const blob = blobFromBase64(event.b64_json, 'image/png');
            if (event.type === 'image_generation.partial_image') view.preview(blob);
            else {
              const onFind =
                modelOf('detection') && ((/** @type {File} */ file) => handOver('detection', file));
              view.complete(blob, event.seed, onFind, (seed) => parameters.set('seed', seed));
            }
          }
          if (event.type !== 'image_generation.completed') {
            const which = event.image_index > 0 ? `Picture ${event.image_index + 1}: step` : 'Step';
            status.textContent = `${which} ${event.step} of ${event.steps}`;
          }
        }
        status.textContent = `Drawn in ${formatDuration(performance.now() - startedAt)}`;
        announce(`${views.size === 1 ? 'The picture is' : `${views.size} pictures are`} there.`);
      } catch (error) {
        status.textContent = signal.aborted ? 'Stopped' : '';
        for (const { root } of views.values()) if (root.dataset['state'] === 'begun') root.remove();
        throw error;
      }
    });

  workspace.main.append(field('Prompt', prompt), ...workspace.controls(task.button, status), gallery);
  return { root: workspace.root };
}
