import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import { createInference } from '../../src/inference.ts';

const bundled = resolve(import.meta.dirname, '../../examples/models');

describe('the body of an error', { timeout: 120_000 }, () => {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'slashv1-paths-')));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() => void vi.restoreAllMocks());

  const broken = (name: string, model: string, damage: (path: string) => void): string => {
    const path = join(folder, name);
    mkdirSync(path);
    if (model !== '') cpSync(join(bundled, model), path, { recursive: true });
    damage(path);
    return path;
  };

  const chat = {
    url: '/v1/chat/completions',
    body: { model: 'm', messages: [{ role: 'user', content: 'Hello!' }] },
  };
  const detect = { url: '/v1/detect', body: { model: 'm', image: 'iVBORw0KGgo=' } };

  it.each([
    ['an empty folder', 'chat', '', () => undefined],
    ['no weights', 'chat', 'tiny-chat', (path: string) => rmSync(join(path, 'onnx'), { recursive: true })],
    [
      'weights that are none',
      'chat',
      'tiny-chat',
      (path: string) => writeFileSync(join(path, 'onnx/model.onnx'), 'x'),
    ],
    [
      'a config that is no JSON',
      'chat',
      'tiny-chat',
      (path: string) => writeFileSync(join(path, 'config.json'), '{'),
    ],
    ['no tokenizer', 'chat', 'tiny-chat', (path: string) => rmSync(join(path, 'tokenizer.json'))],
    [
      'a template that is none',
      'chat',
      'tiny-chat',
      (path: string) => {
        rmSync(join(path, 'chat_template.jinja'), { force: true });
        writeFileSync(join(path, 'chat_template.jinja'), '{% if %}');
      },
    ],
    ['an empty folder', 'detection', '', () => undefined],
    [
      'weights that are none',
      'detection',
      'tiny-detect',
      (path: string) => writeFileSync(join(path, 'onnx/model.onnx'), 'x'),
    ],
  ] as const)(
    'of a model with %s (%s) names no path; operators get it',
    async (name, category, model, damage) => {
      const printed = vi.spyOn(console, 'error').mockReturnValue(undefined);
      const source = broken(`${name} ${category}`.replaceAll(' ', '-'), model, damage);
      const inference = createInference({
        models: { m: { category, source } as never },
        isolation: 'inline',
      });
      const reason = await inference.ready().then(String, (error: Error) => error.message);
      expect(reason).toMatch(/^Model "m" could not be loaded: \S/);
      const { url, body } = category === 'chat' ? chat : detect;
      const handler = createHandler(inference, { auth: 'none' });
      const headers = { 'x-request-id': 'req_7' };
      const request = {
        method: 'POST',
        url,
        headers,
        body: { parsed: body },
        signal: new AbortController().signal,
      };
      const answer = await handler(request);
      expect(answer.status).toBe(502);
      expect(JSON.parse(String(answer.body))).toEqual({
        error: {
          message: 'Model "m" could not be loaded. Request id: req_7.',
          type: 'server_error',
          param: null,
          code: 'worker_failed',
        },
      });
      expect(printed.mock.calls.flat().join(' ')).toContain(reason);
      await inference.close();
    },
  );
});
