import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chat, createInference, type ChatRequestInput } from '../../dist/src/index.js';
import { openModelFolder } from '../../src/folder/model-folder.ts';
import { createTextTokenizer } from '../../src/folder/tokenizer.ts';

/** The folder of a real model, `undefined` where there is none. */
export function realModel(name: string): string | undefined {
  const path = join(process.env['SLASHV1_REAL_MODELS'] ?? '', name);
  return process.env['SLASHV1_REAL_MODELS'] && existsSync(join(path, 'config.json')) ? path : undefined;
}

export interface GoldenAnswer {
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
  /** Of each step: the two likeliest tokens and their log probabilities. */
  readonly best: readonly (readonly (readonly [token: number, logProbability: number])[])[];
}

const golden = new URL('golden/', import.meta.url);

export function readGolden(name: string): readonly GoldenAnswer[] {
  const text = readFileSync(new URL(name, golden), 'utf8');
  return (JSON.parse(text) as { answers: readonly GoldenAnswer[] }).answers;
}

export const prompts = JSON.parse(readFileSync(new URL('prompts.json', golden), 'utf8')) as readonly string[];

export interface Answer {
  readonly text: string;
  /** Bytes of each token, as hexadecimal digits. */
  readonly tokens: readonly string[];
  /** The model's log probabilities of the tokens. */
  readonly logprobs: readonly number[];
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

const hex = (bytes: Iterable<number>): string => Buffer.from([...bytes]).toString('hex');

/** A model as a service would load it. */
export async function openChat(source: string, settings: Omit<Parameters<typeof chat>[0], 'source'> = {}) {
  const inference = createInference({
    models: { model: chat({ source, contextLength: 2048, ...settings }) },
  });
  await inference.ready();
  return {
    close: () => inference.close(),
    async answer(content: string, parameters: Partial<ChatRequestInput> = {}): Promise<Answer> {
      const result = {
        text: '',
        tokens: [] as string[],
        logprobs: [] as number[],
        promptTokens: 0,
        cachedTokens: 0,
      };
      const messages = [{ role: 'user' as const, content }];
      const fixed = {
        model: 'model',
        messages,
        temperature: 0,
        repeatPenalty: 1,
        maxTokens: 64,
        logprobs: true,
      };
      for await (const event of inference.chat({ ...fixed, ...parameters })) {
        if (event.type === 'text-delta') result.text += event.text;
        if (event.type === 'usage')
          Object.assign(result, { promptTokens: event.promptTokens, cachedTokens: event.cachedTokens });
        for (const { bytes, logprob } of event.type === 'logprobs' ? event.tokens : []) {
          result.tokens.push(hex(bytes));
          result.logprobs.push(logprob);
        }
      }
      return result;
    },
  };
}

/** Bytes of golden tokens up to the end of the answer, as `Answer` has them. */
export async function toBytes(source: string, { tokens }: GoldenAnswer): Promise<readonly string[]> {
  const folder = await openModelFolder(source);
  const tokenizer = createTextTokenizer(folder);
  const ends = new Set([folder.generationConfig['eos_token_id'], folder.config['eos_token_id']].flat());
  const end = tokens.findIndex((token) => ends.has(token));
  return tokens.slice(0, end === -1 ? tokens.length : end).map((token) => hex(tokenizer.bytesOf(token)));
}
