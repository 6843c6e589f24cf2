// Runs the miniatures of `make.py` by the backends `onnx()` and `transformers()`, and writes which of them give what the
// reference gave into `results.json`: `node run.js FOLDER`. It takes the built package.
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
  transcription,
} from 'slashv1';
import { transformers } from 'slashv1/transformers';

const [target] = process.argv.slice(2);
const categories = { chat, transcription, detection, embedding };

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

const checks = {
  async chat(inference, golden) {
    let text = '';
    const { tokens } = golden;
    const end = tokens.indexOf(2);
    const content = golden.text ?? 'Hi';
    const request = {
      model: 'mini',
      messages: [{ role: 'user', content }],
      temperature: 0,
      repeatPenalty: 1,
      maxTokens: tokens.length,
    };
    for await (const event of inference.chat(request)) if (event.type === 'text-delta') text += event.text;
    return [text, textOf(end < 0 ? tokens : tokens.slice(0, end))];
  },
  async embedding(inference, { text, vector }) {
    const { embeddings } = await inference.embed({ model: 'mini', input: text });
    const length = Math.hypot(...vector);
    const worst = Math.max(...vector.map((value, at) => Math.abs(value / length - embeddings[0][at])));
    return [worst < 1e-3 ? 'equal' : `differs by ${worst}`, 'equal'];
  },
  async transcription(inference, { text }) {
    return [(await collectTranscription(inference.transcribe({ model: 'mini', audio: wav() }))).text, text];
  },
  async detection(inference, { best, words }) {
    const image = await picture(words ? 32 : 64);
    const { detections } = await inference.detect({
      model: 'mini',
      image,
      confidence: 0.01,
      classes: words?.join(', '),
    });
    const found = detections[0]?.confidence ?? 0;
    return [
      Math.abs(found - best) < 5e-3 ? 'equal' : `best ${found}`,
      Math.abs(found - best) < 5e-3 ? 'equal' : `best ${best}`,
    ];
  },
};

async function attempt(category, source, backend) {
  const inference = createInference({
    models: { mini: categories[category]({ source, backend, threads: 1 }) },
    isolation: 'inline',
  });
  try {
    await inference.ready();
    const [got, expected] = await checks[category](
      inference,
      JSON.parse(readFileSync(join(source, 'golden.json'), 'utf8')),
    );
    return got === expected ? 'equal' : `got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`;
  } catch (error) {
    return `error: ${error.message}`.slice(0, 240);
  } finally {
    await inference.close();
  }
}

const results = {};
for (const category of Object.keys(categories)) {
  for (const family of readdirSync(join(target, category)).sort()) {
    const folder = join(target, category, family);
    if (!existsSync(join(folder, 'golden.json'))) continue;
    const result = {
      onnx: await attempt(category, folder, onnx()),
      transformers: await attempt(category, folder, transformers()),
    };
    (results[category] ??= {})[family] = result;
    console.log(category, family, result);
  }
}
writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
