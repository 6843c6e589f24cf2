import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFakeInference } from '../../dist/src/entries/testing.js';
import { launch, openPage, skipReason, type WatchedPage } from './chromium.ts';
import { servePlayground, type PlaygroundService } from './service.ts';
import { needs } from '../needs.ts';

// What models, servers and people should not do: the page shows it and goes on.
const key = 'sk-of-a-test';
const hostile = `<img src=x onerror="window.broken=1"><script>window.broken=1</script>[x](javascript:window.broken=1)`;
/** As Markdown: an address that is no web page makes no link. */
const withoutLink = hostile.replace('[x](javascript:window.broken=1)', 'x');
const mebibyte = 1024 * 1024;

describe('the playground under attack', { ...needs(skipReason), timeout: 120_000 }, () => {
  let service: PlaygroundService;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    browser = await launch();
  }, 120_000);
  afterAll(() => browser?.close());

  beforeEach(async () => {
    const inference = createFakeInference({
      models: [
        { id: 'org/fake <b>chat</b>', category: 'chat' },
        { id: 'fake-detect', category: 'detection' },
        { id: 'fake-ears', category: 'transcription' },
        { id: 'fake-mouth', category: 'speech', voices: [{ id: 'v', name: hostile, language: 'en' }] },
      ],
      reply({ messages }) {
        const last = messages.at(-1)!;
        if (last.role === 'tool') return { text: `told: ${hostile}` };
        if (last.content === 'hostile arguments') {
          const call = { name: 'get_weather', arguments: { city: hostile } };
          return { toolCalls: [call] };
        }
        if (last.content === 'broken JSON')
          return { toolCalls: [{ name: 'get_weather', arguments: '["Paris"' }] };
        if (last.content === 'slow') return { text: 'word '.repeat(2000), delayMs: 20 };
        if (last.content === 'fail') return { text: 'a few words', failAfter: 3, error: new Error('secret') };
        return { reasoning: `thought: ${hostile}`, text: `said: ${hostile}` };
      },
      detections: {
        detections: [
          { className: hostile, classId: 0, confidence: 0.9, box: { x1: 1, y1: 1, x2: 9, y2: 9 } },
        ],
        image: { width: 10, height: 10 },
      },
      transcript: hostile,
    });
    service = await servePlayground(inference, {
      auth: { keys: [key] },
      maxUploadBytes: mebibyte,
      onError: () => undefined,
    });
    watched = await openPage(browser, `${service.origin}/#key=${key}`);
    ({ page } = watched);
    await page.getByRole('tab', { name: 'Chat' }).waitFor();
  });

  afterEach(async () => {
    expect(await page.evaluate(() => ({ ...window }))).not.toHaveProperty('broken');
    expect(await page.locator('main script, main iframe').count()).toBe(0);
    await watched.close();
    await service.close();
  });

  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };

  it('shows hostile text as text', async () => {
    await say(hostile);
    await page.locator('.status', { hasText: 'tokens' }).waitFor();
    expect(await page.locator('.message .text:visible').allTextContents()).toEqual([
      hostile,
      `thought: ${withoutLink}`,
      `said: ${withoutLink}`,
    ]);
    expect(await page.locator('.message :is(img, a, script)').count()).toBe(0);
    expect(watched.problems).toEqual([]);
  });

  it.each(['hostile arguments', 'broken JSON'])('answers a call with %s', async (text) => {
    await page.getByRole('switch', { name: 'Weather (made up)' }).check();
    await say(text);
    await page.locator('.message-assistant').nth(1).locator('.status', { hasText: 'tokens' }).waitFor();
    const call = page.getByRole('region', { name: 'Tool call' });
    const shown = await call.locator('pre').textContent();
    if (text === 'broken JSON') {
      expect(shown).toBe('["Paris"');
      expect(await call.locator('.call-result').textContent()).toContain('error');
    } else {
      expect(JSON.parse(shown!)).toMatchObject({ city: hostile });
    }
    expect(await page.locator('.message img').count()).toBe(0);
    expect(watched.problems).toEqual([]);
  });

  it('stops an answer and goes on with the conversation', async () => {
    await say('slow');
    await page.locator('.message-assistant .text', { hasText: 'word word word' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await page.locator('.message-assistant .status').textContent()).toBe('stopped');
    expect(await page.getByRole('alert').count()).toBe(0);
    const request = page.waitForRequest('**/chat/completions');
    await say('again');
    const roles = (await request).postDataJSON().messages.map(({ role }: { role: string }) => role);
    expect(roles).toEqual(['user', 'assistant', 'user']);
    await page.locator('.message-assistant').nth(1).locator('.status', { hasText: 'tokens' }).waitFor();
  });

  it('begins another conversation while an answer comes', async () => {
    await say('slow');
    await page.locator('.message-assistant .text', { hasText: 'word' }).waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await page.locator('.message').count()).toBe(0);
    expect(await page.getByText('To begin with').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'slow', exact: true }).click();
    expect(await page.locator('.message-assistant .answer').textContent()).toMatch(/^word/);
  });

  it('tells of a stream that fails, and keeps what has come', async () => {
    await say('fail');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/^Internal error\. Request id: req_\w+\./);
    expect(await page.locator('.message-assistant .status').textContent()).toBe('broken off');
  });

  it('tells of a server that dies in the middle of an answer, and of one that is away', async () => {
    await say('slow');
    await page.locator('.message-assistant .text', { hasText: 'word' }).waitFor();
    service.server.closeAllConnections();
    await page
      .getByRole('alert')
      .getByText('The connection broke off in the middle of the answer.')
      .waitFor();
    expect(await page.locator('.message-assistant .text').last().textContent()).toContain('word');

    await new Promise((resolve) => service.server.close(resolve));
    await say('anybody there?');
    await page.getByRole('alert').getByText('The connection broke off before an answer came.').waitFor();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('anybody there?');
    service.server.listen(0, '127.0.0.1');
  });

  it('tells of a key that is no longer valid', async () => {
    await page.evaluate(() => sessionStorage.setItem('slashv1-api-key', 'kein Schlüssel ☂'));
    await say('hello');
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Change key' }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('takes another key from the address of an open page', async () => {
    await page.evaluate(() => sessionStorage.setItem('slashv1-api-key', 'wrong'));
    await page.evaluate((value) => (location.hash = `key=${value}`), key);
    await page.waitForURL(`${service.origin}/#chat`);
    await page.getByRole('tab', { name: 'Chat' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('slashv1-api-key'))).toBe(key);
  });

  it('tells of a microphone that it may not use', async () => {
    await page.getByRole('tab', { name: 'Listen' }).click();
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/microphone/)
      .waitFor();
  });

  it('refuses a huge picture before the browser chokes on it', async () => {
    const file = await hugeFile('picture.png', 120e6);
    await page.getByRole('tab', { name: 'Detect' }).click();
    await page.locator('[id=panel-detection] input[type=file]').setInputFiles(file);
    await page.getByRole('alert').getByText('at most 100 MB can be sent').waitFor();
    await rm(file);
  });

  it.each([2 * mebibyte, 60 * mebibyte])('tells that a recording of %i bytes is too large', async (size) => {
    const file = await hugeFile('recording.wav', size);
    await page.getByRole('tab', { name: 'Listen' }).click();
    await page.locator('[id=panel-transcription] input[type=file]').setInputFiles(file);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/HTTP 413|refuse a body of this size/);
    await page.getByRole('button', { name: 'Transcribe' }).waitFor();
    await rm(file);
  });

  it('shows hostile names of classes, voices and models as text', async () => {
    expect(await page.locator('[id=panel-chat] .model').textContent()).toBe('org/fake <b>chat</b>');
    await page.locator('[id=panel-chat] .parameter').first().waitFor();
    await page.getByRole('tab', { name: 'Detect' }).click();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const picture = { name: 'pixel.png', mimeType: 'image/png', buffer: png };
    await page.locator('[id=panel-detection] input[type=file]').setInputFiles(picture);
    await page.getByRole('cell', { name: hostile }).waitFor();
    await page.getByRole('tab', { name: 'Speak' }).click();
    expect(await page.locator('option').allTextContents()).toContain(hostile);
    await page.getByRole('tab', { name: 'Listen' }).click();
    const recording = { name: '<img src=x>.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF') };
    await page.locator('[id=panel-transcription] input[type=file]').setInputFiles(recording);
    await page.locator('.transcript-text', { hasText: hostile }).waitFor();
  });

  /** A file that claims its size without filling the disk. */
  async function hugeFile(name: string, size: number): Promise<string> {
    const path = join(tmpdir(), `slashv1-test-${process.pid}-${name}`);
    const handle = await open(path, 'w');
    await handle.truncate(size);
    await handle.close();
    return path;
  }
});
