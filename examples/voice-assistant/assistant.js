// A voice assistant: a recording is transcribed, a chat model answers and calls tools, and each sentence is spoken while
// the next one is still being written.
// Usage: node examples/voice-assistant/assistant.js question.wav answer.wav
import { fileURLToPath } from 'node:url';
import { readFile, writeFile } from 'node:fs/promises';
import { chat, createInference, speech, transcription } from 'slashv1';
import { default as wavefile } from 'wavefile';

/** @typedef {import('slashv1').ChatMessage} Message */

/**
 * @typedef {object} Tool
 * @property {string} description
 * @property {Record<string, unknown>} parameters a JSON schema
 * @property {(given: Record<string, unknown>) => unknown} run
 */

/** @type {Readonly<Record<string, Tool>>} */
export const tools = {
  get_weather: {
    description: 'Get the weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run: ({ city }) => ({ city, weather: '20 degrees and sunny' }),
  },
};

/**
 * @param {import('slashv1').Inference} inference with the models `ears`, `brain` and `mouth`
 * @param {Uint8Array} recording of any common audio format
 * @param {(pcm: Uint8Array) => void} play gets samples of 16 bits as they are spoken
 * @returns {Promise<{ question: string, answer: string }>}
 */
export async function talk(inference, recording, play) {
  let question = '';
  for await (const event of inference.transcribe({ model: 'ears', audio: recording })) {
    if (event.type === 'segment') question += event.segment.text;
  }
  /** @type {Message[]} */
  const messages = [{ role: 'user', content: question.trim() }];
  let answer = '';
  for await (const sentence of sentences(answers(inference, messages))) {
    answer += sentence;
    for await (const event of inference.speak({ model: 'mouth', input: sentence, format: 'pcm' })) {
      if (event.type === 'audio') play(event.bytes);
    }
  }
  return { question: question.trim(), answer: answer.trim() };
}

/**
 * The words of the answer, calls of tools in between.
 *
 * @param {import('slashv1').Inference} inference
 * @param {Message[]} messages
 */
async function* answers(inference, messages) {
  const declared = Object.entries(tools).map(([name, { description, parameters }]) => ({
    name,
    description,
    parameters,
  }));
  for (let round = 0; round < 3; round++) {
    /** @type {{ id: string, name: string, arguments: string }[]} */
    const calls = [];
    for await (const event of inference.chat({ model: 'brain', messages, tools: declared })) {
      if (event.type === 'text-delta') yield event.text;
      if (event.type === 'tool-call-start') calls.push({ id: event.id, name: event.name, arguments: '' });
      const call = calls.at(-1);
      if (event.type === 'tool-call-delta' && call) call.arguments += event.arguments;
    }
    if (calls.length === 0) return;
    messages.push({ role: 'assistant', content: null, toolCalls: calls });
    for (const { id, name, arguments: given } of calls) {
      const result = tools[name]?.run(JSON.parse(given));
      messages.push({ role: 'tool', toolCallId: id, content: JSON.stringify(result) });
    }
  }
}

/** Whole sentences of a text that comes in pieces. @param {AsyncIterable<string>} pieces */
async function* sentences(pieces) {
  let pending = '';
  for await (const piece of pieces) {
    pending += piece;
    for (let end; (end = /[.!?]\s/.exec(pending)) !== null;) {
      yield pending.slice(0, end.index + 2);
      pending = pending.slice(end.index + 2);
    }
  }
  if (pending.trim() !== '') yield pending;
}

/** A WAV file of samples of 16 bits. @param {Uint8Array} pcm @param {number} sampleRateHz */
export function toWav(pcm, sampleRateHz) {
  const file = new wavefile.WaveFile();
  file.fromScratch(1, sampleRateHz, '16', new Int16Array(Uint8Array.from(pcm).buffer));
  return file.toBuffer();
}

if (fileURLToPath(import.meta.url) === process.argv[1]) {
  const [from, to] = process.argv.slice(2);
  if (from === undefined || to === undefined) {
    throw new Error('Usage: node examples/voice-assistant/assistant.js question.wav answer.wav');
  }
  const inference = createInference({
    models: {
      ears: transcription({ source: 'tiny-whisper' }),
      brain: chat({ source: 'tiny-chat' }),
      mouth: speech({ source: 'tiny-speech' }),
    },
  });
  /** @type {Uint8Array[]} */
  const spoken = [];
  const { question, answer } = await talk(inference, await readFile(from), (pcm) => spoken.push(pcm));
  await writeFile(to, toWav(Buffer.concat(spoken), 24_000));
  console.log(`You: ${question}\nAssistant: ${answer}`);
  await inference.close();
}
