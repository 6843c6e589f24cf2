import { announce } from '../../dom/announce.js';
import { downloadLink } from '../../dom/download.js';
import { element, field, quietButton } from '../../dom/element.js';
import { formatBytes, formatDuration } from '../../dom/format.js';
import { createWorkspace } from '../workspace.js';
import { playWav } from './play-wav.js';

/** @param {import('../workspace.js').PanelContext} context @returns {import('../workspace.js').Panel} */
export function createSpeechPanel(context) {
  const { client, modelOf, handOver } = context;
  const input = element('textarea', { class: 'input', rows: '3' }, 'I see a red circle above a blue square.');
  const status = element('p', { class: 'status', role: 'status' });
  const results = element('div', { class: 'results' });
  const toRequest = () => ({
    path: '/audio/speech',
    json: { model: workspace.model().id, input: input.value, ...workspace.parameters.changed() },
  });
  const workspace = createWorkspace(context, {
    title: 'Speak',
    lead: 'Write something and hear it.',
    action: 'Speak',
    onStart: () => void speak(),
    describe: () => ({ request: toRequest() }),
    async choices({ id }) {
      const response = await client.send({ path: `/audio/voices?model=${encodeURIComponent(id)}` });
      const { voices } = /** @type {import('../../../../../categories/speech/wire/voices.ts').VoiceList} */ (
        await response.json()
      );
      const known = voices.map((voice) => ({ value: voice.id, label: voice.name }));
      return known.length === 0 ? {} : { voice: known };
    },
  });
  const { task } = workspace;

  const speak = () =>
    task.run(async (signal) => {
      const request = toRequest();
      const startedAt = performance.now();
      status.textContent = 'Speaking …';
      try {
        const response = await client.send(request, signal);
        // Long texts are streamed; short ones have a content-length.
        const isStreamed = !response.headers.has('content-length');
        const { file, played } = isStreamed ? await playWav(response, signal) : await whole(response);
        const player = element('audio', {
          controls: true,
          src: URL.createObjectURL(file),
          'aria-label': request.json.input.slice(0, 80),
        });
        const listen = modelOf('transcription')
          ? quietButton('Write it down again', () => handOver('transcription', file))
          : null;
        results.prepend(
          element(
            'article',
            { class: 'spoken' },
            element('p', { class: 'spoken-text' }, request.json.input),
            player,
            element('div', { class: 'row' }, downloadLink('Download', file, file.name), listen),
          ),
        );
        status.textContent = `${formatBytes(file.size)} in ${formatDuration(performance.now() - startedAt)}`;
        announce('The speech is ready.');
        // Some browsers block autoplay; the player is visible.
        if (isStreamed) await played;
        else await player.play().catch(() => undefined);
      } catch (error) {
        status.textContent = signal.aborted ? 'Stopped' : '';
        throw error;
      }
    });

  workspace.main.append(field('Text', input), ...workspace.controls(task.button, status), results);
  return { root: workspace.root };
}

/** @param {Response} response */
async function whole(response) {
  const file = new File([await response.blob()], 'speech.wav', { type: 'audio/wav' });
  return { file, played: Promise.resolve() };
}
