import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { resample } from '../../src/core/audio/resample.ts';
import { openAudio } from '../../src/runtime/audio/open-audio.ts';

/** A certificate or key of the tests. */
export function pem(name: string): string {
  return readFileSync(new URL(`../runtime/certificates/${name}`, import.meta.url), 'utf8');
}

/** Path of a recording of something that the tiny model knows. */
export function word(name: string): string {
  const file = `../categories/transcription/pipeline/golden/speech/${name}.wav`;
  return fileURLToPath(new URL(file, import.meta.url));
}

/** The samples of a recording as 16-bit little-endian bytes at 24 kHz. */
export async function toPcm(path: string): Promise<Buffer> {
  const audio = await openAudio({ path }, { maxSeconds: 60 });
  const blocks: Float32Array[] = [];
  for await (const block of audio.blocks) blocks.push(block);
  await audio.close();
  const samples = Float32Array.from(blocks.flatMap((block) => [...block]));
  const resampled = resample(samples, { fromHz: 16_000, toHz: 24_000 });
  return Buffer.from(
    Int16Array.from(resampled, (sample) => 32_767 * Math.max(-1, Math.min(1, sample))).buffer,
  );
}

/** Listens until the test has ended. @returns host and port */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
