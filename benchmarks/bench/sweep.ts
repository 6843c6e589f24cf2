import { UsageError } from '../../src/cli/options.ts';
import { readLoadedWith, type LoadedWith } from '../../src/cli/bench/bench-options.ts';
import type { BenchValues } from './options.ts';

/** The names that `--sweep` takes, and the options whose values they list. */
const swept = { context: 'prompt-tokens', streams: 'concurrency' } as const;

/**
 * Lists the settings to load the model with: each of `--device` with each of `--threads`.
 *
 * @throws UsageError
 */
export function readSettings({ device, threads }: BenchValues): readonly LoadedWith[] {
  const devices = orNone(listOf(device));
  const counts = orNone(listOf(threads));
  return devices.flatMap((one) => counts.map((count) => readLoadedWith(one, count)));
}

/**
 * Lists the options of each measurement: every combination of the values that `--rate` and `--sweep` give.
 *
 * @throws UsageError
 */
export function readSweep(values: BenchValues): readonly BenchValues[] {
  const { sweep = [], rate } = values;
  let combinations: readonly BenchValues[] =
    rate === undefined ? [values] : listOf(rate).map((one) => Object.assign({}, values, { rate: one }));
  const seen = new Set<string>();
  for (const text of sweep) {
    const [, name = '', list = ''] = /^([^=]*)=(.+)$/.exec(text) ?? [];
    if (!Object.hasOwn(swept, name)) {
      throw new UsageError(`--sweep: expected context=… or streams=…, got ${JSON.stringify(text)}`);
    }
    const option = swept[name as keyof typeof swept];
    if (seen.has(name)) throw new UsageError(`--sweep: expected ${name} once`);
    if (values[option] !== undefined) {
      throw new UsageError(`--sweep ${name}: expected without --${option}, which is the same`);
    }
    if (name === 'streams' && rate !== undefined) {
      throw new UsageError('--sweep streams: expected without --rate, since as many run as come');
    }
    seen.add(name);
    const entries = listOf(list).map((entry) => String(readCount(name, entry)));
    const longer: BenchValues[] = [];
    for (const one of combinations) for (const entry of entries) longer.push({ ...one, [option]: entry });
    combinations = longer;
  }
  return combinations;
}

/** `1k` is 1024. */
function readCount(name: string, text: string): number {
  const [, digits = '', unit] = /^(\d+)(k?)$/i.exec(text) ?? [];
  const count = Number(digits) * (unit ? 1024 : 1);
  if (count >= 1) return count;
  throw new UsageError(
    `--sweep ${name}: expected numbers such as 128,1k with commas between, got ${JSON.stringify(text)}`,
  );
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(',').map((entry) => entry.trim());
}

function orNone<T>(list: readonly T[]): readonly (T | undefined)[] {
  return list.length > 0 ? list : [undefined];
}
