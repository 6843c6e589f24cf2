import type { InferenceError } from '../../index.ts';
import { completeImageRequest } from '../../categories/image/request.ts';
import { hubOptionTable } from '../hub-options.ts';
import { modelChoiceTable } from '../model-choice.ts';
import { parseDuration, parseInteger, type OptionTable, type OptionValues } from '../options.ts';
import { UsageError } from '../usage-error.ts';
import type { ImageLoad } from './media-workloads.ts';
import type { Load } from './load.ts';

export const benchOptionTable = {
  ...modelChoiceTable,
  duration: {
    type: 'string',
    value: '<time>',
    description: 'Time in which requests start; default 10s, or unlimited with --requests.',
  },
  requests: { type: 'string', value: '<number>', description: 'Maximum number of requests.' },
  concurrency: { type: 'string', value: '<number>', description: 'Requests at the same time; default 1.' },
  rate: {
    type: 'string',
    value: '<numbers>',
    description:
      'Requests per second that begin at random times, however many run (Poisson arrivals); several rates are measured in turn.',
  },
  even: {
    type: 'boolean',
    description: 'With --rate: requests begin at equal distances, so that chance changes less.',
  },
  goodput: {
    type: 'string',
    value: '<name=ms>',
    description:
      'Chat: count the requests within these limits, such as ttft=500,tpot=50,e2e=5000: first token, time per output token, end to end.',
  },
  prompts: {
    type: 'string',
    value: '<file>',
    description: 'Chat: prompts of a JSONL file, a text, { "prompt" } or { "messages" } in each line.',
  },
  'prompt-tokens': {
    type: 'string',
    value: '<number>',
    description: 'Chat, embeddings, rerank: approximate length of a prompt; default 128, for embeddings 32.',
  },
  'max-tokens': {
    type: 'string',
    value: '<number>',
    description: 'Chat: maximum tokens of an answer; default 128.',
  },
  size: { type: 'string', value: '<width>x<height>', description: 'Image generation: size of a picture.' },
  steps: { type: 'string', value: '<number>', description: 'Image generation: steps of a picture.' },
  file: {
    type: 'string',
    value: '<file>',
    description: 'Detection: a picture; transcription: a recording. Default: a generated file.',
  },
  url: {
    type: 'string',
    value: '<address>',
    description: 'Base URL of a server to measure, including /v1.',
  },
  key: { type: 'string', value: '<key>', description: 'Key of the server; also SLASHV1_API_KEY.' },
  device: {
    type: 'string',
    value: '<names>',
    description: 'Devices: cpu, webgpu, cuda …; several, separated by commas, are measured in turn.',
  },
  threads: {
    type: 'string',
    value: '<numbers>',
    description: 'Threads of the model; several numbers are separated by commas.',
  },
  sweep: {
    type: 'string',
    multiple: true,
    value: '<name=values>',
    description:
      'Measure every combination: context=128,1k,4k (tokens of a prompt), streams=1,4,8 (requests at the same time).',
  },
  output: {
    type: 'string',
    value: '<file>',
    description: 'Write all results to this file as JSON, with each sample and a description of the machine.',
  },
  json: { type: 'boolean', description: 'Print JSON.' },
  ...hubOptionTable,
} as const satisfies OptionTable;

export type BenchValues = OptionValues<typeof benchOptionTable>;

const defaultDurationMs = 10_000;
export const maxConcurrency = 1024;
const maxRate = 1000;

/** @throws UsageError */
export function readLoad({ duration, requests, concurrency = '1', rate, even }: BenchValues): Load {
  const defaultMs = requests === undefined ? defaultDurationMs : Infinity;
  return {
    concurrency: parseInteger('--concurrency', concurrency, { min: 1, max: maxConcurrency }),
    ...(rate !== undefined && { rate: readRate(rate), isEven: even }),
    requests: requests === undefined ? Infinity : parseInteger('--requests', requests, { min: 1 }),
    durationMs: duration === undefined ? defaultMs : parseDuration('--duration', duration),
  };
}

function readRate(text: string): number {
  const rate = Number(text);
  if (rate > 0 && rate <= maxRate) return rate;
  throw new UsageError(`--rate: expected a number from above 0 to ${maxRate}, got ${JSON.stringify(text)}`);
}

const specific: Readonly<Partial<Record<keyof BenchValues, readonly string[]>>> = {
  'prompt-tokens': ['chat', 'embedding', 'rerank'],
  'max-tokens': ['chat'],
  goodput: ['chat'],
  prompts: ['chat'],
  size: ['image'],
  steps: ['image'],
  file: ['detection', 'transcription'],
};

/** @throws UsageError for an option that says nothing about a model of that category */
export function assertFitting(values: BenchValues, category: string): void {
  for (const [name, fitting] of Object.entries(specific)) {
    if (!(name in values) || fitting.includes(category)) continue;
    throw new UsageError(
      `--${name}: expected only with ${fitting.join(' or ')}, and this model is for ${category}`,
    );
  }
}

const local = ['dtype', 'device', 'threads', 'offline', 'cache-dir', 'endpoint'] as const;

/** @throws UsageError for options that don't go together */
export function assertCompatible(values: BenchValues): void {
  const odd = values.url === undefined ? undefined : local.find((name) => name in values);
  if (odd !== undefined)
    throw new UsageError(`--${odd}: expected without --url, since that server has the model already`);
  if (values.rate !== undefined && values.concurrency !== undefined)
    throw new UsageError('--rate: expected without --concurrency, since as many run as come');
  if (values.even !== undefined && values.rate === undefined)
    throw new UsageError('--even: expected with --rate, whose requests it spreads');
  if (values.prompts !== undefined && values['prompt-tokens'] !== undefined)
    throw new UsageError('--prompts: expected without --prompt-tokens, which makes prompts of a length');
  if (values.key !== undefined && values.url === undefined)
    throw new UsageError('--key: expected with --url');
}

/**
 * @throws UsageError for a size or a number of steps that no picture may have
 */
export function readImageLoad({ size, steps }: BenchValues): ImageLoad {
  const [, width, height] = /^(\d+)x(\d+)$/i.exec(size ?? '') ?? [];
  if (size !== undefined && width === undefined) {
    throw new UsageError(
      `--size: expected a width and a height such as 512x512, got ${JSON.stringify(size)}`,
    );
  }
  const load = {
    ...(width === undefined ? {} : { width: Number(width), height: Number(height) }),
    ...(steps === undefined ? {} : { numInferenceSteps: parseInteger('--steps', steps, { min: 0 }) }),
  };
  try {
    completeImageRequest({ model: 'bench', prompt: 'a picture', ...load });
  } catch (error) {
    const { message, param } = error as InferenceError;
    throw new UsageError(`${param === 'num_inference_steps' ? '--steps' : '--size'}: ${message}`, {
      cause: error,
    });
  }
  return load;
}

/**
 * The address of the API of a server; of a bare origin, below `/v1`.
 *
 * @throws UsageError
 */
export function readApiAddress(url: string): string {
  const { protocol = '', pathname = '', origin = '' } = URL.canParse(url) ? new URL(url) : {};
  if (!/^https?:$/.test(protocol)) {
    throw new UsageError(
      `--url: expected an address such as http://127.0.0.1:8000/v1, got ${JSON.stringify(url)}`,
    );
  }
  return pathname === '/' ? `${origin}/v1` : url.replace(/\/+$/, '');
}
