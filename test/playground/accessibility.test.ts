import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type * as Axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeInference } from '../../dist/src/entries/testing.js';
import { launch, openPage, skipReason, type WatchedPage } from './chromium.ts';
import { servePlayground, type PlaygroundService } from './service.ts';
import { needs } from '../needs.ts';

const key = 'sk-of-a-test';
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where pictures of every panel go, for people who want to look at them. */
const pictureFolder = process.env['PLAYGROUND_PICTURES'];
const tabs = ['Chat', 'Image', 'Detect', 'Listen', 'Speak', 'Compare', 'Rank', 'API'] as const;
type TabName = (typeof tabs)[number];

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const table = '| city | weather |\n|---|--:|\n| Paris | 20 °C |';
const longWord = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(4);

describe('the playground for everybody', { ...needs(skipReason), timeout: 120_000 }, () => {
  let service: PlaygroundService;
  let browser: Browser;

  beforeAll(async () => {
    const inference = createFakeInference({
      models: [
        'fake-chat',
        `org/${longWord}`,
        { id: 'fake-brush', category: 'image' },
        { id: 'fake-eyes', category: 'detection' },
        { id: 'fake-ears', category: 'transcription' },
        { id: 'fake-mouth', category: 'speech', voices: [{ id: 'v', name: longWord, language: 'en' }] },
        { id: 'fake-embed', category: 'embedding' },
        { id: 'fake-rank', category: 'rerank' },
      ],
      reply: ({ messages }) =>
        messages.at(-1)!.role === 'tool'
          ? { text: `It is *sunny*. ${longWord}\n\n${table}\n\n\`\`\`js\n${longWord}\n\`\`\`` }
          : {
              reasoning: `Let me think. ${longWord}`,
              toolCalls: [{ name: 'get_weather', arguments: { city: longWord } }],
            },
      detections: {
        detections: [
          { className: longWord, classId: 0, confidence: 0.9, box: { x1: 100, y1: 200, x2: 1500, y2: 900 } },
        ],
        image: { width: 1600, height: 1200 },
      },
      transcript: { segments: ['One two three.', longWord] },
    });
    service = await servePlayground(inference, { auth: { keys: [key] } });
    browser = await launch();
    if (pictureFolder !== undefined) await mkdir(pictureFolder, { recursive: true });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const panelOf = (page: Page, name: TabName) => page.getByRole('tabpanel', { name, exact: true });

  /** Brings a panel into the state in which it shows the most. */
  const fillers: Readonly<Record<TabName, (page: Page) => Promise<void>>> = {
    async Chat(page) {
      const panel = panelOf(page, 'Chat');
      await panel.getByRole('button', { name: 'What is the weather in Paris?' }).click();
      await panel.locator('.message-assistant').nth(1).locator('.status', { hasText: 'tokens' }).waitFor();
      await panel.getByRole('button', { name: 'Copy as curl' }).click();
    },
    async Image(page) {
      await panelOf(page, 'Image').getByRole('button', { name: 'Draw' }).click();
      await panelOf(page, 'Image').getByRole('link', { name: 'Download' }).waitFor();
    },
    async Detect(page) {
      const file = { name: 'pixel.png', mimeType: 'image/png', buffer: pixel };
      await panelOf(page, 'Detect').locator('input[type=file]').setInputFiles(file);
      await panelOf(page, 'Detect').getByRole('table').waitFor();
    },
    async Listen(page) {
      const file = { name: 'speech.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF') };
      await panelOf(page, 'Listen').locator('input[type=file]').setInputFiles(file);
      await panelOf(page, 'Listen').locator('.line').first().waitFor();
    },
    async Speak(page) {
      await panelOf(page, 'Speak').getByRole('button', { name: 'Speak' }).click();
      await panelOf(page, 'Speak').locator('audio').waitFor();
    },
    async Compare(page) {
      await panelOf(page, 'Compare').getByRole('button', { name: 'Compare' }).click();
      await panelOf(page, 'Compare').getByRole('table').waitFor();
    },
    async Rank(page) {
      const panel = panelOf(page, 'Rank');
      await panel.getByLabel('Documents', { exact: true }).fill(`There is a blue square.\n${longWord}`);
      await panel.getByRole('button', { name: 'Rank' }).click();
      await panel.locator('.ranking').waitFor();
    },
    async API(page) {
      const endpoint = panelOf(page, 'API').locator('.endpoint', { hasText: 'POST /v1/detect' });
      await endpoint.locator('summary').click();
      await endpoint.getByRole('table').first().waitFor();
    },
  };

  /** What axe-core thinks is serious or worse. */
  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    const results = await page.evaluate(() =>
      (globalThis as unknown as { axe: typeof Axe }).axe.run({ resultTypes: ['violations'] }),
    );
    expect(results.passes.length).toBeGreaterThan(15);
    return results.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      );
  }

  async function overflow(page: Page): Promise<number> {
    return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  }

  describe.each([
    ['light', 1280, 860],
    ['dark', 1280, 860],
    ['light', 360, 740],
    ['dark', 360, 740],
  ] as const)('%s, %i pixels wide', (colorScheme, width, height) => {
    const options = { colorScheme, viewport: { width, height }, reducedMotion: 'reduce' } as const;
    let watched: WatchedPage;
    let page: Page;

    beforeAll(async () => {
      watched = await openPage(browser, service.origin, options);
      ({ page } = watched);
    });
    afterAll(async () => {
      await watched.close();
      expect(watched.problems).toEqual([]);
    });

    it('a wrong key, then the right one', async () => {
      await page.getByLabel('API key').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await page.getByLabel('API key').fill(key);
      await page.keyboard.press('Enter');
      await page.getByRole('tab', { name: 'Chat' }).waitFor();
      expect(await violations(page)).toEqual([]);
    });

    it.each(tabs)('%s', async (name) => {
      await page.getByRole('tab', { name, exact: true }).click();
      const panel = panelOf(page, name);
      if (name !== 'API') await panel.locator('.parameter').first().waitFor({ state: 'attached' });
      await fillers[name](page);
      const toggle = panel.getByRole('button', { name: /^Parameters/ });
      if (await toggle.isVisible()) await toggle.click();
      if (name === 'Chat') await panel.getByText('System message').first().click();
      for (const advanced of await panel.getByText('Advanced', { exact: true }).all()) await advanced.click();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      if (pictureFolder === undefined) return;
      const path = join(pictureFolder, `${name.toLowerCase()}-${width}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
    });
  });

  it('goes from tab to tab and through a chat by keys alone', async () => {
    const { page, close } = await openPage(browser, service.origin);
    const focused = () =>
      page.evaluate(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement!);
        const isVisible = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
        return { text: document.activeElement!.textContent, isVisible };
      });
    await page.getByLabel('API key').waitFor();
    // The field has the focus already.
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Chat' }).waitFor();
    expect(await focused()).toEqual({ text: 'Chat', isVisible: true });
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toEqual({ text: 'Skip to content', isVisible: true });
    await page.keyboard.press('Tab');
    for (const [pressed, expected] of [
      ['ArrowDown', 'Image'],
      ['End', 'API'],
      ['ArrowRight', 'Chat'],
      ['ArrowUp', 'API'],
      ['Home', 'Chat'],
    ] as const) {
      await page.keyboard.press(pressed);
      expect(await focused()).toEqual({ text: expected, isVisible: true });
      expect(await panelOf(page, expected).isVisible()).toBe(true);
      expect(await page.getByRole('tabpanel').count()).toBe(1);
    }
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    // Into the panel, to the message, and off it goes.
    for (let i = 0; i < 30; i += 1) {
      await page.keyboard.press('Tab');
      if (
        await page.getByLabel('Message', { exact: true }).evaluate((node) => node === document.activeElement)
      )
        break;
    }
    await page.keyboard.type('Hello');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('there');
    await page.keyboard.press('Enter');
    await page.locator('.message-assistant').first().waitFor();
    expect(await page.locator('.message-user .text').textContent()).toBe('Hello\nthere');
    await close();
  });

  it('reads answers out sentence by sentence', async () => {
    const { page, close } = await openPage(browser, `${service.origin}/#key=${key}`);
    await page.getByRole('button', { name: 'What is the weather in Paris?' }).click();
    await expect.poll(() => page.locator('[aria-live=polite]').textContent()).toContain('Donaudampf');
    await close();
  });
});
