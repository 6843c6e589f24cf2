// A voice assistant: an agent transcribes a recording, calls tools, and speaks its answer while it is generated.
// Usage: node examples/voice-assistant/assistant.js question.wav answer.wav
import { fileURLToPath } from 'node:url';
import { readFile, writeFile } from 'node:fs/promises';
import { chat, createInference, speech, transcription, voice } from 'slashv1';
import { default as wavefile } from 'wavefile';

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

/** The models of an assistant: three, and the agent that combines them. */
export const models = {
  ears: transcription({ source: 'tiny-whisper' }),
  brain: chat({ source: 'tiny-chat' }),
  mouth: speech({ source: 'tiny-speech' }),
  assistant: voice({ hears: 'ears', thinks: 'brain', speaks: 'mouth' }),
};

/**
 * @param {import('slashv1').Inference} inference
 * @param {Uint8Array} recording a WAV file
 * @param {(pcm: Uint8Array) => void} play receives 16-bit samples at 24 kHz as they are generated
 * @returns {Promise<{ question: string, answer: string }>}
 */
export async function talk(inference, recording, play) {
  const conversation = inference.talk({ model: 'assistant' });
  const declared = Object.entries(tools).map(([name, { description, parameters }]) => {
    return { type: /** @type {const} */ ('function'), name, description, parameters };
  });
  const transcribed = { audio: { input: { transcription: {} } } };
  conversation.send({
    type: 'session.update',
    session: { type: 'realtime', tools: declared, ...transcribed },
  });
  const audio = toPcm(recording).toString('base64');
  conversation.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_audio', audio }] },
  });
  conversation.send({ type: 'response.create' });
  let [question, answer] = ['', ''];
  let hasCalled = false;
  for await (const event of conversation) {
    if (event.type === 'error') throw new Error(event.error.message);
    if (event.type === 'conversation.item.input_audio_transcription.completed') question = event.transcript;
    if (event.type === 'response.output_audio.delta') play(Buffer.from(event.delta, 'base64'));
    if (event.type === 'response.output_audio_transcript.done') answer = event.transcript;
    if (event.type === 'response.function_call_arguments.done') {
      const output = JSON.stringify(tools[event.name]?.run(JSON.parse(event.arguments)));
      conversation.send({
        type: 'conversation.item.create',
        item: { type: 'function_call_output', call_id: event.call_id, output },
      });
      hasCalled = true;
    }
    if (event.type !== 'response.done') continue;
    // The results are in the conversation: request the rest of the answer.
    if (hasCalled) conversation.send({ type: 'response.create' });
    else conversation.close();
    hasCalled = false;
  }
  return { question, answer };
}

/** 16-bit samples at 24 kHz of the first channel. @param {Uint8Array} recording a WAV file */
function toPcm(recording) {
  const file = new wavefile.WaveFile(recording);
  file.toSampleRate(24_000);
  file.toBitDepth('16');
  // Mono is a list of samples; several channels are a list of such lists.
  const samples = /** @type {Iterable<any>} */ (file.getSamples());
  const [first] = samples;
  return Buffer.from(Int16Array.from(typeof first === 'number' ? samples : first).buffer);
}

/** A WAV file of 16-bit samples. @param {Uint8Array} pcm @param {number} sampleRateHz */
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
  const inference = createInference({ models });
  /** @type {Uint8Array[]} */
  const spoken = [];
  const { question, answer } = await talk(inference, await readFile(from), (pcm) => spoken.push(pcm));
  await writeFile(to, toWav(Buffer.concat(spoken), 24_000));
  console.log(`You: ${question}\nAssistant: ${answer}`);
  await inference.close();
}
