import {
  assertFitting as assertFittingIn,
  benchOptionTable as ofCommandLine,
  readLoad as readLanes,
} from '../../src/cli/bench/bench-options.ts';
import { type OptionTable, type OptionValues, UsageError } from '../../src/cli/options.ts';
import type { Load } from './arrivals.ts';

export const benchOptionTable = {
  ...ofCommandLine,
  rate: [
    '<numbers>',
    'Requests per second that begin at random times, however many run (Poisson arrivals); several rates are measured in turn.',
  ],
  even: ['', 'With --rate: requests begin at equal distances, so that chance changes less.'],
  goodput: [
    '<name=ms>',
    'Chat: count the requests within these limits, such as ttft=500,tpot=50,e2e=5000: first token, time per output token, end to end.',
  ],
  prompts: ['<file>', 'Chat: prompts of a JSONL file, a text, { "prompt" } or { "messages" } in each line.'],
  url: ['<address>', 'Base URL of a server to measure, including /v1.'],
  key: ['<key>', 'Key of the server; also SLASHV1_API_KEY.'],
  device: ['<names>', 'Devices: cpu, webgpu, cuda …; several, separated by commas, are measured in turn.'],
  threads: ['<numbers>', 'Threads of the model; several numbers are separated by commas.'],
  sweep: [
    '<name=values>…',
    'Measure every combination: context=128,1k,4k (tokens of a prompt), streams=1,4,8 (requests at the same time).',
  ],
  output: [
    '<file>',
    'Write all results to this file as JSON, with each sample and a description of the machine.',
  ],
} as const satisfies OptionTable;

export type BenchValues = OptionValues<typeof benchOptionTable>;

const maxRate = 1000;

/** @throws UsageError */
export function readLoad({ rate, even, ...values }: BenchValues): Load {
  return { ...readLanes(values), ...(rate !== undefined && { rate: readRate(rate), isEven: even }) };
}

function readRate(text: string): number {
  const rate = Number(text);
  if (rate > 0 && rate <= maxRate) return rate;
  throw new UsageError(`--rate: expected a number from above 0 to ${maxRate}, got ${JSON.stringify(text)}`);
}

/** @throws UsageError for an option that says nothing about a model of that category */
export function assertFitting(values: BenchValues, category: string): void {
  assertFittingIn(values, category);
  assertFittingIn(values, category, { goodput: ['chat'], prompts: ['chat'] });
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
