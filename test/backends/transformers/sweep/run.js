// Runs the miniatures of `make.py` and `trace.py` by the backends `onnx()` and `transformers()`, and writes which of them give
// what the reference gave into `results.json`, with the largest difference of a number: `node run.js FOLDER
// [category/architecture …]`. It takes the built package.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import {
  chat,
  collectTranscription,
  createInference,
  detection,
  embedding,
  onnx,
  speech,
  transcription,
} from 'slashv1';
import { transformers } from 'slashv1/transformers';

const [target, ...wanted] = process.argv.slice(2);
const categories = { chat, transcription, speech, detection, embedding };

async function picture(side) {
  const pixels = Uint8Array.from({ length: side * side * 3 }, (_, at) => {
    const [column, row] = [Math.floor(at / 3) % side, Math.floor(at / 3 / side)];
    return [column * 6, row * 10, (row + column) * 3][at % 3] % 256;
  });
  return new Uint8Array(
    await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
      .png()
      .toBuffer(),
  );
}

function wav() {
  const samples = Float32Array.from({ length: 16_000 }, (_, at) => {
    const time = at / 16_000;
    return (
      Math.round(
        (0.3 * Math.sin(2 * Math.PI * (200 + 300 * time) * time) * (1 + Math.sin(6 * Math.PI * time)) * 1e4) /
          2,
      ) / 1e4
    );
  });
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8);
  for (const [at, value] of [
    [16, 16],
    [24, 16_000],
    [28, 64_000],
    [40, samples.byteLength],
  ])
    header.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 3],
    [22, 1],
    [32, 4],
    [34, 32],
  ])
    header.writeUInt16LE(value, at);
  header.write('data', 36);
  return new Uint8Array(Buffer.concat([header, new Uint8Array(samples.buffer)]));
}

const textOf = (tokens) =>
  tokens
    .filter((token) => token >= 3)
    .map((token) => String.fromCharCode(token + 29))
    .join('');

function normalize(vector) {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Equal where no number is further from the reference's than the tolerance. */
function compare(found, expected, tolerance = 1e-3) {
  const difference = Math.max(...expected.map((value, at) => Math.abs(value - found[at])));
  if (difference < tolerance) return { got: '', expected: '', difference };
  return { got: `differs by ${difference}`, expected: '' };
}

const checks = {
  async chat(inference, golden) {
    let text = '';
    const { tokens, logprobs } = golden;
    const end = tokens.indexOf(2);
    const content = golden.content ?? golden.text ?? 'Hi';
    const request = {
      model: 'mini',
      messages: [{ role: 'user', content }],
      temperature: 0,
      repeatPenalty: 1,
      maxTokens: tokens.length,
      logprobs: logprobs !== undefined,
    };
    const found = [];
    for await (const event of inference.chat(request)) {
      if (event.type === 'text-delta') text += event.text;
      if (event.type === 'logprobs') found.push(...event.tokens.map(({ logprob }) => logprob));
    }
    const expected = textOf(end < 0 ? tokens : tokens.slice(0, end));
    if (text !== expected || !logprobs) return { got: text, expected };
    return compare(found, logprobs);
  },
  async embedding(inference, { text, vector, picture: seen }) {
    const image = seen && `data:image/png;base64,${Buffer.from(await picture(32)).toString('base64')}`;
    const { embeddings } = await inference.embed({ model: 'mini', input: seen ? [text, image] : text });
    const expected = seen ? [vector, seen] : [vector];
    return compare(
      embeddings.flatMap((one) => [...one]),
      expected.flatMap(normalize),
    );
  },
  async transcription(inference, { text, averageLogprob, language }) {
    const transcript = await collectTranscription(
      inference.transcribe({ model: 'mini', audio: wav(), language }),
    );
    if (transcript.text !== text || averageLogprob === undefined)
      return { got: transcript.text, expected: text };
    return compare([transcript.segments[0].averageLogprob], [averageLogprob]);
  },
  async speech(inference, { text, samples }) {
    const parts = [];
    for await (const event of inference.speak({ model: 'mini', input: text, format: 'pcm' }))
      if (event.type === 'audio') parts.push(event.bytes);
    const bytes = Buffer.concat(parts);
    if (bytes.length !== samples.length * 2) return { got: bytes.length / 2, expected: samples.length };
    const found = samples.map((_, at) => bytes.readInt16LE(2 * at) / 32_768);
    return compare(
      found,
      samples.map((sample) => Math.max(-1, Math.min(1, sample))),
    );
  },
  async detection(inference, { best, box, words, side = words ? 32 : 64 }) {
    const image = await picture(side);
    const { detections } = await inference.detect({
      model: 'mini',
      image,
      confidence: 0.01,
      classes: words?.join(', '),
    });
    const [found] = detections;
    if (!box) return compare([found?.confidence ?? 0], [best], 5e-3);
    const { x1, y1, x2, y2 } = found.box;
    return compare([found.confidence, ...[x1, y1, x2, y2].map((edge) => edge / side)], [best, ...box]);
  },
};

async function attempt(category, source, backend) {
  const golden = JSON.parse(readFileSync(join(source, 'golden.json'), 'utf8'));
  let inference;
  try {
    inference = createInference({
      models: { mini: categories[category]({ source, backend, threads: 1, ...golden.settings }) },
      isolation: 'inline',
    });
    await inference.ready();
    const { got, expected, difference } = await checks[category](inference, golden);
    if (got !== expected)
      return { result: `got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}` };
    return { result: 'equal', difference };
  } catch (error) {
    return { result: `error: ${error.message}`.slice(0, 240) };
  } finally {
    await inference?.close();
  }
}

const path = join(import.meta.dirname, 'results.json');
const results = JSON.parse(readFileSync(path, 'utf8'));
for (const category of Object.keys(categories).filter((name) => existsSync(join(target, name)))) {
  for (const family of readdirSync(join(target, category)).sort()) {
    const folder = join(target, category, family);
    if (!existsSync(join(folder, 'golden.json'))) continue;
    if (wanted.length > 0 && !wanted.includes(`${category}/${family}`)) continue;
    const attempts = {
      onnx: await attempt(category, folder, onnx()),
      transformers: await attempt(category, folder, transformers()),
    };
    const entries = Object.entries(attempts).map(([name, { result }]) => [name, result]);
    const differences = Object.values(attempts).flatMap(({ difference }) => difference ?? []);
    const largest =
      differences.length === 0 ? {} : { difference: Number(Math.max(...differences).toPrecision(2)) };
    (results[category] ??= {})[family] = { ...Object.fromEntries(entries), ...largest };
    console.log(category, family, results[category][family]);
  }
}
writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
