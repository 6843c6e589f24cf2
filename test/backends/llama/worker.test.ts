import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chat, createInference } from '../../../dist/src/index.js';
import { tinyChatAsGguf } from './tiny-gguf.ts';
import { missingLlama, needs } from '../../needs.ts';

it(
  'a GGUF file answers from a worker process, and the host loads nothing of llama.cpp',
  { ...needs(missingLlama), timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slashv1-gguf-'));
    const source = join(folder, 'tiny-chat.gguf');
    writeFileSync(source, tinyChatAsGguf());
    const inference = createInference({ models: { a: chat({ source }) } });
    const messages = [{ role: 'user', content: 'What is 17 + 25?' }] as const;
    const answer = async (signal?: AbortSignal) => {
      let text = '';
      for await (const event of inference.chat({ model: 'a', messages, temperature: 0 }, { signal })) {
        if (event.type === 'text-delta') text += event.text;
      }
      return text;
    };
    expect(await answer()).toContain('42');
    await expect(answer(AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    expect(await answer()).toContain('42');
    const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] };
    expect(sharedObjects.filter((path) => /libllama\.|libggml/.test(path))).toEqual([]);
    await inference.close();
    rmSync(folder, { recursive: true });
  },
);
