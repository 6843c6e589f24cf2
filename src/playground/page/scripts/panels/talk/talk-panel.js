import { announce } from '../../dom/announce.js';
import { element, field, select } from '../../dom/element.js';
import { createWorkspace } from '../workspace.js';
import { levelOf, openMicrophone, toBase64 } from './microphone.js';
import { createPlayer } from './player.js';

/** @typedef {import('../../../../../realtime/agent/schema.ts').VoiceServerEvent} ServerEvent */

const handsFree = { type: 'server_vad' };

/** @param {import('../workspace.js').PanelContext} context @returns {import('../workspace.js').Panel} */
export function createTalkPanel(context) {
  const { client, currentKey } = context;
  const status = element('p', { class: 'status', role: 'status' });
  const level = element('meter', { class: 'level', min: 0, max: 1, value: 0, 'aria-label': 'Loudness' });
  const lines = element('ol', { class: 'talk-lines' });
  const instructions = element('textarea', { class: 'input', rows: '2', placeholder: 'You are a helper.' });
  const way = select([
    { value: 'free', label: 'Hands-free' },
    { value: 'hold', label: 'Hold to talk' },
  ]);
  const hold = element('button', { type: 'button', class: 'button secondary', hidden: true }, 'Hold to talk');
  const workspace = createWorkspace(context, {
    title: 'Talk',
    lead: 'Speak with a model, and interrupt it.',
    action: 'Start',
    settings: [field('Turns', way), field('Instructions', instructions)],
    onStart: () => void talk(),
    describe: () => ({ request: { path: `/models/${encodeURIComponent(workspace.model().id)}` } }),
  });
  const { task } = workspace;

  /** @type {Map<string, HTMLElement>} */
  const shown = new Map();
  /** @param {string} id @param {'user' | 'assistant'} role */
  const lineOf = (id, role) => {
    const known = shown.get(id);
    if (known) return known;
    const line = element('li', { class: 'talk-line', 'data-role': role });
    shown.set(id, line);
    lines.append(line);
    return line;
  };

  const talk = () =>
    task.run(async (signal) => {
      const isHeld = way.value === 'hold';
      let isOpen = !isHeld;
      const player = createPlayer();
      const microphone = await openMicrophone((pcm) => {
        level.value = levelOf(pcm);
        if (isOpen) send({ type: 'input_audio_buffer.append', audio: toBase64(pcm) });
      });
      const address = new URL(`${client.base}/realtime?model=${encodeURIComponent(workspace.model().id)}`);
      address.protocol = address.protocol.replace('http', 'ws');
      const key = currentKey();
      const socket = new WebSocket(address, ['realtime', ...(key ? [`openai-insecure-api-key.${key}`] : [])]);
      const send = (/** @type {object} */ event) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(event));
      };
      const interrupt = () => {
        const heard = player.stop();
        if (!heard) return;
        lineOf(heard.item, 'assistant').dataset['interrupted'] = '';
        const { item: item_id, heardMs: audio_end_ms } = heard;
        send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms });
      };
      /** @param {ServerEvent} event */
      const show = (event) => {
        if (event.type === 'session.updated') status.textContent = isHeld ? 'Ready' : 'Listening';
        else if (event.type === 'input_audio_buffer.speech_started') interrupt();
        else if (event.type === 'input_audio_buffer.committed')
          lineOf(event.item_id, 'user').textContent = '…';
        else if (event.type === 'conversation.item.input_audio_transcription.completed') {
          if (event.transcript === '') lineOf(event.item_id, 'user').remove();
          lineOf(event.item_id, 'user').textContent = event.transcript;
        } else if (event.type === 'response.output_audio_transcript.delta')
          lineOf(event.item_id, 'assistant').append(event.delta);
        else if (event.type === 'response.output_audio.delta') player.play(event.item_id, event.delta);
        else if (event.type === 'response.output_audio_transcript.done') announce(event.transcript);
        else if (event.type === 'error') workspace.showError(new Error(event.error.message));
      };
      const press = () => {
        isOpen = true;
        interrupt();
        send({ type: 'response.cancel' });
      };
      const release = () => {
        if (!isOpen) return;
        isOpen = false;
        send({ type: 'input_audio_buffer.commit' });
        send({ type: 'response.create' });
      };
      hold.hidden = !isHeld;
      const during = { signal };
      if (isHeld) {
        hold.addEventListener('pointerdown', press, during);
        for (const event of ['pointerup', 'pointercancel']) hold.addEventListener(event, release, during);
      }
      status.textContent = 'Connecting …';
      try {
        await new Promise((resolve, reject) => {
          socket.addEventListener('open', () =>
            send({
              type: 'session.update',
              session: {
                type: 'realtime',
                ...(instructions.value.trim() && { instructions: instructions.value.trim() }),
                audio: { input: { transcription: {}, turn_detection: isHeld ? null : handsFree } },
              },
            }),
          );
          socket.addEventListener('message', ({ data }) => show(JSON.parse(data)));
          socket.addEventListener('error', () =>
            reject(new Error('The connection could not be made, or broke off.')),
          );
          socket.addEventListener('close', resolve);
          signal.addEventListener('abort', resolve);
        });
      } finally {
        socket.close();
        microphone.close();
        player.close();
        hold.hidden = true;
        level.value = 0;
        status.textContent = 'Stopped';
      }
    });

  workspace.main.append(...workspace.controls(task.button, hold, level, status), lines);
  return { root: workspace.root };
}
