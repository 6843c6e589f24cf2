import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve, type RunningService } from '../e2e/serve.ts';
import { mutations, type Mutation } from '../runtime/audio/mutations.ts';
import { recordingForm, sendRequest } from './attacks.ts';
import { soundPictures, soundRecordings, type Files } from './sound-files.ts';
import { runs } from '../thorough.ts';

/** `SLASHV1_FILES=10000` takes a quarter of an hour. */
const count = Number(process.env['SLASHV1_FILES'] ?? runs(200));
const seed = Number(process.env['SLASHV1_SEED'] ?? 16);
const atOnce = 4;
/** A file that isn't answered within this time hangs. */
const patienceMs = 120_000;

describe('damaged files', { timeout: 60_000 + count * 1000 }, () => {
  let service: RunningService;
  let uploadDirectory: string;
  const losses: string[] = [];
  const faults: unknown[] = [];

  beforeAll(async () => {
    uploadDirectory = mkdtempSync(join(tmpdir(), 'slashv1-damaged-'));
    const onError = (error: Error): void => void faults.push(error.cause ?? error);
    service = await serve(
      { 'tiny-whisper': { source: 'tiny-whisper' }, 'tiny-detect': { source: 'tiny-detect' } },
      { auth: 'none', uploadDirectory, onError },
    );
    service.inference.observe({ onWorkerLoss: (_, { reason }) => losses.push(reason) });
  }, 300_000);
  afterAll(async () => {
    await service.close();
    rmSync(uploadDirectory, { recursive: true });
  });

  const transcribe = ({ bytes }: Mutation) => {
    // One attempt for each window: it is the decoders that count here.
    const form = recordingForm(bytes, { language: 'en', temperature: '0' });
    return sendRequest(service.origin, '/v1/audio/transcriptions', form, patienceMs);
  };
  const detect = ({ bytes }: Mutation) => {
    const image = Buffer.from(bytes).toString('base64');
    return sendRequest(service.origin, '/v1/detect', { model: 'tiny-detect', image }, patienceMs);
  };

  it.each<[string, () => Files | Promise<Files>, typeof transcribe]>([
    ['recordings', soundRecordings, transcribe],
    ['pictures', soundPictures, detect],
  ])('%s are answered with 200 or 400: none hangs, none takes the worker', async (name, sound, send) => {
    const files = await sound();
    const damaged = mutations(files, { count: count / 2, seed });
    const counts: Record<string, number> = {};
    const others: string[] = [];
    let done = 0;
    const startedAt = performance.now();
    const work = async (): Promise<void> => {
      for (const mutation of damaged) {
        const outcome = await send(mutation);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        if (outcome !== 200 && outcome !== 400) others.push(`${mutation.name}: ${outcome}`);
        if (++done % 250 === 0) console.log(`${name}: ${done} files, ${others.length} of them unexpected`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    if (process.env['SLASHV1_FILES'] !== undefined) {
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      console.log(`${name} of ${files.size} kinds in ${seconds} s, seed ${seed}:`, counts, others);
    }
    expect(others).toEqual([]);
    expect(faults).toEqual([]);
    expect(losses).toEqual([]);
    // Both outcomes come up, so that decoders are reached and refuse.
    expect(counts[200]).toBeGreaterThan(count / 40);
    expect(counts[400]).toBeGreaterThan(count / 40);
    expect(readdirSync(uploadDirectory)).toEqual([]);
  });
});
