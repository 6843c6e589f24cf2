import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { UsageError } from '../usage-error.ts';
import { examine, type Check } from './checks.ts';

const marks = { ok: '✓', missing: '–', fault: '✗' } as const satisfies Record<Check['state'], string>;

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check this machine: Node, runtime, devices, ffmpeg, cache, hub, optional packages.',
  description: [
    'Each device runs a small graph in a process of its own. ✓ works, – is missing and some features need it, ✗ needs repair. The exit code is 1 when something needs repair.',
  ],
  options: { json: { type: 'boolean', description: 'Print JSON.' } },
  examples: {
    'slashv1 doctor': 'everything, a line each',
    'slashv1 doctor --json': 'for a report of a fault',
  },
  async run({ json }, operands, { output, environment }) {
    if (operands.length > 0) throw new UsageError(`Expected no operand, got ${operands.length}.`);
    const checks = await examine(environment);
    output.write(json ? `${JSON.stringify(checks, null, 2)}\n` : toText(checks));
    return checks.some(({ state }) => state === 'fault') ? exitCode.failure : exitCode.success;
  },
});

function toText(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, state, detail }) => `${marks[state]} ${name.padEnd(width)}  ${detail}\n`)
    .join('');
}
