import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { perToken, type Messages, type Sample } from '../../src/cli/bench/workloads.ts';
import type { Measurement } from '../../src/cli/bench/load.ts';
import { settingsFault } from '../../src/validation/assert-options.ts';
import { UsageError } from '../../src/cli/options.ts';
import type { BenchValues } from './options.ts';

/** Longest times in milliseconds: first token, each further token, end to end. */
export type Goodput = Readonly<Partial<Record<'ttft' | 'tpot' | 'e2e', number>>>;

/**
 * Reads the options of load as production has it.
 *
 * @throws UsageError
 */
export function readProductionLoad({ goodput, prompts }: BenchValues): {
  readonly goodput: Goodput | undefined;
  readonly prompts: readonly Messages[] | undefined;
} {
  return {
    goodput: goodput === undefined ? undefined : readGoodput(goodput),
    prompts: prompts === undefined ? undefined : readPrompts(prompts),
  };
}

function readGoodput(text: string): Goodput {
  return Object.fromEntries(
    text.split(',').map((entry) => {
      const [, name, limit] = /^(ttft|tpot|e2e)=(\d+(?:\.\d+)?)$/.exec(entry.trim()) ?? [];
      if (name !== undefined) return [name, Number(limit)];
      throw new UsageError(
        `--goodput: expected ttft, tpot or e2e with = and milliseconds, got ${JSON.stringify(entry)}`,
      );
    }),
  );
}

const message = z.looseObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() });
const line = z.union([
  z.string().min(1),
  z.looseObject({ prompt: z.string().min(1) }),
  z.looseObject({ messages: z.array(message).min(1) }),
]);

/**
 * Reads the prompts of a JSONL file.
 *
 * @throws UsageError naming the line
 */
function readPrompts(path: string): readonly Messages[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--prompts: ${(error as Error).message}`);
  }
  const prompts = text.split('\n').flatMap((json, index) => (json.trim() ? [readLine(json, index + 1)] : []));
  if (prompts.length === 0) throw new UsageError(`--prompts: expected a prompt in ${path}, got none`);
  return prompts;
}

function readLine(json: string, number: number): Messages {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UsageError(`--prompts: line ${number}: ${(error as Error).message}`);
  }
  const fault = settingsFault(line, value);
  if (fault !== undefined) {
    const expected = 'expected a text, { "prompt" } or { "messages" } of roles and texts';
    throw new UsageError(`--prompts: line ${number}: ${expected}`);
  }
  const prompt = value as z.infer<typeof line>;
  if (typeof prompt !== 'string' && 'messages' in prompt) return prompt.messages as Messages;
  const content = typeof prompt === 'string' ? prompt : (prompt['prompt'] as string);
  return [{ role: 'user', content }];
}

/** Requests per second that keep all limits. */
export function measureGoodput(
  samples: readonly Omit<Sample, 'piecesMs'>[],
  seconds: number,
  { ttft = Infinity, tpot = Infinity, e2e = Infinity }: Goodput,
): Measurement {
  const good = samples.filter(
    (sample) =>
      sample.firstMs <= ttft &&
      sample.totalMs <= e2e &&
      (sample.usage.completionTokens < 2 || perToken(sample) <= tpot),
  );
  return { name: 'goodput', unit: 'per second', overall: good.length / seconds };
}
