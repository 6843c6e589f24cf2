import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createInference } from '../../dist/src/index.js';
import { bundledModelNames } from '../../dist/src/folder/bundled-models.js';
import { launch, openPage, skipReason } from './chromium.ts';
import { servePlayground } from './service.ts';
import { needs } from '../needs.ts';

const folder = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const pages = ['README.md', 'docs/playground.md'].map((page) => new URL(`../../${page}`, import.meta.url));
const largestBytes = 100_000;
const key = 'sk-of-a-test';
const patience = { timeout: 120_000 };

type Show = (page: Page) => Promise<void>;

const panelOf = (page: Page, name: string): Locator => page.getByRole('tabpanel', { name, exact: true });
const answered = (panel: Locator, count: number): Promise<void> =>
  panel
    .locator('.message-assistant .status', { hasText: 'answer token' })
    .nth(count - 1)
    .waitFor(patience);

async function open(page: Page, name: string): Promise<Locator> {
  await page.getByRole('tab', { name, exact: true }).click();
  await panelOf(page, name).locator('.parameter').first().waitFor({ state: 'attached' });
  return panelOf(page, name);
}

const pictureInChat: Show = async (page) => {
  const panel = await open(page, 'Chat');
  await panel.getByLabel('temperature', { exact: true }).last().fill('0');
  await panel.getByRole('button', { name: 'What is in this picture? Two shapes' }).click();
  await answered(panel, 1);
  await panel.getByLabel('Message', { exact: true }).fill('What color is the square?');
  await page.keyboard.press('Enter');
  await answered(panel, 2);
};

const toolInChat: Show = async (page) => {
  const panel = await open(page, 'Chat');
  await panel.getByRole('button', { name: 'What is the weather in Paris?' }).click();
  await answered(panel, 2);
};

const objects: Show = async (page) => {
  const panel = await open(page, 'Detect');
  await panel.getByRole('button', { name: 'Three shapes' }).click();
  await panel.getByRole('table').waitFor(patience);
};

const wide = { viewport: { width: 1280, height: 860 }, deviceScaleFactor: 1.5 };
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2 };

const shots = {
  'chat-light': { ...wide, colorScheme: 'light', show: pictureInChat },
  'chat-dark': { ...wide, colorScheme: 'dark', show: pictureInChat },
  'detect-light': { ...wide, colorScheme: 'light', show: objects },
  'detect-dark': { ...wide, colorScheme: 'dark', show: objects },
  'phone-light': { ...phone, colorScheme: 'light', show: toolInChat },
  'phone-dark': { ...phone, colorScheme: 'dark', show: objects },
} as const;

const isAsked = process.env['UPDATE_SCREENSHOTS'] === '1';

describe(
  'new screenshots',
  { ...needs(isAsked ? skipReason : 'UPDATE_SCREENSHOTS=1 takes them'), timeout: 300_000 },
  () => {
    it('show the playground with the bundled models', async () => {
      const models = Object.fromEntries(bundledModelNames.map((name) => [name, { source: name }]));
      const inference = createInference({ models });
      const service = await servePlayground(inference, { auth: { keys: [key] } });
      const browser = await launch();
      try {
        for (const [name, { show, ...options }] of Object.entries(shots)) {
          const { page, problems, close } = await openPage(browser, `${service.origin}/#key=${key}`, {
            ...options,
            reducedMotion: 'reduce',
          });
          await page.getByRole('tab', { name: 'Chat' }).waitFor();
          await show(page);
          const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
          await close();
          expect(problems).toEqual([]);
          await writeFile(
            `${folder}${name}.webp`,
            await sharp(png).webp({ quality: 82, effort: 6 }).toBuffer(),
          );
        }
      } finally {
        await browser.close();
        await service.close();
      }
    });
  },
);

it('screenshots are small, and each is shown', async () => {
  const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')));
  const files = await readdir(folder);
  expect(files.toSorted()).toEqual(
    Object.keys(shots)
      .map((name) => `${name}.webp`)
      .toSorted(),
  );
  for (const file of files) {
    expect((await stat(folder + file)).size, file).toBeLessThanOrEqual(largestBytes);
    expect(
      texts.some((text) => text.includes(`screenshots/${file}`)),
      file,
    ).toBe(true);
  }
});
