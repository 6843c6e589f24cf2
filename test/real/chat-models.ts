import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { chat, createInference, type ChatRequestInput, type Inference } from '../../dist/src/index.js';

/** The models that chat tests ask, in the folder that `SLASHV1_REAL_MODELS` names: 4 bits, and the GGUF on llama.cpp. */
const names = ['smollm2-q4', 'smollm2-gqa-int4', 'smollm2.gguf'];

export interface Answer {
  readonly text: string;
  /** Arguments as they were written. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReason: string;
  readonly completionTokens: number;
}

export type Ask = (request: Omit<ChatRequestInput, 'model'>) => Promise<Answer>;

/** Declares the tests of each model that is there; those of others show as skipped. */
export function describeChatModels(declare: (ask: Ask) => void): void {
  const folder = process.env['SLASHV1_REAL_MODELS'];
  if (!folder) throw new Error('SLASHV1_REAL_MODELS: expected the folder of the real models');
  for (const name of names) {
    const source = join(folder, name);
    describe.skipIf(!existsSync(source))(name, () => {
      let inference: Inference;
      beforeAll(async () => {
        inference = createInference({ models: { model: chat({ source, contextLength: 2048 }) } });
        await inference.ready();
      });
      afterAll(() => inference?.close());
      declare((request) => ask(inference, request));
    });
  }
}

async function ask(inference: Inference, request: Omit<ChatRequestInput, 'model'>): Promise<Answer> {
  let text = '';
  let finishReason = '';
  let completionTokens = 0;
  const calls: { name: string; arguments: string }[] = [];
  for await (const event of inference.chat({ model: 'model', ...request })) {
    if (event.type === 'text-delta') text += event.text;
    if (event.type === 'tool-call-start') calls[event.call] = { name: event.name, arguments: '' };
    if (event.type === 'tool-call-delta') calls[event.call]!.arguments += event.arguments;
    if (event.type === 'choice-end') ({ finishReason } = event);
    if (event.type === 'usage') ({ completionTokens } = event);
  }
  return { text, calls, finishReason, completionTokens };
}
