import { announce } from '../../dom/announce.js';
import { element, field } from '../../dom/element.js';
import { createFileDrop } from '../../dom/file-drop.js';
import { formatBytes, formatDuration } from '../../dom/format.js';
import { createSamples } from '../../dom/samples.js';
import { createRecordButton } from '../recording/record-button.js';
import { spokenSample } from '../spoken-sample.js';
import { createWorkspace } from '../workspace.js';
import { toTranscriptView } from './transcript-view.js';

const sentence = { label: 'A spoken sentence', text: 'I see a red circle above a blue square.' };

/** @param {import('../workspace.js').PanelContext} context @returns {import('../workspace.js').Panel} */
export function createTranscriptionPanel(context) {
  const { client } = context;
  let file = new File([], 'speech.wav');
  const status = element('p', { class: 'status', role: 'status' });
  const results = element('div', {});
  const language = element('input', {
    type: 'text',
    class: 'input',
    placeholder: 'Auto-detect',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const drop = createFileDrop({
    label: 'Choose a recording',
    hint: 'or drop one here: wav, mp3, m4a, ogg, flac, webm',
    accept: 'audio/*,video/mp4,video/webm',
    onFile: (chosen) => take(chosen),
  });
  const recordButton = createRecordButton({
    onRecording: (recorded) => take(recorded),
    onError: (error) => workspace.showError(error),
  });

  const toRequest = () => {
    const spoken = language.value.trim();
    const given = Object.entries(workspace.parameters.changed());
    /** @type {[string, string | File][]} */
    const form = [
      ['file', file],
      ['model', workspace.model().id],
      ['response_format', 'verbose_json'],
    ];
    if (spoken !== '') form.push(['language', spoken]);
    for (const [name, value] of given) form.push([name, String(value)]);
    return { path: '/audio/transcriptions', form };
  };
  const workspace = createWorkspace(context, {
    title: 'Listen',
    lead: 'Transcribe a recording.',
    action: 'Transcribe',
    settings: [field('Language', language, 'Two letters, such as en; detected where left empty.')],
    onStart: () => void transcribe(),
    describe: () => ({ request: toRequest() }),
  });
  const { task } = workspace;

  /** @param {File} chosen */
  const take = (chosen) => {
    task.stop();
    file = chosen;
    drop.show(chosen);
    void transcribe();
  };

  const transcribe = async () => {
    if (file.size === 0) {
      workspace.showError(new Error('Record something or choose a recording first.'));
      return;
    }
    await task.idle();
    await task.run(async (signal) => {
      results.replaceChildren();
      status.textContent = `Transcribing ${file.name}, ${formatBytes(file.size)} …`;
      const startedAt = performance.now();
      try {
        const response = await client.send(toRequest(), signal);
        const transcription = /** @type {import('./transcript-view.js').Transcription} */ (
          await response.json()
        );
        results.replaceChildren(toTranscriptView(file, transcription));
        status.textContent = `${file.name}: transcribed in ${formatDuration(performance.now() - startedAt)}`;
        announce(transcription.text);
      } catch (error) {
        status.textContent = signal.aborted ? 'Stopped' : '';
        throw error;
      }
    });
  };

  const speaker = context.modelOf('speech');
  const samples = speaker ? [spokenSample(client, speaker.id, sentence)] : [];
  workspace.main.append(
    drop.root,
    createSamples(samples, take, workspace.showError),
    ...workspace.controls(recordButton, task.button, status),
    results,
  );
  return { root: workspace.root, take };
}
