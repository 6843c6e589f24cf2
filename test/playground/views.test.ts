import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createFakeInference } from '../../dist/src/entries/testing.js';
import type { Inference } from '../../dist/src/index.js';
import { launch, openPage, skipReason, type WatchedPage } from './chromium.ts';
import { servePlayground, type PlaygroundService } from './service.ts';
import { needs } from '../needs.ts';

// What the page shows of answers that the test makes, in their own time.
const key = 'sk-of-a-test';
const replies: Readonly<Record<string, { text: string; delayMs?: number }>> = {
  fast: { text: 'one two three four' },
  slow: { text: 'one two three four', delayMs: 60 },
  slower: { text: 'one two three four', delayMs: 1000 },
  code: { text: 'See:\n\n```js\nconst answer = "<b>";\n```\n\n```nonsense\nconst x\n```' },
  math: { text: 'So $x_1^2 + y_1$ and \\(a_b\\), for $5 and $10.\n\n$$\n\\frac{1}{2}\n$$\n\n$\\nonsense{$' },
  marks: { text: '# Title\n\n**Bold** and `code`' },
};

describe('the views of the playground', { ...needs(skipReason), timeout: 120_000 }, () => {
  let service: PlaygroundService;
  let browser: Browser;
  let watched: WatchedPage;
  /** What the models tell of their state. */
  let shown: Partial<ReturnType<Inference['status']>[number]> = {};
  let page: Page;

  beforeAll(async () => {
    const inference = createFakeInference({
      models: [
        'fake-chat',
        'other-chat',
        { id: 'fake-brush', category: 'image' },
        { id: 'fake-eyes', category: 'detection' },
        { id: 'fake-mouth', category: 'speech' },
        { id: 'fake-embed', category: 'embedding' },
      ],
      reply({ messages, tools }) {
        const { role, content } = messages.at(-1)!;
        if (role === 'tool') return { text: `It costs ${content as string}.` };
        if (tools.some(({ name }) => name === 'get_price'))
          return { toolCalls: [{ name: 'get_price', arguments: { thing: 'tea' } }] };
        return replies[String(content)] ?? { text: 'Hm.' };
      },
      speech: ({ input }) => ({ delayMs: input.startsWith('Long') ? 100 : 0 }),
      detections: {
        detections: [
          { className: 'cat', classId: 0, confidence: 0.9, box: { x1: 100, y1: 200, x2: 300, y2: 250 } },
        ],
        image: { width: 400, height: 300 },
      },
    });
    const status = () => inference.status().map((one) => ({ ...one, ...shown }));
    service = await servePlayground({ ...inference, status }, { auth: { keys: [key] } });
    browser = await launch(['--autoplay-policy=no-user-gesture-required']);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const openAt = async (width: number, height: number): Promise<void> => {
    watched = await openPage(browser, `${service.origin}/#key=${key}`, { viewport: { width, height } });
    ({ page } = watched);
    await page.getByRole('tab', { name: 'Chat' }).waitFor();
  };
  beforeEach(() => openAt(1280, 860));
  afterEach(async () => {
    await watched.close();
    expect(watched.problems).toEqual([]);
  });

  async function open(name: string): Promise<Locator> {
    await page.getByRole('tab', { name, exact: true }).click();
    const panel = page.getByRole('tabpanel', { name, exact: true });
    await panel.locator('.parameter').first().waitFor({ state: 'attached' });
    return panel;
  }

  async function say(text: string): Promise<Locator> {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.locator('.message-assistant').last();
    await answer.locator('.status', { hasText: 'answer token' }).waitFor();
    return answer;
  }

  it('tells the speed of an answer that is long enough for one', async () => {
    expect(await (await say('fast')).locator('.status').textContent()).not.toContain('tokens/s');
    expect(await (await say('slow')).locator('.status').textContent()).toContain('tokens/s');
  });

  it('tells that a model is being loaded while a request waits for it', async () => {
    shown = { state: 'loading', progress: { phase: 'downloading', receivedBytes: 20e6, totalBytes: 90e6 } };
    onTestFinished(() => void (shown = {}));
    const answer = say('slower');
    const note = page.getByText('fake-chat is being downloaded: 20 MB of 90 MB.', { exact: true });
    await note.first().waitFor();
    expect(await page.locator('#announcer').textContent()).toContain('fake-chat is being downloaded');
    shown = { state: 'loading', progress: { phase: 'opening' } };
    await page.locator('p.lead', { hasText: 'fake-chat is loading.' }).waitFor();
    await answer;
    await expect.poll(() => page.locator('p.lead', { hasText: 'fake-chat is' }).count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('colors code of known languages, and loads the grammars then', async () => {
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await say('fast');
    expect(loaded).not.toContain('/grammars.js');
    const answer = await say('code');
    expect(await answer.locator('.hljs-keyword').allTextContents()).toEqual(['const']);
    await expect.poll(() => loaded).toContain('/grammars.js');
    expect(await answer.locator('pre').allTextContents()).toEqual(['const answer = "<b>";', 'const x']);
  });

  it('leaves formulas and money as they are', async () => {
    const answer = await say('math');
    expect(await answer.locator('.formula').allTextContents()).toEqual([
      'x_1^2 + y_1',
      'a_b',
      String.raw`\frac{1}{2}`,
      String.raw`\nonsense{`,
    ]);
    expect(await answer.locator('.answer').textContent()).toContain('for $5 and $10.');
    expect(await answer.locator('em').count()).toBe(0);
  });

  it('shows the answers of two models side by side, and goes on with the first', async () => {
    await page.getByLabel('Second model').selectOption('other-chat');
    const sent: { model: string; messages: unknown[] }[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/chat/completions')) sent.push(request.postDataJSON());
    });
    await say('slow');
    const sides = page.locator('.pair .side');
    await sides.nth(1).locator('.status', { hasText: 'answer token' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const [left, right] = [(await sides.nth(0).boundingBox())!, (await sides.nth(1).boundingBox())!];
    expect(left.y).toBe(right.y);
    expect(left.x + left.width).toBeLessThan(right.x);
    expect(sent.map(({ model }) => model).toSorted()).toEqual(['fake-chat', 'other-chat']);
    await say('fast');
    await expect.poll(() => sent.length).toBe(4);
    for (const { messages } of sent.slice(2)) expect(messages).toHaveLength(3);
  });

  it('checks own tools, offers them, and sends what the person answers', async () => {
    await page.getByText('Your own tools').click();
    const editor = page.getByLabel('Functions');
    const fault = page.locator('.chat-settings .problem');
    for (const [text, expected] of [
      ['[{', 'JSON'],
      ['{}', 'Expected a list'],
      ['[{"name": "a b"}]', '[0].name: expected 1 to 64 letters'],
      ['[{"name": "a"}, {"name": "a"}]', '[1].name: expected every name once'],
      [
        '[{"name": "a", "parameters": {"properties": {"b": {"type": "text"}}}}]',
        '[0].parameters.properties.b.type',
      ],
    ] as const) {
      await editor.fill(text);
      expect(await fault.textContent()).toContain(expected);
    }
    await page.getByRole('button', { name: 'Example' }).click();
    expect(await fault.isVisible()).toBe(false);
    await page.getByLabel('Message', { exact: true }).fill('What does tea cost?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('Result of get_price').fill('4 euros');
    await page.getByRole('button', { name: 'Send the result' }).click();
    await page.locator('.answer', { hasText: 'It costs 4 euros.' }).waitFor();
  });

  it('reads an answer aloud without its marks, and stops', async () => {
    const answer = await say('marks');
    const request = page.waitForRequest('**/audio/speech');
    await answer.getByRole('button', { name: 'Read aloud' }).click();
    const { input } = (await request).postDataJSON() as { input: string };
    expect(input.replaceAll(/\s+/g, ' ')).toBe('Title Bold and code');
    const stop = answer.getByRole('button', { name: 'Stop reading' });
    await stop.click();
    await answer.getByRole('button', { name: 'Read aloud' }).waitFor();
  });

  it('plays speech while it comes', async () => {
    await page.evaluate(() => {
      const times: number[] = ((globalThis as unknown as { startedAt: number[] }).startedAt = []);
      const { start } = AudioBufferSourceNode.prototype;
      AudioBufferSourceNode.prototype.start = function (...when: [number?]) {
        times.push(performance.now());
        start.apply(this, when);
      };
    });
    const panel = await open('Speak');
    await panel.getByLabel('Text', { exact: true }).fill('Long one two three four five');
    await panel.getByRole('button', { name: 'Speak' }).click();
    const player = panel.locator('audio');
    await player.waitFor();
    const times = await page.evaluate(() => (globalThis as unknown as { startedAt: number[] }).startedAt);
    expect(times.length).toBeGreaterThan(2);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(200);
    await expect
      .poll(() => player.evaluate((node) => (node as HTMLAudioElement).duration))
      .toBeCloseTo(0.6, 1);
  });

  it('detects the objects of a picture at an address', async () => {
    const panel = await open('Detect');
    await panel.getByLabel('Or the address of a picture').fill('https://example.com/cat.png');
    const request = page.waitForRequest('**/detect');
    await page.keyboard.press('Enter');
    expect((await request).postDataJSON()).toMatchObject({ image: 'https://example.com/cat.png' });
    await panel.getByRole('table').waitFor();
    const stage = (await panel.locator('.stage').boundingBox())!;
    expect(stage.width / stage.height).toBeCloseTo(4 / 3, 1);
    const box = (await panel.locator('.box').boundingBox())!;
    expect((box.x - stage.x) / stage.width).toBeCloseTo(0.25, 1);
  });

  it('shows the last request and its response', async () => {
    await say('fast');
    await page.getByText('Request and response').locator('visible=true').click();
    const asked = page.getByRole('region', { name: 'Request', exact: true });
    expect(await asked.textContent()).toMatch(/^POST \/chat\/completions\n\n\{\n {2}"model": "fake-chat"/);
    expect(await asked.textContent()).not.toContain(key);
    const answered = page.getByRole('region', { name: 'Response' });
    await expect.poll(() => answered.textContent()).toContain('data: [DONE]');
    expect(await answered.textContent()).toMatch(/^200 OK\n/);
  });

  it('keeps the sentences beside a wide comparison', async () => {
    const panel = await open('Compare');
    const sentences = Array.from(
      { length: 14 },
      (_, index) => `the sentence number ${index + 1} of them all`,
    );
    await panel.getByLabel('Sentences').fill(sentences.join('\n'));
    await panel.getByRole('button', { name: 'Compare' }).click();
    const label = panel.getByRole('rowheader').first();
    expect((await label.boundingBox())!.width).toBeGreaterThan(150);
    const scroll = panel.getByRole('region', { name: 'Similarities' });
    const before = (await label.boundingBox())!.x;
    await scroll.evaluate((node) => (node.scrollLeft = 100));
    // The gap between the cells.
    expect(Math.abs((await label.boundingBox())!.x - before)).toBeLessThan(4);
  });

  it('draws 512 pixels a side at first, with the seed in sight', async () => {
    const panel = await open('Image');
    expect(await panel.getByLabel('seed', { exact: true }).isVisible()).toBe(true);
    const request = page.waitForRequest('**/images/generations');
    await panel.getByRole('button', { name: 'Draw' }).click();
    expect((await request).postDataJSON()).toMatchObject({ width: 512, height: 512 });
    await panel.getByRole('link', { name: 'Download' }).waitFor();
    await panel.getByRole('button', { name: 'Reset' }).click();
    expect(await panel.getByLabel('width', { exact: true }).first().inputValue()).toBe('1024');
  });

  it('leaves the screen of a phone to the conversation, with the parameters in reach', async () => {
    await watched.close();
    await openAt(400, 800);
    for (let times = 0; times < 8; times += 1) await say('code');
    const { height } = (await page.locator('.message-box').boundingBox())!;
    const tabs = (await page.getByRole('navigation').boundingBox())!;
    expect(height + tabs.height).toBeLessThanOrEqual(0.3 * 800);
    const toggle = page.getByRole('button', { name: 'Parameters' });
    const seen = (await toggle.boundingBox())!;
    expect(seen.y).toBeGreaterThanOrEqual(0);
    expect(seen.y + seen.height).toBeLessThan(800);
    await toggle.click();
    expect((await page.getByLabel('temperature', { exact: true }).first().boundingBox())!.y).toBeLessThan(
      800,
    );
  });
});
