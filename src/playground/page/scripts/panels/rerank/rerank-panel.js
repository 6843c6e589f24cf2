import { announce } from '../../dom/announce.js';
import { element, field } from '../../dom/element.js';
import { counted, formatDuration } from '../../dom/format.js';
import { createWorkspace } from '../workspace.js';
import { toRankingView } from './ranking-view.js';

const exampleQuery = 'what is above the blue square';
const examples = [
  'A green star is to the left of a yellow cross.',
  'There is a red circle above a blue square.',
  'There are two blue squares.',
  'The weather in Paris is sunny.',
  'A blue square is above a red circle.',
];

/** @param {import('../workspace.js').PanelContext} context @returns {import('../workspace.js').Panel} */
export function createRerankPanel(context) {
  const { client } = context;
  const query = element('input', { class: 'input', type: 'text', value: exampleQuery, autocomplete: 'off' });
  const documents = element('textarea', { class: 'input', rows: '6' }, examples.join('\n'));
  const status = element('p', { class: 'status', role: 'status' });
  const results = element('div', { class: 'results' });
  const toRequest = () => ({
    path: '/rerank',
    json: {
      model: workspace.model().id,
      query: query.value,
      documents: documents.value.split('\n').filter((line) => line.trim() !== ''),
      ...workspace.parameters.changed(),
    },
  });
  const workspace = createWorkspace(context, {
    title: 'Rank',
    lead: 'Order documents by relevance to a query.',
    action: 'Rank',
    onStart: () => void rank(),
    describe: () => ({ request: toRequest() }),
  });
  const { task } = workspace;

  const rank = () =>
    task.run(async (signal) => {
      const request = toRequest();
      const startedAt = performance.now();
      const response = await client.send(request, signal);
      const { results: ranked, usage } =
        /** @type {import('../../../../../categories/rerank/wire/bodies.ts').RerankResponse} */ (
          await response.json()
        );
      results.replaceChildren(toRankingView(request.json.documents, ranked));
      const took = formatDuration(performance.now() - startedAt);
      status.textContent = `${counted(usage.prompt_tokens, 'token')} · ${took}`;
      announce(`${counted(ranked.length, 'document')}, best first.`);
    });

  query.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    void rank();
  });
  workspace.main.append(
    field('Query', query),
    field('Documents', documents, 'One on each line.'),
    ...workspace.controls(task.button, status),
    results,
  );
  return { root: workspace.root };
}
