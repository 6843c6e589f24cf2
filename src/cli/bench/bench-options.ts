import type { Device } from '../../core/device.ts';
import { completeImageRequest } from '../../categories/image/request.ts';
import { modelChoiceTable } from '../model-settings.ts';
import { settingsOf } from '../../loading/settings.ts';
import { assertDevice, threadBounds } from '../../validation/device-setting.ts';
import {
  check,
  inOption,
  parseDuration,
  parseInteger,
  type OptionTable,
  type OptionValues,
  UsageError,
  hubOptionTable,
} from '../options.ts';
import type { Load } from './load.ts';

export const benchOptionTable = {
  ...modelChoiceTable,
  duration: ['<time>', 'Time in which requests start; default 10s, or unlimited with --requests.'],
  requests: ['<number>', 'Maximum number of requests.'],
  concurrency: ['<number>', 'Requests at the same time; default 1.'],
  'prompt-tokens': [
    '<number>',
    'Chat, embeddings, rerank: approximate length of a prompt; default 128, for embeddings 32.',
  ],
  'max-tokens': ['<number>', 'Chat: maximum tokens of an answer; default 128.'],
  size: ['<width>x<height>', 'Image generation: size of a picture.'],
  steps: ['<number>', 'Image generation: steps of a picture.'],
  file: ['<file>', 'Detection: a picture; transcription: a recording. Default: a generated file.'],
  device: ['<name>', 'Device: cpu, webgpu, cuda …'],
  threads: ['<number>', 'Threads of the model.'],
  json: ['', 'Print JSON.'],
  ...hubOptionTable,
} as const satisfies OptionTable;

export type BenchValues = OptionValues<typeof benchOptionTable>;

const defaultDurationMs = 10_000;
export const maxConcurrency = 1024;

/** @throws UsageError */
export function readLoad({ duration, requests, concurrency = '1' }: BenchValues): Load {
  const defaultMs = requests === undefined ? defaultDurationMs : Infinity;
  return {
    concurrency: parseInteger('--concurrency', concurrency, { min: 1, max: maxConcurrency }),
    requests: requests === undefined ? Infinity : parseInteger('--requests', requests, { min: 1 }),
    durationMs: duration === undefined ? defaultMs : parseDuration('--duration', duration),
  };
}

const specific: Readonly<Record<string, readonly string[]>> = {
  'prompt-tokens': ['chat', 'embedding', 'rerank'],
  'max-tokens': ['chat'],
  size: ['image'],
  steps: ['image'],
  file: ['detection', 'transcription'],
};

/** @throws UsageError for an option that doesn't apply to the category */
export function assertFitting(values: object, category: string, options = specific): void {
  for (const [name, fitting] of Object.entries(options)) {
    if (!(name in values) || fitting.includes(category)) continue;
    throw new UsageError(
      `--${name}: expected only with ${fitting.join(' or ')}, and this model is for ${category}`,
    );
  }
}

export interface LoadedWith {
  readonly device?: Device | undefined;
  readonly threads?: number | undefined;
}

/** Plugins aren't supported in benchmarks. @throws UsageError */
export function readLoadedWith(device: string | undefined, threads: string | undefined): LoadedWith {
  if (device !== undefined) check('--device', settingsOf(undefined)['device']!, device);
  inOption(String, () => assertDevice('--device', device, []));
  const count = threads === undefined ? undefined : parseInteger('--threads', threads, threadBounds);
  return { device: device as Device | undefined, threads: count };
}

export interface ImageLoad {
  readonly width?: number;
  readonly height?: number;
  readonly numInferenceSteps?: number;
}

/** @throws UsageError for an invalid size or number of steps */
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
  inOption(
    (param) => `${param === 'num_inference_steps' ? '--steps' : '--size'}: ${param}`,
    () => completeImageRequest({ model: 'bench', prompt: 'a picture', ...load }),
  );
  return load;
}
