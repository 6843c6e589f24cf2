import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where a Chromium is, from `CHROMIUM_PATH` or the `PATH`. */
export const executablePath = findChromium();

/** Why tests in a browser are skipped; `undefined` where they run. */
export const skipReason =
  executablePath === undefined
    ? 'no Chromium is installed; set CHROMIUM_PATH or put one into the PATH'
    : undefined;

function findChromium(): string | undefined {
  const given = process.env['CHROMIUM_PATH'];
  if (given !== undefined && given !== '') return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param args beyond those that a container needs */
export function launch(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox', ...args] });
}

/** A page with what went wrong in it and what it asked other origins for. */
export interface WatchedPage {
  readonly page: Page;
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Opens a page in a context of its own, so that no test sees another's key or conversation. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const { origin } = new URL(url);
  const problems: string[] = [];
  page.on('console', (message) => {
    // Answers that aren't a success are logged by the browser itself; the page shows them.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with');
    if (['error', 'warning'].includes(message.type()) && !isStatus) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${origin}/`) || request.url().startsWith(`blob:${origin}/`);
    if (!isOwn) problems.push(`a request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems, close: () => context.close() };
}
