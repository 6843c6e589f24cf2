import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Cli, runCli, type CliOptions } from '../cli-process.ts';

let folder: string;
let running: Cli[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-serve-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  await Promise.all(running.map((cli) => cli[Symbol.asyncDispose]()));
  running = [];
});

function serve(args: readonly string[], options?: CliOptions): Cli {
  const cli = new Cli(['serve', '--port', '0', ...args], options);
  running.push(cli);
  return cli;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function ask(
  origin: string,
  { key, ...body }: { key?: string; model?: string; stream?: boolean; max_tokens?: number },
) {
  return fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({
      model: 'tiny-chat',
      messages: [{ role: 'user', content: 'Hello' }],
      // Without its end, an answer is as long as it may be.
      logit_bias: body.stream ? { 2: -100 } : {},
      ...body,
    }),
  });
}

describe('slashv1 serve', () => {
  it('serves a model, tells how to ask it, logs, and ends a stream before itself', async () => {
    const cli = serve(['--model', 'assistant=tiny-chat', '--metrics', '--drain', '5m']);
    const origin = await cli.origin();
    const key = /sk-[\da-f]{32}/.exec(cli.messages)![0];
    expect(cli.messages).toContain('assistant  chat      2048 tokens');
    expect(cli.messages).toContain(`curl ${origin}/v1/chat/completions -H 'Authorization: Bearer ${key}'`);

    expect((await ask(origin, { model: 'assistant' })).status).toBe(401);
    const answer = await ask(origin, { key, model: 'assistant' });
    expect(answer.status).toBe(200);
    expect(await (await fetch(`${origin}/health`)).json()).toMatchObject({ status: 'ready' });
    expect(await (await fetch(`${origin}/metrics`)).text()).toContain('slashv1_http_requests_total');
    const page = await fetch(`${origin}/`);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect((await fetch(`${origin}/v1/nowhere`)).status).toBe(404);

    const stream = await ask(origin, { key, model: 'assistant', stream: true, max_tokens: 400 });
    const reader = stream.body!.getReader();
    await reader.read();
    cli.kill('SIGINT');
    await cli.until(() => cli.messages.includes('Stopping when 1 request is through'));
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read())
      rest += Buffer.from(part.value).toString();
    expect(rest).toContain('"finish_reason":"length"');
    expect(rest.trimEnd()).toMatch(/data: \[DONE\]$/);
    const { code, output } = await cli.end();
    expect(code).toBe(0);
    const lines = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ message }) => message)).toEqual([
      'model loaded',
      'POST /chat/completions 401 authentication_failed',
      'POST /chat/completions 200',
      'GET unknown route 404 route_not_found',
      'POST /chat/completions 200',
      'model closed',
    ]);
    expect(lines[2]).toMatchObject({ level: 'info', model: 'assistant', status: 200 });
    expect(output).not.toContain(key);
  }, 120_000);

  it('ends at once at the second signal', async () => {
    const cli = serve(['--model', 'tiny-chat', '--no-auth', '--drain', '1m']);
    const stream = await ask(await cli.origin(), { stream: true, max_tokens: 2000 });
    const reader = stream.body!.getReader();
    await reader.read();
    cli.kill('SIGTERM');
    await cli.until(() => cli.messages.includes('Stopping when'));
    cli.kill('SIGINT');
    expect((await cli.end()).code).toBe(130);
    await reader.cancel().catch(() => undefined);
  }, 120_000);

  it('breaks off what is not through in time', async () => {
    const cli = serve(['--model', 'tiny-chat', '--no-auth', '--drain', '50ms', '--quiet']);
    const stream = await ask(await cli.origin(), { stream: true, max_tokens: 2000 });
    const reader = stream.body!.getReader();
    await reader.read();
    cli.kill('SIGINT');
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read())
      rest += Buffer.from(part.value).toString();
    expect(rest).toContain('The service is shutting down.');
    expect(await cli.end()).toMatchObject({ code: 0, output: '' });
  }, 120_000);

  it('can be stopped while models are loaded', async () => {
    const cli = serve(['--model', 'tiny-chat']);
    await cli.until(() => cli.messages.includes('Loading 1 model'));
    cli.kill('SIGINT');
    const { code, messages } = await cli.end();
    expect(code).toBe(0);
    expect(messages).not.toContain('slashv1 serves');
  }, 120_000);

  it('is live, and not ready, as long as a model is fetched', async () => {
    const silent = createServer(() => {});
    const port = await listen(silent);
    const place = createServer();
    const ownPort = await listen(place);
    await new Promise((resolve) => place.close(resolve));
    const cli = new Cli([
      'serve',
      '--port',
      String(ownPort),
      '--model',
      `slow=http://127.0.0.1:${port}/slow`,
    ]);
    running.push(cli);
    const health = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${ownPort}/health/${path}`).catch(() => undefined);
      return [answer?.status, ((await answer?.json()) as { status?: string } | undefined)?.status];
    };
    await expect.poll(() => health('live')).toEqual([200, 'live']);
    expect(await health('ready')).toEqual([503, 'loading']);
    cli.kill('SIGINT');
    silent.closeAllConnections();
    silent.close();
    await cli.end();
  }, 120_000);

  it('starts without a model that is not required', async () => {
    const models = {
      'tiny-chat': { source: 'tiny-chat' },
      broken: {
        source: 'm',
        category: 'chat',
        backend: { kind: 'openai', baseURL: 'http://127.0.0.1:9/v1', prefixAffinity: true },
      },
    };
    const config = await file('required.json', { models, requiredModels: ['tiny-chat'] });
    const cli = serve(['--config', config, '--no-auth']);
    const origin = await cli.origin();
    expect(cli.messages).toMatch(/ {2}broken +not loaded: /);
    expect((await ask(origin, {})).status).toBe(200);
    const health = await fetch(`${origin}/health/ready`);
    expect([health.status, await health.json()]).toMatchObject([
      200,
      { status: 'ready', models: [{ state: 'ready' }, { state: 'failed' }] },
    ]);
    const { code, messages } = await runCli(['serve', '--config', config, '--required-model', 'other']);
    expect(code).toBe(2);
    expect(messages).toContain('requiredModels: expected ids among tiny-chat, broken, got other\n');
  }, 120_000);

  it('takes its settings from a file, where options count more', async () => {
    const config = await file('slashv1.json', {
      port: 1,
      models: {
        embedder: { source: 'tiny-embed', name: 'Embedder' },
        assistant: { source: './nowhere' },
      },
      auth: { keys: [{ key: 'sk-small', plan: 'small' }] },
      plans: { small: { models: ['embedder'] } },
      playground: false,
    });
    const cli = serve(['--config', config, '--model', 'assistant=tiny-chat']);
    const origin = await cli.origin();
    expect(cli.messages).not.toMatch(/sk-/);
    expect((await ask(origin, { key: 'sk-small', model: 'assistant' })).status).toBe(403);
    const embedded = await fetch(`${origin}/v1/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-small' },
      body: JSON.stringify({ model: 'embedder', input: 'a red circle' }),
    });
    expect(embedded.status).toBe(200);
    expect((await fetch(`${origin}/`)).status).toBe(404);
    cli.kill('SIGTERM');
    expect((await cli.end()).code).toBe(0);
  }, 120_000);

  it('takes its settings from a module, functions too', async () => {
    const config = await file(
      'slashv1.mjs',
      `export default {
        models: { 'tiny-chat': { source: 'tiny-chat' } },
        auth: (key) => (key === 'sk-from-database' ? { key, id: 'me' } : null),
      };`,
    );
    const cli = serve(['--config', config]);
    const origin = await cli.origin();
    expect((await ask(origin, { key: 'sk-other' })).status).toBe(401);
    expect((await ask(origin, { key: 'sk-from-database' })).status).toBe(200);
  }, 120_000);

  it('takes keys from a file and from the environment', async () => {
    const keys = await file('keys.txt', '# the team\nsk-one\n\nsk-two # Ada\n');
    const cli = serve(['--model', 'tiny-chat', '--keys-file', keys], { env: { SLASHV1_API_KEY: 'sk-env' } });
    const origin = await cli.origin();
    const statuses = await Promise.all(['sk-one', 'sk-two', 'sk-env'].map((key) => ask(origin, { key })));
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 401]);
    expect(cli.messages).not.toMatch(/sk-one|sk-two|sk-env/);
  }, 120_000);

  it('says that it can not listen there', async () => {
    const other = createServer();
    const port = await listen(other);
    const { code, messages } = await runCli(['serve', '--model', 'tiny-chat', '--port', String(port)]);
    other.close();
    expect({ code, messages }).toEqual({
      code: 1,
      messages: `slashv1: 127.0.0.1:${port} is in use by another program; choose another --port.\n`,
    });
  });

  it('says which model can not be loaded', async () => {
    const { code, output, messages } = await runCli(['serve', '--port', '0', '--model', 'x=./nowhere']);
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(messages).toMatch(/^slashv1: x: expected one of the bundled models/);
  });
});
