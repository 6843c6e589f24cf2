import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { locateModel } from '../../../src/folder/source.ts';
import { commitOf, readFolder, sha256, startHub, type HubServer } from '../../hub/hub-server.ts';
import { Cli } from '../cli-process.ts';
import { fakeTerminal, type FakeTerminalOptions } from '../fake-terminal.ts';

const source = 'tiny/embed';
const graph = 'onnx/model.onnx';

let hub: HubServer;
let cacheFolder: string;
beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub.close());
beforeEach(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'slashv1-cli-'));
  const files = readFolder(locateModel('tiny-embed'));
  files.set('README.md', Buffer.from('---\nlanguage: en\nlicense: mit\n---\n# A model\n'));
  hub.models.set(source, files);
  hub.fault = () => undefined;
  hub.requests.length = 0;
});
afterEach(() => rm(cacheFolder, { recursive: true, force: true }));

/** Waits between attempts take a fiftieth of their time, until the test ends. */
function hurryTimers(): void {
  const { setTimeout } = globalThis;
  const hurried = vi.spyOn(globalThis, 'setTimeout');
  hurried.mockImplementation(((then: () => void, ms = 0, ...given: []) =>
    setTimeout(then, ms / 50, ...given)) as typeof setTimeout);
  onTestFinished(() => hurried.mockRestore());
}

async function run(line: string, options?: FakeTerminalOptions) {
  const terminal = fakeTerminal(options);
  const needsHub = /models (?:pull|info)/.test(line) && !line.includes('--endpoint');
  const at = ['--cache-dir', cacheFolder, ...(needsHub ? ['--endpoint', hub.endpoint] : [])];
  const code = await runCommandLine([...line.split(' '), ...at], terminal);
  return {
    code,
    output: terminal.output.text,
    messages: terminal.messages.text,
    questions: terminal.questions,
  };
}

