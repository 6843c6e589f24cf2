import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { missingProgram, needs } from '../needs.ts';

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
  ['serve.js', /curl -sS http:\/\/127\.0\.0\.1:(\d+)\/v1\/openapi\.json[^\n]+\n\n$/],
])('examples/%s', (file, ready) => {
  it('answers, keeps its own routes, and ends when it is told to', async () => {
    const { port } = await start(file, ready);
    expect(await ask(port)).not.toBe('');
    if (file !== 'serve.js') {
      const own = await fetch(`http://127.0.0.1:${port}/`);
      expect(await own.text()).toContain('inference at /v1');
    }
    expect(await terminate()).toBe(0);
  }, 120_000);
});

describe('examples/serve.js', () => {
  it('serves the playground at the address that it prints', async () => {
    const { output, port } = await start(
      'serve.js',
      /curl -sS http:\/\/127\.0\.0\.1:(\d+)\/v1\/openapi\.json[^\n]+\n\n$/,
    );
    expect(output).toContain(`\nhttp://127.0.0.1:${port}/#key=${key}\n`);
    const page = await fetch(`http://127.0.0.1:${port}/`);
    expect(await page.text()).toContain('<title>Playground');
    for (const place of ['live', 'ready']) {
      const health = await fetch(`http://127.0.0.1:${port}/health/${place}`);
      expect([health.status, await health.json()]).toMatchObject([200, { status: place }]);
    }
    expect(await terminate()).toBe(0);
  }, 120_000);

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

  it(
    'names its demo models, and prints curl lines for all endpoints that work as they are',
    { ...needs(missingProgram('bash', 'curl')), timeout: 90_000 },
    async () => {
      const { output } = await start(
        'serve.js',
        /curl -sS http:\/\/127\.0\.0\.1:(\d+)\/v1\/openapi\.json[^\n]+\n\n$/,
      );
      expect(output).toMatch(/^Loading 8 models …\n/);
      expect(output.match(/ s {2}demo: /g)).toHaveLength(8);
      expect(output).toMatch(/^npx slashv1 serve --model \S+( --model \S+){7}$/m);
      const folder = await mkdtemp(join(tmpdir(), 'slashv1-test-'));
      const env = { ...process.env, SLASHV1_API_KEY: key };
      const answers: Record<string, string> = {};
      for (const [, title, line] of output.matchAll(/^# (.*)\n(.*curl .*)$/gm)) {
        const shell = spawn('bash', ['-c', line!], { cwd: folder, env });
        let answer = '';
        shell.stdout.on('data', (chunk: Buffer) => (answer += chunk.toString()));
        await once(shell, 'close');
        answers[title!] = answer;
      }
      const beginnings: Record<string, RegExp> = {
        Chat: /"model":"tiny-chat".*"object":"chat.completion"/,
        'The same by the newer API': /"object":"response"/,
        "The same in the dialect of Anthropic's Messages": /"type":"message".*"stop_reason":"end_turn"/,
        'How likely a text is': /"token_logprobs":\[null,-/,
        'The tokens of a text': /"count":\d+,"max_model_len":2048,"tokens":\[\d/,
        'The text of tokens': /"prompt":"What is 2 \+ 3\?"/,
        'The length of a conversation': /"input_tokens":\d/,
        'The length of a request to the newer API': /"input_tokens":\d/,
        'A picture, saved as picture.png': /^$/,
        'A question about it': /"model":"tiny-vision".*(?:circle|square)/,
        'The objects in it': /"detections":\[\{.*circle/,
        'Speech, saved as speech.wav': /^$/,
        'The speech as text': /"text":".*circle/i,
        'The voices': /af_heart/,
        'Vectors of texts': /"embedding":\[/,
        'Documents in order': /"results":\[\{"index":0,/,
        'The models': /"id":"tiny-chat".*"demo":true/,
        'One model': /^\{"id":"tiny-chat"/,
        'Its parameters': /"temperature"/,
        'The whole API, for machines': /"openapi":"3/,
      };
      expect(Object.keys(answers)).toEqual(Object.keys(beginnings));
      for (const [title, beginning] of Object.entries(beginnings)) {
        expect(answers[title], title).toMatch(beginning);
      }
      expect((await readFile(join(folder, 'picture.png'))).subarray(1, 4).toString()).toBe('PNG');
      expect((await readFile(join(folder, 'speech.wav'))).subarray(0, 4).toString()).toBe('RIFF');
      const { paths } = JSON.parse(answers['The whole API, for machines']!) as { paths: object };
      const left = Object.keys(paths).filter((path) => {
        const place = path.replace(/^\/v1/, '').replace('{model_id}', 'tiny-chat');
        return !output.includes(`/v1${place} `);
      });
      // No bundled model translates. Ids of kept responses and conversations are known to nobody, operators have plans, and WebSockets go without curl.
      const others = left.filter(
        (path) => !/\{response_id\}|\/conversations|\/(?:un)?load$|\/realtime$/.test(path),
      );
      expect(others).toEqual([expect.stringMatching(/\/audio\/translations$/)]);
      expect(await terminate()).toBe(0);
      await rm(folder, { recursive: true });
    },
  );
});

describe('examples/real.js', () => {
  it('goes through all steps, here with bundled models in place of trained ones', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slashv1-real-'));
    const doubles = {
      kokoro: 'tiny-speech',
      'whisper-base': 'tiny-whisper',
      'smollm2-q4': 'tiny-chat',
      minilm: 'tiny-embed',
    };
    for (const [name, double] of Object.entries(doubles)) {
      await symlink(join(root, 'examples/models', double), join(folder, name), 'junction');
    }
    const file = join(folder, 'answer.wav');
    const env = { ...process.env, SLASHV1_REAL_MODELS: folder };
    const question = 'Describe a red circle above a blue square.';
    example = spawn(process.execPath, [join(root, 'examples/real.js'), question, file], { cwd: root, env });
    let output = '';
    for (const stream of [example.stdout!, example.stderr!]) stream.on('data', (chunk) => (output += chunk));
    const [code] = (await once(example, 'close')) as [number | null];
    expect(code, output).toBe(0);
    expect(output).toMatch(/^smollm2-q4 +.*smollm2-q4$/m);
    expect(output).toMatch(/^Whisper hears: .*(?:circle|square)/im);
    expect(output).toMatch(/^SmolLM2 says: +\S/m);
    expect(output.match(/^ {2}-?[01]\.\d{3} {2}\S/gm)).toHaveLength(4);
    expect((await readFile(file)).subarray(0, 4).toString()).toBe('RIFF');
    await rm(folder, { recursive: true });
  }, 120_000);
});
