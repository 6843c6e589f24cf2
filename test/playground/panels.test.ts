import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Download, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  chat,
  createInference,
  detection,
  embedding,
  image,
  rerank,
  speech,
  transcription,
} from '../../dist/src/index.js';
import { bundle } from './bundle.ts';
import { launch, openPage, skipReason, type WatchedPage } from './chromium.ts';
import { servePlayground, type PlaygroundService } from './service.ts';
import { missingProgram, needs } from '../needs.ts';

// The whole way: a person's clicks and keys, the page, HTTP, worker processes and the bundled models.
const key = 'sk-of-a-test';
const spoken = 'I see a red circle above a blue square.';
const patience = { timeout: 120_000 };

describe(
  'the playground in a browser',
  { ...needs(skipReason ?? missingProgram('sh', 'curl')), timeout: 120_000 },
  () => {
    let service: PlaygroundService;
    let browser: Browser;
    let folder: string;
    let watched: WatchedPage;
    let page: Page;
    let markdownView: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'slashv1-test-'));
      const inference = createInference({
        models: {
          'tiny-chat': chat({ source: 'tiny-chat' }),
          'tiny-detect': detection({ source: 'tiny-detect' }),
          'tiny-embed': embedding({ source: 'tiny-embed' }),
          'tiny-image': image({ source: 'tiny-image' }),
          // Its order is that of the reference, in the golden file beside it.
          ranker: rerank({
            source: fileURLToPath(new URL('../contract/models/bert-reranker', import.meta.url)),
          }),
          'tiny-speech': speech({ source: 'tiny-speech' }),
          'tiny-vision': chat({ source: 'tiny-vision' }),
          'tiny-whisper': transcription({ source: 'tiny-whisper' }),
        },
      });
      service = await servePlayground(inference, { auth: { keys: [key] } });
      markdownView = await bundle(fileURLToPath(new URL('markdown-view.js', import.meta.url)));
      const microphone = join(folder, 'microphone.wav');
      await writeFile(microphone, await speak(spoken));
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

    beforeEach(async () => {
      watched = await openPage(browser, `${service.origin}/#key=${key}`, {
        permissions: ['microphone', 'clipboard-read', 'clipboard-write'],
      });
      ({ page } = watched);
      await page.route('**/markdown-view.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: markdownView }),
      );
      await page.getByRole('tab', { name: 'Chat' }).waitFor();
    });

    afterEach(async () => {
      await watched.close();
      expect(watched.problems).toEqual([]);
    });

    async function post(path: string, json: object): Promise<Response> {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await fetch(`${service.origin}/v1${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(json),
      });
      expect(response.status).toBe(200);
      return response;
    }

    async function speak(input: string): Promise<Buffer> {
      return Buffer.from(await (await post('/audio/speech', { input })).arrayBuffer());
    }

    async function draw(prompt: string): Promise<Buffer> {
      const response = await post('/images/generations', { prompt, size: '512x512', seed: 1 });
      const { data } = (await response.json()) as { data: { b64_json: string }[] };
      return Buffer.from(data[0]!.b64_json, 'base64');
    }

    async function open(name: string): Promise<Locator> {
      await page.getByRole('tab', { name, exact: true }).click();
      const panel = page.getByRole('tabpanel', { name, exact: true });
      await panel.locator('.parameter').first().waitFor();
      return panel;
    }

    async function textOf(download: Promise<Download>): Promise<string> {
      return readFile(await (await download).path(), 'utf8');
    }

    /** Runs the line that the button copies, in a shell. */
    async function runCopied(panel: Locator, cwd = folder): Promise<string> {
      await panel.getByRole('button', { name: 'Copy as curl' }).click();
      await panel.getByText('Copied.').waitFor();
      const line = await page.evaluate(() => navigator.clipboard.readText());
      expect(line).not.toContain(key);
      const env = { ...process.env, SLASHV1_API_KEY: key };
      const { stdout } = await promisify(execFile)('sh', ['-c', line.replace('curl', 'curl -sS')], {
        cwd,
        env,
        maxBuffer: 2 ** 26,
        encoding: 'latin1',
      });
      return stdout;
    }

    const downloadBy = async (link: Locator): Promise<string> => {
      const download = page.waitForEvent('download');
      await link.click();
      return textOf(download);
    };

    describe('the key', () => {
      it('comes from the address and leaves it', async () => {
        expect(page.url()).toBe(`${service.origin}/#chat`);
        const kept = await page.evaluate(() => ({
          session: { ...sessionStorage },
          local: localStorage.length,
        }));
        expect(kept).toEqual({ session: { 'slashv1-api-key': key }, local: 0 });
        expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
      });

      it('opens the API reference', async () => {
        await page.getByRole('tab', { name: 'API', exact: true }).click();
        const endpoint = page.locator('.endpoint', { hasText: 'POST /v1/chat/completions' });
        await endpoint.locator('summary').click();
        const row = endpoint.getByRole('row', { name: /^temperature/ }).first();
        expect(await row.textContent()).toMatch(/^temperaturenumber, 0 to 20\.7Randomness/);
        expect(await endpoint.getByRole('table').count()).toBe(4);
      });

      it('is asked for where there is none, and again where it is wrong', async () => {
        await page.getByRole('button', { name: 'Change key' }).click();
        const field = page.getByLabel('API key');
        await field.fill('sk-wrong');
        await field.press('Enter');
        await page.getByRole('alert').getByText('The API key is not valid.').waitFor();
        await page.getByLabel('API key').fill(key);
        await page.getByRole('button', { name: 'Open' }).click();
        await page.getByRole('tab', { name: 'Chat' }).waitFor();
      });
    });

    describe('chat', () => {
      const send = async (text: string): Promise<void> => {
        const answers = page.locator('.message-assistant');
        const before = await answers.count();
        await page.getByLabel('Message', { exact: true }).fill(text);
        await page.keyboard.press('Enter');
        await answers.nth(before).locator('.status', { hasText: 'answer token' }).waitFor(patience);
      };

      it('streams an answer with its reasoning and usage, and keeps the conversation', async () => {
        const panel = await open('Chat');
        await panel.getByRole('button', { name: 'What is 27 + 58?' }).click();
        const note = panel.locator('.message-assistant .status').first();
        await note.filter({ hasText: 'answer token' }).waitFor(patience);
        // No rate where the whole answer comes at once.
        expect(await note.textContent()).toMatch(
          /^\d+ prompt \+ \d+ answer tokens(?: · \d+ tokens\/s)? · first after/,
        );
        expect(await panel.getByText('Reasoning', { exact: true }).isVisible()).toBe(true);
        const before = await panel.locator('.message .text:visible').allTextContents();
        expect(before.join(' ')).toMatch(/27 \+ 58 = \d+/);

        await page.reload();
        await page.getByRole('tab', { name: 'Chat' }).waitFor();
        expect(await page.locator('.message .text:visible').allTextContents()).toEqual(before);
        await page.getByRole('button', { name: 'New conversation' }).click();
        await page.getByText('To begin with').waitFor();
        expect(await page.locator('.message').count()).toBe(0);
      });

      it('shows Markdown, and no markup of a model', async () => {
        const text = [
          '# Title',
          '**bold** `code` [site](https://example.com) [bad](javascript:alert(1)) <img src=x onerror=alert(1)>',
          '- one\n- two\n  1. deeper',
          '| a | b |\n|---|--:|\n| 1 | 2 &amp; 3 |',
          '```js\nconst x = "<b>";\n```',
          '>'.repeat(20_000),
        ].join('\n\n');
        // As text, since the test runner would rewrite its import.
        const script = `(async (markdown) => {
        const { createMarkdownView } = await import('/markdown-view.js');
        const show = (whole) => {
          const view = createMarkdownView();
          for (const piece of whole.match(/[^]{1,7}/g)) view.append(piece);
          view.show();
          return view.root.innerHTML;
        };
        return [show(markdown.slice(0, -20_000)), show(markdown).length, show('a & b &lt;'), show('_a'.repeat(20_000)).length];
      })(${JSON.stringify(text)})`;
        const html = await page.evaluate<[string, number, string, number]>(script);
        expect(html[0]).toMatchInlineSnapshot(
          `"<h3>Title</h3><p><strong>bold</strong> <code>code</code> <a href="https://example.com" rel="noopener noreferrer" target="_blank">site</a> <span>bad</span> &lt;img src=x onerror=alert(1)&gt;</p><ul><li>one</li><li>two<ol><li>deeper</li></ol></li></ul><div class="table-frame" tabindex="0"><table class="table"><thead><tr><th>a</th><th class="number">b</th></tr></thead><tbody><tr><td>1</td><td class="number">2 &amp; 3</td></tr></tbody></table></div><figure class="code-block"><figcaption><span>js</span><button type="button" class="quiet-button small-button" aria-label="Copy code">Copy</button></figcaption><pre tabindex="0"><code data-language="js">const x = "&lt;b&gt;";</code></pre></figure>"`,
        );
        expect(html[1]).toBeGreaterThan(20_000);
        expect(html[2]).toBe('<p>a &amp; b &lt;</p>');
        expect(html[3]).toBeGreaterThan(40_000);
      });

      it('lexes a growing answer from where it grows, as it would the whole', async () => {
        const blocks = [
          '[site]: https://example.com\n\n1. one\n\n2. two\n\nA [site].\n\n',
          ...Array.from({ length: 100 }, (_, index) => `*Paragraph* ${index} ${'word '.repeat(20)}\r\n\r\n`),
        ];
        const marks = '*a* '.repeat(500).trim();
        const script = `(async ([blocks, marks]) => {
        const { createMarkdownView, Lexer } = await import('/markdown-view.js');
        const { blockTokens } = Lexer.prototype;
        let lexed = 0;
        Lexer.prototype.blockTokens = function (text, ...others) {
          lexed += text.length;
          return blockTokens.call(this, text, ...others);
        };
        const htmlOf = (pieces) => {
          const view = createMarkdownView();
          for (const piece of pieces) {
            view.append(piece);
            view.show();
          }
          return view.root.innerHTML;
        };
        const whole = htmlOf([blocks.join('')]);
        const same = htmlOf(blocks[0]) === htmlOf([blocks[0]]);
        lexed = 0;
        const grown = htmlOf(blocks);
        return [whole === grown, same, lexed, whole.slice(0, 150), htmlOf([marks])];
      })(${JSON.stringify([blocks, marks])})`;
        const [isEqual, isSame, lexed, begin, plain] =
          await page.evaluate<[boolean, boolean, number, string, string]>(script);
        expect([isEqual, isSame]).toEqual([true, true]);
        expect(lexed).toBeLessThan(5 * blocks.join('').length);
        expect(begin).toContain('<a href="https://example.com"');
        expect(plain).toBe(`<p>${marks}</p>`);
      });

      it('answers again', async () => {
        const panel = await open('Chat');
        await send('What is 27 + 58?');
        const first = panel.locator('.message-assistant');
        await first.evaluate((node) => node.setAttribute('data-old', 'true'));
        await panel.getByRole('button', { name: 'Regenerate' }).click();
        await panel
          .locator('.message-assistant:not([data-old]) .status', { hasText: 'answer token' })
          .waitFor(patience);
        expect(await panel.locator('.message').count()).toBe(2);
      });

      it('goes on from an edited message', async () => {
        const panel = await open('Chat');
        await send('My name is Ada.');
        await send('What is my name?');
        await panel.getByRole('button', { name: 'Edit message' }).first().click();
        const field = panel.getByRole('textbox', { name: 'Edit message' });
        expect(await field.inputValue()).toBe('My name is Ada.');
        await field.press('Escape');
        expect(await panel.locator('.message').count()).toBe(4);
        await page.keyboard.press('Enter');
        await field.fill('My name is Alan.');
        const request = page.waitForRequest('**/chat/completions');
        await field.press('Enter');
        expect((await request).postDataJSON().messages).toEqual([
          { role: 'user', content: 'My name is Alan.' },
        ]);
        await panel.locator('.status', { hasText: 'answer token' }).waitFor(patience);
        expect(await panel.locator('.message').count()).toBe(2);
        await send('What is my name?');
        expect(await page.locator('.message-assistant .text').last().textContent()).toContain('Alan');
        // Earlier answers keep their figures.
        expect(await panel.locator('.status', { hasText: 'answer token' }).count()).toBe(2);
      });

      it('keeps several conversations, which are renamed, exported and deleted', async () => {
        await open('Chat');
        await send('My name is Ada.');
        await page.getByRole('button', { name: 'New conversation' }).click();
        await page.getByText('To begin with').waitFor();
        await send('What is 27 + 58?');
        const names = page.locator('.conversation-name');
        expect(await names.allTextContents()).toEqual(['What is 27 + 58?', 'My name is Ada.']);

        await page.getByRole('tab', { name: 'API', exact: true }).click();
        await names.nth(1).click();
        await page.locator('.message-user', { hasText: 'Ada' }).waitFor();
        expect(await names.nth(1).getAttribute('aria-current')).toBe('true');
        await page.getByRole('button', { name: 'Rename My name is Ada.' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('textbox', { name: 'Name of the conversation' }).fill('Names');
        await page.keyboard.press('Enter');
        expect(await names.allTextContents()).toEqual(['What is 27 + 58?', 'Names']);

        await page.reload();
        await page.locator('.message-user', { hasText: 'Ada' }).waitFor();
        await page.getByText('Export', { exact: true }).click();
        const markdown = await downloadBy(page.getByRole('button', { name: 'Markdown' }));
        expect(markdown).toMatch(/^# Names\n\n\*\*You\*\*\n\nMy name is Ada\.\n\n\*\*Assistant\*\*\n\n.+\n$/);
        await page.getByText('Export', { exact: true }).click();
        const { title, messages } = JSON.parse(await downloadBy(page.getByRole('button', { name: 'JSON' })));
        expect([title, messages[0]]).toEqual(['Names', { role: 'user', content: 'My name is Ada.' }]);

        await page.getByRole('button', { name: 'Delete Names' }).click();
        expect(await names.count()).toBe(2);
        await page.getByRole('button', { name: 'Really delete Names' }).click();
        await page.getByText('To begin with').waitFor();
        expect(await names.allTextContents()).toEqual(['What is 27 + 58?']);
        expect(await page.evaluate(() => Object.keys(localStorage).length)).toBe(1);
      });

      it('lists conversations in a menu on a phone', async () => {
        await open('Chat');
        await send('My name is Ada.');
        await page.setViewportSize({ width: 390, height: 780 });
        const name = page.getByRole('button', { name: 'My name is Ada.', exact: true });
        await name.waitFor({ state: 'hidden' });
        await page.getByText('Conversations', { exact: true }).click();
        await name.waitFor();
        await page.keyboard.press('Escape');
        await name.waitFor({ state: 'hidden' });
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'New conversation' }).click();
        await page.getByText('To begin with').waitFor();
        await name.waitFor({ state: 'hidden' });
      });

      it('sends what was said before and the system message', async () => {
        const panel = await open('Chat');
        await panel.getByText('System message').first().click();
        await panel.getByLabel('System message').fill('Be brief.');
        await send('My name is Ada.');
        const request = page.waitForRequest('**/chat/completions');
        await send('What is my name?');
        const { messages } = (await request).postDataJSON();
        expect(messages.map(({ role }: { role: string }) => role)).toEqual([
          'system',
          'user',
          'assistant',
          'user',
        ]);
        expect(await page.locator('.message-assistant .text').last().textContent()).toContain('Ada');
      });

      it('calls a tool, answers it and gets the answer told', async () => {
        const panel = await open('Chat');
        await panel.getByRole('switch', { name: 'Weather (made up)' }).check();
        await send('What is the weather in Paris?');
        await panel
          .locator('.message-assistant')
          .nth(1)
          .locator('.status', { hasText: 'answer token' })
          .waitFor(patience);
        const call = panel.getByRole('region', { name: 'Tool call' });
        expect(await call.locator('code').first().textContent()).toBe('get_weather');
        expect(await call.locator('pre').textContent()).toMatch(/"Paris"/);
        const result = JSON.parse((await call.locator('.call-result code').textContent())!);
        expect(await panel.locator('.message-assistant .text').last().textContent()).toContain(
          /\d+ degrees/.exec(result.weather)![0],
        );
      });

      it('draws a scene that the model asks for, and finds objects in it', async () => {
        const panel = await open('Chat');
        await panel.getByRole('button', { name: 'Draw a scene with two shapes.' }).click();
        const picture = panel.getByRole('region', { name: 'Tool call' }).getByRole('img');
        await picture.waitFor(patience);
        expect(await picture.evaluate((node) => (node as HTMLImageElement).naturalWidth)).toBe(512);
        await panel
          .locator('.message-assistant')
          .nth(1)
          .locator('.status', { hasText: 'answer token' })
          .waitFor(patience);
        await panel.getByRole('button', { name: 'Find objects in it' }).click();
        await page.getByRole('tabpanel', { name: 'Detect' }).locator('.box').first().waitFor(patience);
      });

      it('shows several choices and their probabilities', async () => {
        const panel = await open('Chat');
        await panel.getByText('Advanced').click();
        await panel.getByLabel('n', { exact: true }).selectOption('3');
        await panel.getByLabel('logprobs', { exact: true }).check();
        await panel.getByLabel('top_logprobs', { exact: true }).first().fill('2');
        await panel.getByLabel('Message', { exact: true }).fill('Hello');
        await page.keyboard.press('Enter');
        await panel.locator('.status', { hasText: 'answer token' }).waitFor(patience);
        expect(await panel.locator('.message-assistant').count()).toBe(3);
        await panel.getByText('Probabilities').first().click();
        expect(await panel.locator('.token').first().textContent()).toMatch(/\d\.\d %.+\d\.\d % · .+ %/);
      });

      it('copies a curl line that works', async () => {
        const panel = await open('Chat');
        await panel.getByLabel('Message', { exact: true }).fill(`What's "27 + 58"? $HOME \`id\``);
        expect(await runCopied(panel)).toMatch(/^data: .*chat\.completion\.chunk[^]*data: \[DONE\]\s*$/);
      });
    });

    describe('attachments', () => {
      /** The parts of the last message that was sent. */
      const partsOf = (body: { messages: { content: unknown }[] }) => body.messages.at(-1)!.content;
      const png = { name: 'scene.png', mimeType: 'image/png' };

      it('asks a model with eyes about a sample picture', async () => {
        const panel = await open('Chat');
        const request = page.waitForRequest('**/chat/completions');
        await panel.getByRole('button', { name: 'What is in this picture? Two shapes' }).click();
        const body = (await request).postDataJSON();
        expect(body.model).toBe('tiny-vision');
        expect(partsOf(body)).toEqual([
          { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } },
          { type: 'text', text: 'What is in this picture?' },
        ]);
        await panel.locator('.status', { hasText: 'answer token' }).waitFor(patience);
        expect(await panel.getByText('tiny-vision answers, since tiny-chat takes no pictures.').count()).toBe(
          1,
        );
        expect(await panel.locator('.message-assistant .answer').textContent()).toMatch(/circle|square/);

        await page.reload();
        const shown = page.locator('.message-user').getByRole('img', { name: 'two-shapes.png' });
        await shown.waitFor();
        expect(await shown.evaluate((node) => (node as HTMLImageElement).naturalWidth)).toBe(512);
      });

      it('shows the names of chosen pictures, removes one, sends the others', async () => {
        const panel = await open('Chat');
        const [first, second] = [await draw('a red circle'), await draw('a blue square')];
        await writeFile(join(folder, 'second.png'), second);
        await panel.locator('input[type=file]').setInputFiles([
          { ...png, buffer: first },
          { ...png, name: 'second.png', buffer: second },
        ]);
        const chips = panel.getByRole('list', { name: 'Attachments' }).getByRole('listitem');
        await chips.nth(1).waitFor();
        await panel.getByRole('button', { name: 'Remove scene.png' }).click();
        expect(await chips.locator('.file-name').allTextContents()).toEqual(['second.png']);
        await panel.getByLabel('Model', { exact: true }).selectOption('tiny-vision');
        await panel.getByLabel('Message', { exact: true }).fill('What color is the square?');
        expect(await runCopied(panel)).toMatch(/^data: .*chat\.completion\.chunk[^]*data: \[DONE\]\s*$/);
        const request = page.waitForRequest('**/chat/completions');
        await page.getByLabel('Message', { exact: true }).press('Enter');
        expect(partsOf((await request).postDataJSON())).toEqual([
          { type: 'image_url', image_url: { url: `data:image/png;base64,${second.toString('base64')}` } },
          { type: 'text', text: 'What color is the square?' },
        ]);
        await panel.locator('.status', { hasText: 'answer token' }).waitFor(patience);
        expect(await chips.count()).toBe(0);
      });

      it('puts the words of a recording into the field', async () => {
        const panel = await open('Chat');
        const buffer = await speak('What is 27 plus 58?');
        await panel.getByLabel('Message', { exact: true }).fill('Tell me:');
        const request = page.waitForRequest('**/audio/transcriptions');
        await panel
          .locator('input[type=file]')
          .setInputFiles({ name: 'asked.wav', mimeType: 'audio/wav', buffer });
        await panel.getByText('asked.wav').waitFor();
        await request;
        const field = panel.getByLabel('Message', { exact: true });
        await expect.poll(() => field.inputValue(), patience).toMatch(/^Tell me: .*27.*58/);
        expect(await panel.getByRole('listitem').filter({ hasText: 'asked.wav' }).count()).toBe(0);
        expect(await panel.locator('.message').count()).toBe(0);
      });

      it('takes a dictation', async () => {
        const panel = await open('Chat');
        await panel.getByRole('button', { name: 'Dictate', exact: true }).click();
        await panel.getByRole('button', { name: /^Stop · 0:04/ }).click({ timeout: 120_000 });
        const field = panel.getByLabel('Message', { exact: true });
        await expect.poll(() => field.inputValue(), patience).toMatch(/red circle/);
      });

      it('says which files it takes', async () => {
        const panel = await open('Chat');
        const notes = { name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') };
        await panel.locator('input[type=file]').setInputFiles(notes);
        await panel.getByRole('alert').getByText('notes.pdf: expected a picture or a recording.').waitFor();
      });

      it('gives a picture back where it can not be read', async () => {
        const panel = await open('Chat');
        const broken = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') };
        await panel.locator('input[type=file]').setInputFiles(broken);
        await panel.getByText('broken.png').waitFor();
        await panel.getByRole('button', { name: 'Send' }).click();
        await panel.getByRole('alert').getByText('HTTP 400').waitFor(patience);
        expect(await panel.locator('.message').count()).toBe(0);
        expect(await panel.getByRole('button', { name: 'Remove broken.png' }).count()).toBe(1);
      });
    });

    it('calls demo models so, with the command for a real one', async () => {
      const panel = await open('Chat');
      const note = panel.locator('.demo-note');
      expect(await note.textContent()).toMatch(
        /^demo Knows greetings.* npx slashv1 serve --model qwen3-0\.6b /,
      );
      await note.getByRole('button', { name: 'Copy the command' }).click();
      await note.getByText('Copied').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        'npx slashv1 serve --model qwen3-0.6b',
      );
      await panel.getByLabel('Model', { exact: true }).selectOption('tiny-vision');
      expect(await note.textContent()).toContain('--model HuggingFaceTB/SmolVLM-256M-Instruct');
      await page.getByRole('tab', { name: 'Rank', exact: true }).click();
      expect(await page.getByRole('tabpanel', { name: 'Rank' }).locator('.demo-note').isVisible()).toBe(
        false,
      );
    });

    describe('parameters', () => {
      it('are those of the discovery endpoint, and only changed ones are sent', async () => {
        const panel = await open('Chat');
        const response = await fetch(`${service.origin}/v1/models/tiny-chat/parameters`, {
          headers: { authorization: `Bearer ${key}` },
        });
        const { parameters } = (await response.json()) as {
          parameters: Record<string, { description: string; max?: number; section: string }>;
        };
        const shown = await panel.locator('.parameter .label code').allTextContents();
        expect(shown.toSorted()).toEqual(Object.keys(parameters).toSorted());
        expect(await panel.locator('.parameter .hint').allTextContents()).toEqual(
          shown.map((name) => parameters[name]!.description),
        );
        const slider = panel.getByRole('slider', { name: 'temperature' });
        expect(await slider.getAttribute('max')).toBe(String(parameters['temperature']!.max));
        await slider.focus();
        await page.keyboard.press('ArrowRight');
        expect(await panel.getByLabel('temperature', { exact: true }).first().inputValue()).toBe('0.8');

        const request = page.waitForRequest('**/chat/completions');
        await panel.getByLabel('Message', { exact: true }).fill('Hello');
        await page.keyboard.press('Enter');
        const body = (await request).postDataJSON();
        expect(Object.keys(body).toSorted()).toEqual([
          'messages',
          'model',
          'stream',
          'stream_options',
          'temperature',
        ]);
        expect(body.temperature).toBe(0.8);

        await panel.getByRole('button', { name: 'Reset' }).click();
        expect(await panel.getByLabel('temperature', { exact: true }).first().inputValue()).toBe('0.7');
        await panel.locator('.status', { hasText: 'answer token' }).waitFor(patience);
      });

      it('show what the API says is wrong with one', async () => {
        const panel = await open('Chat');
        const field = panel.getByLabel('temperature', { exact: true }).first();
        await field.fill('7');
        await panel.getByLabel('Message', { exact: true }).fill('Hello');
        await page.keyboard.press('Enter');
        const alert = panel.getByRole('alert');
        await alert.waitFor();
        expect(await alert.textContent()).toMatch(/temperature.*param: temperature · HTTP 400/s);
        expect(await field.getAttribute('aria-invalid')).toBe('true');
        // The question is back where it can be asked again.
        expect(await panel.getByLabel('Message', { exact: true }).inputValue()).toBe('Hello');
        expect(await panel.locator('.message').count()).toBe(0);
      });
    });

    describe('image', () => {
      it('draws a picture, offers it, and hands it to detection', async () => {
        const panel = await open('Image');
        await panel.getByLabel('width', { exact: true }).first().fill('512');
        await panel.getByLabel('height', { exact: true }).first().fill('512');
        await panel.getByLabel('Prompt', { exact: true }).fill('a red circle above a blue square');
        await panel.getByRole('button', { name: 'Draw' }).click();
        const status = panel.getByRole('status');
        await expect.poll(() => status.textContent(), patience).toMatch(/Step \d of 4|Drawn in/);
        const picture = panel.getByRole('img', { name: 'a red circle above a blue square' });
        await picture.waitFor(patience);
        expect(await picture.evaluate((node) => (node as HTMLImageElement).naturalWidth)).toBe(512);
        expect(await downloadBy(panel.getByRole('link', { name: 'Download' }))).toMatch(/^.PNG/);

        await panel.getByRole('button', { name: 'Find objects' }).click();
        const found = page.getByRole('tabpanel', { name: 'Detect' }).getByRole('table');
        await found.waitFor(patience);
        expect(await found.getByRole('row').allTextContents()).toEqual(
          expect.arrayContaining([
            expect.stringContaining('red circle'),
            expect.stringContaining('blue square'),
          ]),
        );
      });

      it('keeps a seed', async () => {
        const panel = await open('Image');
        for (const name of ['width', 'height']) {
          await panel.getByLabel(name, { exact: true }).first().fill('256');
        }
        await panel.getByRole('button', { name: 'Draw' }).click();
        await panel.getByRole('button', { name: /^Keep seed/ }).click(patience);
        const seed = await panel.getByLabel('seed', { exact: true }).inputValue();
        await panel.getByRole('button', { name: 'Draw' }).click();
        await panel
          .getByRole('button', { name: `Keep seed ${seed}` })
          .nth(1)
          .waitFor(patience);
        expect(JSON.parse(await runCopied(panel)).data[0].seed).toBe(Number(seed));
      });
    });

    describe('detection', () => {
      it('draws boxes over a chosen picture and lists them', async () => {
        const panel = await open('Detect');
        const png = await draw('two green stars');
        await writeFile(join(folder, "it's a picture.png"), png);
        await panel.locator('input[type=file]').setInputFiles(join(folder, "it's a picture.png"));
        await panel.getByRole('table').waitFor(patience);
        expect(await panel.locator('.drop strong').textContent()).toBe("it's a picture.png");
        expect(await panel.locator('.box').count()).toBe(2);
        const rows = await panel.getByRole('row').allTextContents();
        expect(rows).toHaveLength(3);
        expect(rows[1]).toMatch(/^green star0\.\d{3}\d+, \d+, \d+, \d+$/);
        // The boxes lie on the picture, where the table says.
        const stage = (await panel.locator('.stage img').boundingBox())!;
        const box = (await panel.locator('.box').first().boundingBox())!;
        const x1 = Number(/\.\d{3}(\d+), /.exec(rows[1]!)![1]);
        expect((box.x - stage.x) / stage.width).toBeCloseTo(x1 / 512, 1);

        await panel.getByLabel('Only these classes').fill('red circle');
        await panel.getByRole('button', { name: 'Detect' }).click();
        await panel.getByText(/^it's a picture\.png: 0 objects/).waitFor(patience);
        expect(JSON.parse(await runCopied(panel)).detections).toEqual([]);
      });

      it('finds the shapes of a sample picture, each class in its color', async () => {
        const panel = await open('Detect');
        await panel.getByRole('button', { name: 'Three shapes' }).click();
        const legend = panel.getByRole('list', { name: /classes/ });
        await legend.waitFor(patience);
        const boxes = panel.locator('.box');
        const count = await boxes.count();
        expect(count).toBeGreaterThan(1);
        const colors = await boxes.evaluateAll((all) => all.map((box) => getComputedStyle(box).borderColor));
        expect(new Set(colors).size).toBe(count);
        await legend.getByRole('button').first().click();
        expect(await panel.locator('.box:visible').count()).toBe(count - 1);
      });

      it.each(['paste', 'drop'] as const)('takes a picture by %s', async (way) => {
        const panel = await open('Detect');
        const base64 = (await draw('two green stars')).toString('base64');
        const isTaken = await page.evaluate(
          ([content, type]) => {
            const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
            const files = new DataTransfer();
            files.items.add(new File([bytes], 'given.png', { type: 'image/png' }));
            const init = { bubbles: true, cancelable: true };
            const event =
              type === 'paste'
                ? new ClipboardEvent(type, { ...init, clipboardData: files })
                : new DragEvent(type, { ...init, dataTransfer: files });
            return !document.body.dispatchEvent(event);
          },
          [base64, way] as const,
        );
        // Otherwise the browser would do with it what it likes: leave the page for it, for example.
        expect(isTaken).toBe(true);
        await panel.getByRole('table').waitFor(patience);
        expect(await panel.getByRole('row').nth(1).textContent()).toContain('green star');
      });

      it('says what is no picture', async () => {
        const panel = await open('Detect');
        await panel.locator('input[type=file]').setInputFiles({
          name: 'notes.png',
          mimeType: 'image/png',
          buffer: Buffer.from('no picture at all'),
        });
        await panel.getByRole('alert').getByText('param: image').waitFor(patience);
        expect(await panel.locator('.stage').isVisible()).toBe(false);
      });
    });

    describe('transcription', () => {
      it('writes down what the microphone hears', async () => {
        const panel = await open('Listen');
        await panel.getByRole('button', { name: 'Record', exact: true }).click();
        await panel.getByRole('button', { name: /^Stop · 0:04/ }).click({ timeout: 120_000 });
        const text = panel.locator('.transcript-text');
        await text.waitFor(patience);
        expect(await text.textContent()).toMatch(/red circle above a blue square/i);
      });

      it('follows a recording with subtitles and offers them', async () => {
        const panel = await open('Listen');
        await writeFile(join(folder, 'said.wav'), await speak(spoken));
        await panel.locator('input[type=file]').setInputFiles(join(folder, 'said.wav'));
        const line = panel.locator('.line').first();
        await line.waitFor(patience);
        expect(await panel.locator('.transcript-text').textContent()).toMatch(
          /red circle above a blue square/i,
        );

        await line.click();
        await expect.poll(() => panel.locator('.subtitle').textContent(), patience).toMatch(/red circle/i);
        expect(await line.getAttribute('data-now')).toBe('');
        await panel.locator('audio').evaluate((node) => (node as HTMLAudioElement).pause());

        expect(await downloadBy(panel.getByRole('link', { name: 'SRT' }))).toMatch(
          /^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n.*red circle/i,
        );
        expect(await downloadBy(panel.getByRole('link', { name: 'VTT' }))).toMatch(
          /^WEBVTT\n\n00:00:0\d\.\d{3} -->/,
        );
        expect(JSON.parse(await runCopied(panel)).text).toMatch(/red circle/i);
      });
    });

    describe('speech', () => {
      it('speaks in the chosen voice and speed', async () => {
        const panel = await open('Speak');
        await panel.getByLabel('Text', { exact: true }).fill('a green star');
        await panel.getByLabel('voice', { exact: true }).selectOption('am_adam');
        await panel.getByLabel('speed', { exact: true }).first().fill('0.5');
        const request = page.waitForRequest('**/audio/speech');
        await panel.getByRole('button', { name: 'Speak' }).click();
        expect((await request).postDataJSON()).toEqual({
          model: 'tiny-speech',
          input: 'a green star',
          voice: 'am_adam',
          speed: 0.5,
        });
        const player = panel.locator('audio');
        await player.waitFor(patience);
        await expect
          .poll(() => player.evaluate((node) => (node as HTMLAudioElement).duration))
          .toBeGreaterThan(1);
        await expect
          .poll(() => player.evaluate((node) => (node as HTMLAudioElement).currentTime))
          .toBeGreaterThan(0);
        expect(await downloadBy(panel.getByRole('link', { name: 'Download' }))).toMatch(/^RIFF/);
        expect(await runCopied(panel)).toMatch(/^RIFF/);
        await panel.getByRole('button', { name: 'Write it down again' }).click();
        await page.locator('.transcript-text').waitFor(patience);
      });
    });

    describe('embeddings', () => {
      it('compares sentences and tells the nearest of each', async () => {
        const panel = await open('Compare');
        await panel
          .getByLabel('Sentences', { exact: true })
          .fill('a red circle\nwhat is the weather in Paris\na circle that is red\n\n');
        await panel.getByRole('button', { name: 'Compare' }).click();
        await panel.getByRole('table').waitFor(patience);
        const cells = await panel.locator('.matrix tbody td').allTextContents();
        expect(cells).toHaveLength(9);
        expect([cells[0], cells[4], cells[8]]).toEqual(['1.00', '1.00', '1.00']);
        expect(cells[1]).toBe(cells[3]);
        expect(await panel.locator('.nearest-list li').first().textContent()).toMatch(
          /^a red circlea circle that is red0\.\d{3}$/,
        );
        expect(JSON.parse(await runCopied(panel)).data).toHaveLength(3);
      });

      it('says that there is nothing to compare', async () => {
        const panel = await open('Compare');
        await panel.getByLabel('Sentences', { exact: true }).fill('');
        await panel.getByRole('button', { name: 'Compare' }).click();
        await panel.getByRole('alert').getByText('param: input').waitFor();
      });
    });

    describe('rerank', () => {
      it('puts documents in order, with their scores', async () => {
        const panel = await open('Rank');
        await panel.getByLabel('Query', { exact: true }).fill('How do I reset my password?');
        await panel
          .getByLabel('Documents', { exact: true })
          .fill(
            'Paris is the capital of France; Berlin is the capital of Germany.\n\nOpen the settings, choose security and follow the link in the mail.\n',
          );
        await panel.getByRole('button', { name: 'Rank' }).click();
        await panel.locator('.ranking').waitFor(patience);
        const items = await panel.locator('.ranking li').allTextContents();
        expect(items).toEqual([
          expect.stringMatching(
            /^Open the settings, choose security and follow the link in the mail\.[01]\.\d{3}$/,
          ),
          expect.stringMatching(
            /^Paris is the capital of France; Berlin is the capital of Germany\.0\.\d{3}$/,
          ),
        ]);
        const widths = await panel
          .locator('.ranking-bar')
          .evaluateAll((bars) => bars.map((bar) => getComputedStyle(bar, '::before').width));
        expect(Number.parseFloat(widths[0]!)).toBeGreaterThan(Number.parseFloat(widths[1]!));
        expect(await panel.locator('.status').textContent()).toMatch(/^\d+ tokens · /);
        expect(JSON.parse(await runCopied(panel)).results).toHaveLength(2);
      });

      it('ranks at a press of Enter, and sends what was changed', async () => {
        const panel = await open('Rank');
        await panel.getByLabel('top_n').fill('1');
        await panel.getByLabel('Query', { exact: true }).press('Enter');
        await panel.locator('.ranking').waitFor(patience);
        expect(await panel.locator('.ranking li').count()).toBe(1);
      });

      it.each([
        ['Query', ' ', 'param: query'],
        ['Query', 'a red circle '.repeat(500), 'param: query'],
        ['Documents', '', 'param: documents'],
      ])('says what is wrong: %s %.20j', async (label, text, problem) => {
        const panel = await open('Rank');
        await panel.getByLabel(label, { exact: true }).fill(text);
        await panel.getByRole('button', { name: 'Rank' }).click();
        await panel.getByRole('alert').getByText(problem).waitFor();
      });
    });
  },
);