describe('slashv1 models', () => {
  it('verify finds the file that was damaged after the download', async () => {
    const pulled = await run(`models pull ${source}`);
    expect(await run('models verify')).toMatchObject({
      code: 0,
      output: expect.stringContaining(`✓ ${source}@main: `) as string,
    });
    expect((await run('models verify tiny-chat')).output).toMatch(/^✓ tiny-chat: \d+ files\n$/);
    const path = join(pulled.output.trim(), graph);
    const bytes = await readFile(path);
    bytes[1000]! ^= 1;
    await writeFile(path, bytes);
    expect(await run(`models verify ${source}`)).toMatchObject({
      code: 1,
      output: `✗ ${source}@main: ${graph}\n`,
    });
    expect(await run('models verify tiny/embeed')).toMatchObject({
      code: 1,
      messages: expect.stringContaining(source) as string,
    });
  });

  it('pull, list, info and rm go round', async () => {
    expect(await run('models list')).toMatchObject({ code: 0, output: `No models in ${cacheFolder}\n` });

    const pulled = await run(`models pull ${source}`);
    expect(pulled.code).toBe(0);
    const folder = pulled.output.trim();
    expect(existsSync(join(folder, graph))).toBe(true);
    expect(pulled.messages).toContain(`got ${graph} (2.7 MB)`);
    expect(pulled.messages).toContain(`✓ ${source}: embedding, 2.7 MB`);

    const { output } = await run('models list');
    expect(output).toMatch(/^model +revision +size +last use\ntiny\/embed +main +2\.7 MB +just now\n/);
    expect(output).toContain(`1 model, 2.7 MB, in ${cacheFolder}`);
    const { models } = JSON.parse((await run('models list --json')).output) as { models: object[] };
    expect(models).toEqual([
      {
        source,
        revision: 'main',
        commit: commitOf(hub.models.get(source)!),
        folder,
        sizeBytes: expect.any(Number),
        lastUsed: expect.stringMatching(/^20\d\d-/),
      },
    ]);

    hub.fault = () => ({ status: 500 });
    const info = await run(`models info ${source} --offline`);
    expect(info.output).toContain(`on this disk  ${folder}`);

    const removed = await run(`models rm ${source} --yes`);
    expect(removed).toMatchObject({
      code: 0,
      messages: expect.stringMatching(/^Removed tiny\/embed, 2\.\d MB\.\n$/),
      questions: [],
    });
    expect(await readdir(cacheFolder)).toEqual(['.locks']);
  });

  it.each(['refuses', 'fails'])('goes on with the cache when the hub %s', async (what) => {
    hurryTimers();
    const pulled = await run(`models pull ${source}`);
    const folder = pulled.output.trim();
    const closed = await startHub();
    await closed.close();
    hub.fault = () => ({ status: 503 });
    const endpoint = what === 'refuses' ? ` --endpoint ${closed.endpoint}` : '';
    const warned = {
      code: 0,
      messages: expect.stringContaining('Going on with what is in the cache.') as string,
    };

    const info = await run(`models info ${source}${endpoint}`);
    expect(info).toMatchObject(warned);
    expect(info.output).toContain(`on this disk  ${folder}`);
    expect(await run(`models pull ${source}${endpoint}`)).toMatchObject({ ...warned, output: `${folder}\n` });
    expect(await run(`models info tiny/none${endpoint}`)).toMatchObject({ code: 1, output: '' });
  });

  it('goes on with the cache when the address of a folder refuses', async () => {
    const folder = await startHub();
    folder.models.set(source, hub.models.get(source)!);
    const address = `${folder.endpoint}/${source}/resolve/main/`;
    const pulled = await run(`models pull ${address}`);
    expect(pulled.code).toBe(0);
    await folder.close();
    const info = await run(`models info ${address}`);
    expect(info.messages).toContain('Going on with what is in the cache.');
    expect(info.output).toContain(`on this disk  ${pulled.output.trim()}`);
    expect(await run(`models pull ${address}`)).toMatchObject({ code: 0, output: pulled.output });
  });

  it('pull finds the kind of a model out, and says when there is nothing to do', async () => {
    expect((await run('models pull tiny-embed')).messages).toBe('tiny-embed is on this disk already.\n');
    expect(hub.requests).toEqual([]);
    hub.models.get(source)!.set('config.json', Buffer.from('{"model_type":"unheard-of"}'));
    for (const path of ['modules.json', '1_Pooling/config.json']) hub.models.get(source)!.delete(path);
    expect(await run(`models pull ${source}`)).toMatchObject({
      code: 1,
      messages: expect.stringContaining('nothing in "tiny/embed" shows what kind of model it is'),
    });
    expect((await run(`models pull ${source} --category embedding`)).code).toBe(0);
  });

  it.each([
    ['tiny/none', 'slashv1: tiny/none: there is no model "tiny/none" on'],
    [`${source} --dtype q4`, `slashv1: ${source}: dtype: "${source}" has weights in fp32`],
    [`${source} --offline`, `slashv1: ${source}: "${source}" is not in the cache`],
  ])('pull tells what is wrong with %s', async (what, message) => {
    expect(await run(`models pull ${what}`)).toMatchObject({
      code: 1,
      messages: expect.stringContaining(message),
    });
  });

  it('pull goes on where Ctrl-C has ended it', async () => {
    const args = ['models', 'pull', source, '--cache-dir', cacheFolder, '--endpoint', hub.endpoint];
    const content = hub.models.get(source)!.get(graph)!;
    const part = content.length - 1000;
    hub.fault = ({ server, range, path }) => {
      if (server === 'hub' || path.endsWith('tokenizer.json')) return undefined;
      return range === undefined ? { cutAfterBytes: part } : { stalls: true };
    };
    const ranges = () =>
      hub.requests.flatMap(({ server, range }) => (server === 'storage' && range !== undefined ? range : []));
    await using first = new Cli(args);
    // A connection that is cut may lose bytes that were sent, so the rest begins at or before the cut.
    const rest = await first.until(() => ranges()[0]);
    expect(Number(/^bytes=(\d+)-$/.exec(rest)![1])).toBeLessThanOrEqual(part);
    first.kill('SIGINT');
    const broken = await first.end();
    expect(broken).toMatchObject({ code: 130, output: '' });
    expect(broken.messages).toMatch(/\nStopped\. The same command resumes the download\.\n$/);

    hub.fault = () => undefined;
    hub.requests.length = 0;
    await using second = new Cli(args);
    const ended = await second.end();
    expect(ended.code).toBe(0);
    expect(ranges()).toEqual([rest]);
    expect(hub.requests.filter(({ server, range }) => server === 'storage' && range === undefined)).toEqual(
      [],
    );
    expect(sha256(await readFile(join(ended.output.trim(), graph)))).toBe(sha256(content));
  }, 120_000);

  it('rm asks first, where there is somebody', async () => {
    await run(`models pull ${source}`);
    const kept = await run(`models rm ${source}`, { answer: '' });
    expect(kept.questions).toEqual([expect.stringMatching(/^Remove tiny\/embed \(2\.\d MB\)\? \[y\/N\] $/)]);
    expect(kept).toMatchObject({ code: 1, messages: 'Nothing was removed.\n' });
    expect(await run(`models rm ${source}`)).toMatchObject({
      code: 2,
      messages: expect.stringContaining('Expected --yes, since this is not a terminal.'),
    });
    expect((await run('models list')).output).toContain(source);
    expect((await run(`models rm ${source}`, { answer: 'y' })).code).toBe(0);
    expect((await run('models list')).output).toBe(`No models in ${cacheFolder}\n`);
  });

  it('rm asks whether another model was meant, and removes none where one is missing', async () => {
    await run(`models pull ${source}`);
    expect(await run(`models rm ${source} tiny/embde --yes`)).toMatchObject({
      code: 1,
      messages: `slashv1: tiny/embde is not in ${cacheFolder}. Did you mean ${source}?\n`,
    });
    expect((await run('models list')).output).toContain(source);
  });

  it('rm leaves alone what is being downloaded', async () => {
    hub.fault = ({ server }) => (server === 'storage' ? { stalls: true } : undefined);
    const args = ['models', 'pull', source, '--cache-dir', cacheFolder, '--endpoint', hub.endpoint];
    await using pull = new Cli(args);
    await pull.until(() => hub.requests.some(({ server }) => server === 'storage'));
    expect(await run(`models rm ${source} --yes`)).toMatchObject({
      code: 1,
      messages: expect.stringMatching(
        /^slashv1: Process \d+ is downloading tiny\/embed\. Stop it, or wait for its end, before the model is removed\.\n$/,
      ),
    });
    pull.kill('SIGINT');
    await pull.end();
    expect((await run(`models rm ${source} --yes`)).code).toBe(0);
    expect(await readdir(cacheFolder)).toEqual(['.locks']);
  }, 120_000);

  it('list and rm know unfinished downloads', async () => {
    hub.fault = ({ server }) => (server === 'storage' ? { status: 404 } : undefined);
    expect((await run(`models pull ${source}`)).code).toBe(1);
    expect((await run('models list')).output).toMatch(
      /\d+ (?:B|kB) of an unfinished download in \S+models--tiny--embed/,
    );
    expect((await run(`models rm ${source} --yes`)).code).toBe(0);
    expect((await run('models list')).output).toBe(`No models in ${cacheFolder}\n`);
  });

  it('info tells what 4-bit products do with activations', async () => {
    const folder = 'test/contract/models/llama';
    expect((await run(`models info ${folder} --dtype q4f16`)).output).toMatch(
      /activations +rounded to 8 bits/,
    );
    expect((await run(`models info ${folder}`)).output).not.toContain('activations');
  });

  it('info tells about a model that is far away without its weights', async () => {
    const { code, output } = await run(`models info ${source}`);
    expect(code).toBe(0);
    for (const line of [
      /category +embedding/,
      /architecture +BertModel/,
      /license +mit/,
      /context +128 tokens/,
      /weights +fp32 \(2\.7 MB\)/,
      /memory +about 3\.3 MB/,
      /on this disk +no/,
      /runtime +(?:native|onnxruntime-node), onnxruntime 1\.\d+\.\d+: .{10}/,
      /onnx\/model\.onnx +2\.7 MB/,
      /in all +2\.7 MB/,
      /encoding_format|dimensions/,
    ]) {
      expect(output).toMatch(line);
    }
    expect(hub.downloads().filter(({ path }) => path.includes('.onnx'))).toEqual([]);
    expect(hub.downloads().length).toBeGreaterThan(0);
  });

  it('info is JSON for other programs', async () => {
    const { output } = await run('models info tiny-chat --json');
    expect(JSON.parse(output)).toMatchObject({
      source: 'tiny-chat',
      kind: 'bundled',
      category: 'chat',
      license: 'Apache-2.0',
      contextLength: 2048,
      weights: [{ dtype: 'fp32', sizeBytes: expect.any(Number) }],
      parameters: { temperature: { type: 'float', min: 0, max: 2 }, max_tokens: { max: 2048 } },
    });
  });

  it.each([
    ['tiny-chat', 'chat'],
    ['tiny-detect', 'detection'],
    ['tiny-embed', 'embedding'],
    ['tiny-image', 'image'],
    ['tiny-rerank', 'rerank'],
    ['tiny-vision', 'chat'],
    ['tiny-speech', 'speech'],
    ['tiny-whisper', 'transcription'],
  ])('info sees in the files of a folder that %s is for %s', async (name, category) => {
    const { output } = await run(`models info ${locateModel(name)} --json`);
    expect(JSON.parse(output)).toMatchObject({ kind: 'folder', category });
  });

  it('info counts the tokens that a cross-encoder reads', async () => {
    const { output } = await run('models info test/contract/models/xlm-roberta-reranker --json');
    expect(JSON.parse(output)).toMatchObject({
      category: 'rerank',
      architecture: 'XLMRobertaForSequenceClassification',
      contextLength: 64,
      parameters: { top_n: { min: 1, max: 2048 }, return_documents: { default: false } },
    });
  });

  it('list --catalogue has every name', async () => {
    const terminal = fakeTerminal();
    expect(await runCommandLine(['models', 'list', '--catalogue'], terminal)).toBe(0);
    expect(terminal.output.text).toMatch(
      /^qwen3-0\.6b +chat +596 M +q4 +858 MB +apache-2\.0 +onnx-community\//m,
    );
  });
});
