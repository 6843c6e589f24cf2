import { expect, it, vi } from 'vitest';
import { openAudio } from '../../../src/runtime/audio/open-audio.ts';
import { silentFlac } from './silence.ts';

const missing = vi.hoisted(() => () => {
  throw new Error('Cannot find package');
});
vi.mock('@wasm-audio-decoders/flac', missing);
vi.mock('@wasm-audio-decoders/ogg-vorbis', missing);

it.each([
  ['FLAC', silentFlac(1), '@wasm-audio-decoders/flac'],
  ['Vorbis', { path: 'test/e2e/media/speech.ogg' }, '@wasm-audio-decoders/ogg-vorbis'],
])('%s without its optional decoder is refused by name', async (name, source, packageName) => {
  await expect(openAudio(source, { maxSeconds: 10 })).rejects.toMatchObject({
    code: 'invalid_request',
    message: `file: ${name} audio needs the optional package ${packageName} to be decoded, which this service lacks; send another format.`,
  });
});
