import { readFile } from 'node:fs/promises';
import { recordingForm } from './client.js';

/** @typedef {{ path: string, body: object | FormData }} Request */

/**
 * One request of each kind; several clients send each of them. No bundled model translates recordings.
 *
 * @returns {Promise<Record<string, Request>>}
 */
export async function innocentRequests() {
  const media = new URL('../e2e/media/', import.meta.url);
  const picture = (await readFile(new URL('picture.png', media))).toString('base64');
  const recording = await readFile(new URL('speech.wav', media));
  const text = 'a red circle above a blue square';
  const messages = [
    { role: 'system', content: 'You describe scenes.' },
    { role: 'user', content: 'Describe a scene with two shapes.' },
  ];
  const chat = { model: 'tiny-chat', messages, max_tokens: 30 };
  const response = { model: 'tiny-chat', input: 'Describe a scene.', max_output_tokens: 30 };
  const documents = [text, 'The weather in Paris is sunny.'];
  return {
    chat: { path: 'chat/completions', body: chat },
    'chat, streamed': { path: 'chat/completions', body: { ...chat, stream: true } },
    responses: { path: 'responses', body: response },
    'responses, streamed': { path: 'responses', body: { ...response, stream: true } },
    embeddings: { path: 'embeddings', body: { model: 'tiny-embed', input: documents } },
    rerank: { path: 'rerank', body: { model: 'tiny-rerank', query: text, documents } },
    detect: { path: 'detect', body: { model: 'tiny-detect', image: picture } },
    transcriptions: { path: 'audio/transcriptions', body: recordingForm(recording) },
    speech: { path: 'audio/speech', body: { model: 'tiny-speech', input: text, voice: 'af_heart' } },
    images: {
      path: 'images/generations',
      body: { model: 'tiny-image', prompt: text, size: '256x256', num_inference_steps: 2 },
    },
  };
}
