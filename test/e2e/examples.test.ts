import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const key = 'sk-of-a-test';
let example: ChildProcess | undefined;

afterEach(async () => {
  if (example && example.exitCode === null) {
    example.kill('SIGKILL');
    await once(example, 'exit');
  }
});

/** Starts an example on a free port and waits until its output has what `ready` looks for. */
async function start(file: string, ready: RegExp): Promise<{ output: string; port: string }> {
  const env = { ...process.env, PORT: '0', SLASHV1_API_KEY: key };
  example = spawn(process.execPath, [join(root, 'examples', file)], { cwd: root, env });
  let output = '';
  return new Promise((resolvePort, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const port = ready.exec(output)?.[1];
      if (port !== undefined) resolvePort({ output, port });
    };
    example!.stdout!.on('data', read);
    example!.stderr!.on('data', read);
    example!.once('exit', (code) => reject(new Error(`${file} exited with ${code}: ${output}`)));
  });
}

async function ask(port: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: 'Hello' }], seed: 1 }),
  });
  expect(response.status).toBe(200);
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]!.message.content;
}

async function terminate(): Promise<number | null> {
  example!.removeAllListeners('exit');
  example!.kill('SIGTERM');
  const [code] = (await once(example!, 'exit')) as [number | null];
  return code;
}

describe.each([
  ['express.js', /"port":(\d+)/],
  ['fastify.js', /"port":(\d+)/],
  ['serve.js', /curl http:\/\/127\.0\.0\.1:(\d+)\/v1[^\n]+\n\n$/],
])('examples/%s', (file, ready) => {
  it('answers, keeps its own routes, and ends when it is told to', async () => {
    const { port } = await start(file, ready);
    expect(await ask(port)).not.toBe('');
    if (file !== 'serve.js') {
      const own = await fetch(`http://127.0.0.1:${port}/`);
      expect(await own.text()).toContain('inference at /v1');
    }
    expect(await terminate()).toBe(0);
  }, 60_000);
});

describe('examples/serve.js', () => {
  it('serves the playground at the address that it prints', async () => {
    const { output, port } = await start('serve.js', /curl http:\/\/127\.0\.0\.1:(\d+)\/v1[^\n]+\n\n$/);
    expect(output).toContain(`\nhttp://127.0.0.1:${port}/#key=${key}\n`);
    const page = await fetch(`http://127.0.0.1:${port}/`);
    expect(await page.text()).toContain('<title>Playground');
    expect(await terminate()).toBe(0);
  }, 60_000);

  it.each(['abc', '-1', '65536'])('says what is wrong with PORT=%s', async (PORT) => {
    const env = { ...process.env, PORT };
    example = spawn(process.execPath, [join(root, 'examples/serve.js')], { cwd: root, env });
    let output = '';
    example.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(example, 'close')) as [number | null];
    expect({ code, output }).toEqual({
      code: 1,
      output: `PORT: expected a number from 0 to 65535, got ${PORT}\n`,
    });
  });

  it('prints curl lines that work as they are', async () => {
    const { output } = await start('serve.js', /curl http:\/\/127\.0\.0\.1:(\d+)\/v1[^\n]+\n\n$/);
    const folder = await mkdtemp(join(tmpdir(), 'slashv1-test-'));
    const answers: string[] = [];
    for (const [line] of output.matchAll(/^curl .*$/gm)) {
      const shell = spawn('bash', ['-c', `${line} --silent --show-error`], { cwd: folder });
      let answer = '';
      shell.stdout.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      await once(shell, 'close');
      answers.push(answer);
    }
    const [chat, image, rerank, speech, transcription] = answers;
    expect(JSON.parse(chat!)).toMatchObject({ object: 'chat.completion', model: 'tiny-chat' });
    expect(image).toBe('');
    const { data } = JSON.parse(await readFile(join(folder, 'image.json'), 'utf8')) as {
      data: { b64_json: string }[];
    };
    expect(data[0]!.b64_json).toMatch(/^iVBORw0KGgo/);
    expect(JSON.parse(rerank!).results[0]).toMatchObject({ index: 0 });
    expect(speech).toBe('');
    expect((await readFile(join(folder, 'speech.wav'))).subarray(0, 4).toString()).toBe('RIFF');
    expect(JSON.parse(transcription!).text).toMatch(/circle/i);
    expect(await terminate()).toBe(0);
    await rm(folder, { recursive: true });
  }, 60_000);
});
