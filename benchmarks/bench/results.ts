import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { settingsFault } from '../../src/validation/assert-options.ts';
import { UsageError } from '../../src/cli/options.ts';
import type { Machine } from './machine.ts';
import type { BenchReport } from '../../src/cli/bench/bench-command.ts';

/** A report of the load generator. */
export interface LoadReport extends BenchReport {
  /** Address of the server; `undefined` for this machine. */
  readonly url: string | undefined;
  /** As the options ask for it; `undefined` for the default. */
  readonly promptTokens: number | undefined;
  /** Requests per second that began; `undefined` where each began when another ended. */
  readonly rate: number | undefined;
}

/** The results that `--output` writes and `--json` prints. */
export interface BenchResults {
  readonly format: 'slashv1-bench-1';
  /** ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  readonly runs: readonly LoadReport[];
}

const amount = z.number().optional();
const resultsSchema = z.looseObject({
  format: z.literal('slashv1-bench-1'),
  date: z.string(),
  machine: z.looseObject({ processor: z.string(), gpus: z.array(z.string()) }),
  runs: z.array(
    z.looseObject({
      model: z.string(),
      category: z.string(),
      concurrency: z.number(),
      measurements: z.array(
        z.looseObject({ name: z.string(), unit: z.string(), p50: amount, p95: amount, overall: amount }),
      ),
    }),
  ),
});

/** @throws UsageError for a file that can't be read or holds something else */
export function readResults(path: string): BenchResults {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path}: expected a file that --output wrote. ${(error as Error).message}`);
  }
  const fault = settingsFault(resultsSchema, value);
  if (fault === undefined) return value as BenchResults;
  throw new UsageError([path, fault.place, fault.reason].filter(Boolean).join(': '));
}
