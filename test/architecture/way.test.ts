import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import budgets from './way.json' with { type: 'json' };

const program = new URL('way.js', import.meta.url);

interface Way {
  readonly files: number;
  readonly functions: number;
}

it('a warm request runs no more files and functions than its budget, which only falls', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program.pathname]);
  const ways = JSON.parse(stdout) as Readonly<Record<string, Way>>;
  expect(Object.keys(ways)).toEqual(Object.keys(budgets));
  for (const [kind, budget] of Object.entries<Way>(budgets)) {
    expect(
      ways[kind]!.files,
      `files of ${kind}: node test/architecture/way.js ${kind} lists them`,
    ).toBeLessThanOrEqual(budget.files);
    expect(ways[kind]!.functions, `functions of ${kind}`).toBeLessThanOrEqual(budget.functions);
  }
}, 60_000);
