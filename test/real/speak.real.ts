import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { normalizeEnglish } from '../../dist/src/entries/audio.js';
import {
  collectTranscription,
  createInference,
  speech,
  transcription,
  type Inference,
} from '../../dist/src/index.js';
import { wordErrorRate } from './word-error-rate.ts';

const models = process.env['SLASHV1_REAL_MODELS'];
if (models === undefined)
  throw new Error('SLASHV1_REAL_MODELS: expected the folder of kokoro, piper and whisper-base');

const hardSentences = [
  'The quick brown fox jumps over the lazy dog.',
  'On March 3rd, 2024, the price rose by 12.5% to $1,299.99.',
  "Dr. Smith and Mrs. O'Neill live at 221B Baker St. in London.",
  'Did you read the book, or have you only seen the film?',
  'The NASA probe travelled 4.5 billion km at 3:45 p.m. yesterday.',
  'Please call 555-0199 between 9 a.m. and 5 p.m., Monday to Friday.',
  'Angela Merkel met Emmanuel Macron and Volodymyr Zelensky in Kyiv.',
  'I have lived here since 1987, but I will leave in the 2030s.',
  'He wound the bandage around the wound, and the dove dove into the bushes.',
  'Inference runs at 48 kHz; the API returns JSON, HTML or a URL like example.com/test.',
];

let inference: Inference;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'speak-'));
  inference = createInference({
    models: {
      kokoro: speech({ source: join(models, 'kokoro') }),
      espeak: speech({ source: join(models, 'piper', 'en_US-joe-medium.onnx'), phonemizer: 'espeak' }),
      'built-in': speech({ source: join(models, 'piper'), phonemizer: 'built-in' }),
      listener: transcription({ source: join(models, 'whisper-base'), dtype: 'fp32' }),
    },
  });
  await inference.ready();
});

afterAll(async () => {
  await inference.close();
  await rm(folder, { recursive: true });
});

/** Has a text spoken, and writes down what is heard. */
async function hear(
  input: string,
  { model = 'kokoro', voice }: { readonly model?: string; readonly voice: string },
): Promise<{ text: string; language?: string | undefined }> {
  const pieces: Uint8Array[] = [];
  for await (const event of inference.speak({ model, input, voice })) {
    if (event.type === 'audio') pieces.push(event.bytes);
  }
  const path = join(folder, 'spoken.wav');
  await writeFile(path, Buffer.concat(pieces));
  return collectTranscription(inference.transcribe({ model: 'listener', audio: { path }, temperature: 0 }));
}

/** Small letters alone, accents kept. */
function toWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/(?<=\p{L})'(?=\p{L})/gu, '')
    .replace(/[^\p{L}\p{M}\d]+/gu, ' ')
    .trim();
}

it.each([
  ['kokoro', 'af_heart', 0.1],
  ['espeak', 'en_US-joe-medium', 0.2],
  ['built-in', 'en_US-joe-medium', 0.2],
])('%s: hard English sentences are heard as they are written', async (model, voice, most) => {
  const all: { said: string; heard: string }[] = [];
  for (const sentence of hardSentences) {
    const { text } = await hear(sentence, { model, voice });
    // Both in words, since a transcript may write 3:45 or three forty-five.
    all.push({ said: toWords(normalizeEnglish(sentence)), heard: toWords(normalizeEnglish(text)) });
  }
  const rate = wordErrorRate(all.map(({ said }) => said).join(' '), all.map(({ heard }) => heard).join(' '));
  expect(rate, JSON.stringify(all, undefined, 1)).toBeLessThanOrEqual(most);
  console.log(`${model}, ${voice}: word error rate ${rate.toFixed(3)}`);
});

it.each([
  ['ef_dora', 'es', 'Los muchachos viven en Madrid y comen ocho manzanas en la cocina.'],
  ['ff_siwis', 'fr', "Bonjour, j'habite à Paris et je travaille dans une petite librairie."],
  ['if_sara', 'it', 'La ragazza abita a Roma e lavora in una piccola libreria.'],
  ['pf_dora', 'pt', 'Bom dia, eu moro em São Paulo e trabalho em uma pequena livraria.'],
])('%s is heard in %s as she is told', async (voice, language, sentence) => {
  const heard = await hear(sentence, { voice });
  expect(heard.language).toBe(language);
  expect(wordErrorRate(toWords(sentence), toWords(heard.text)), heard.text).toBeLessThanOrEqual(0.2);
});
