import { announce } from '../../dom/announce.js';
import { element, field } from '../../dom/element.js';
import { counted, formatDuration } from '../../dom/format.js';
import { createWorkspace } from '../workspace.js';
import { toMatrixView } from './matrix-view.js';
import { similarities } from './similarity.js';

/** A larger table is unreadable. */
const maxTexts = 40;

const examples = [
  'a red circle above a blue square',
  'a blue square below a red circle',
  'two green stars',
  'a pair of green stars',
  'What is the weather in Paris?',
];

/** @param {import('../workspace.js').PanelContext} context @returns {import('../workspace.js').Panel} */
export function createEmbeddingPanel(context) {
  const { client } = context;
  const input = element('textarea', { class: 'input', rows: '5' }, examples.join('\n'));
  const status = element('p', { class: 'status', role: 'status' });
  const results = element('div', {});
  const textsOf = () => input.value.split('\n').filter((line) => line.trim() !== '');
  const toRequest = () => ({
    path: '/embeddings',
    json: { model: workspace.model().id, input: textsOf(), ...workspace.parameters.changed() },
  });
  const workspace = createWorkspace(context, {
    title: 'Compare',
    lead: 'See which sentences mean nearly the same.',
    action: 'Compare',
    onStart: () => void compare(),
    describe: () => ({ request: toRequest() }),
  });
  const { task } = workspace;

  const compare = () =>
    task.run(async (signal) => {
      const request = toRequest();
      const texts = request.json.input;
      if (texts.length > maxTexts) {
        throw new Error(
          `There are ${texts.length} sentences; the page compares at most ${maxTexts} at a time.`,
        );
      }
      const startedAt = performance.now();
      const response = await client.send(request, signal);
      const { data, usage } =
        /** @type {import('../../../../../categories/embedding/wire/bodies.ts').EmbeddingResponse} */ (
          await response.json()
        );
      const vectors = data.map(({ embedding }) => /** @type {number[]} */ (embedding));
      results.replaceChildren(toMatrixView(texts, similarities(vectors)));
      const took = formatDuration(performance.now() - startedAt);
      const dimensions = vectors[0]?.length ?? 0;
      status.textContent = `${counted(usage.prompt_tokens, 'token')} · ${dimensions} dimensions · ${took}`;
      announce(`${texts.length} sentences are compared.`);
    });

  workspace.main.append(
    field('Sentences', input, 'One on each line.'),
    ...workspace.controls(task.button, status),
    results,
  );
  return { root: workspace.root };
}
