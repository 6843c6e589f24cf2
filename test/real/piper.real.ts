import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { onnxSessions } from '../../src/backends/onnx/sessions.ts';
import { openPiperVoice } from '../../src/categories/speech/architectures/vits/open-vits.ts';
import { openVits } from '../../src/categories/speech/architectures/vits/open-vits.ts';

interface Golden {
  readonly texts: readonly { readonly text: string; readonly phonemes: string; readonly ids: number[] }[];
  readonly spoken: {
    readonly speed: number;
    readonly length: number;
    readonly stride: number;
    readonly samples: readonly number[];
  };
}

const golden = JSON.parse(await readFile(new URL('golden/speak.json', import.meta.url), 'utf8')) as Golden;
const source = join(process.env['SLASHV1_REAL_MODELS'] ?? '', 'piper');
const spec = { id: 'joe', category: 'speech', phonemizer: 'espeak' } as const;

it.each(golden.texts)('$text: the symbols and ids of piper-tts', async ({ text, phonemes, ids }) => {
  const voice = (await openPiperVoice({ ...spec, source }))!;
  const symbols = await voice.pronounce(await voice.prepare(text));
  expect(symbols).toBe(phonemes);
  expect(voice.toIds(symbols).ids).toEqual(ids);
});

it('without noise, the samples of piper-tts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'piper-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(source, folder, { recursive: true });
  const file = join(folder, 'en_US-joe-medium.onnx.json');
  const config = JSON.parse(await readFile(file, 'utf8')) as { inference: object };
  Object.assign(config.inference, { noise_scale: 0, noise_w: 0 });
  await writeFile(file, JSON.stringify(config));

  const synthesizer = await openVits({ ...spec, source: folder }, onnxSessions);
  onTestFinished(() => synthesizer.release());
  const speaker = await synthesizer.findSpeaker([{ voice: synthesizer.voices[0]!.id, weight: 1 }]);
  const { speed, length, stride, samples } = golden.spoken;
  const { samples: spoken } = await speaker.speak(await speaker.pronounce!(golden.texts[0]!.text), { speed });
  expect(spoken.length).toBe(length);
  const largest = Math.max(...samples.map((sample, at) => Math.abs(sample - spoken[at * stride]!)));
  expect(largest).toBeLessThanOrEqual(1e-3);
  console.log(`largest difference of a sample: ${largest}`);
});
