import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chat, createInference, speech, transcription, voice, type Inference } from '../../dist/src/index.js';
import { needs } from '../needs.ts';
import { launch, openPage, skipReason, type WatchedPage } from './chromium.ts';
import { servePlayground, type PlaygroundService } from './service.ts';

const key = 'sk-of-a-test';
const patience = { timeout: 60_000 };

// A fake microphone speaks a question, a pause after it, and the question again.
describe('talking in a browser', { ...needs(skipReason), timeout: 120_000 }, () => {
  let inference: Inference;
  let service: PlaygroundService;
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slashv1-test-'));
    inference = createInference({
      models: {
        ears: transcription({ source: 'tiny-whisper' }),
        mind: chat({ source: 'tiny-chat' }),
        mouth: speech({ source: 'tiny-speech' }),
        agent: voice({ hears: 'ears', thinks: 'mind', speaks: 'mouth' }),
      },
    });
    service = await servePlayground(inference, { auth: { keys: [key] } });
    const microphone = join(folder, 'microphone.wav');
    await writeFile(microphone, await question());
    browser = await launch([
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${microphone}%noloop`,
      '--autoplay-policy=no-user-gesture-required',
    ]);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await rm(folder, { recursive: true });
  });

  /** One second of silence, the question, four of silence. */
  async function question(): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const event of inference.speak({ model: 'mouth', input: 'What is two plus three?' }))
      if (event.type === 'audio') parts.push(event.bytes);
    const wav = Buffer.concat(parts);
    const samples = wav.subarray(44);
    const data = Buffer.concat([Buffer.alloc(48_000), samples, Buffer.alloc(192_000)]);
    const header = Buffer.from(wav.subarray(0, 44));
    header.writeUInt32LE(data.length + 36, 4);
    header.writeUInt32LE(data.length, 40);
    return Buffer.concat([header, data]);
  }

  async function open(): Promise<WatchedPage> {
    const watched = await openPage(browser, `${service.origin}/#key=${key}`, { permissions: ['microphone'] });
    onTestFinished(() => watched.close());
    await watched.page.getByRole('tab', { name: 'Talk' }).click();
    return watched;
  }

  it('hears, answers aloud and writes both down, without a hand', async () => {
    const { page, problems } = await open();
    await page.getByRole('button', { name: 'Start' }).click();
    const lines = page.locator('.talk-line');
    await lines.nth(1).getByText('5').waitFor(patience);
    expect(await lines.first().textContent()).toBe('What is 2 + 3?');
    expect(await lines.evaluateAll((all) => all.map((line) => line.dataset['role']))).toEqual([
      'user',
      'assistant',
    ]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped').waitFor(patience);
    expect(problems).toEqual([]);
  });

  it('listens while a button is held', async () => {
    const { page, problems } = await open();
    await page.getByLabel('Turns').selectOption('Hold to talk');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Ready').waitFor(patience);
    const hold = page.getByRole('button', { name: 'Hold to talk' });
    await hold.dispatchEvent('pointerdown');
    await page.waitForTimeout(4000);
    await hold.dispatchEvent('pointerup');
    await page.locator('.talk-line[data-role=assistant]').waitFor(patience);
    expect(problems).toEqual([]);
  });
});
