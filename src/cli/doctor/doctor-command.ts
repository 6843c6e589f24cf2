import { defineCommand, exitCode } from '../command.ts';
import { UsageError } from '../options.ts';
import { examine, type Check } from './checks.ts';

const marks = { ok: '✓', missing: '–', fault: '✗' } as const satisfies Record<Check['state'], string>;

export const command = defineCommand({
  name: 'doctor',
  summary: 'Check this machine: Node, runtime, devices, ffmpeg, cache, Hugging Face, optional packages.',
  description: [
    'Each device runs a small graph in a process of its own. ✓ works, – is missing and some features need it, ✗ needs repair. The exit code is 1 when something needs repair.',
  ],
  options: {
    json: ['', 'Print JSON.'],
    library: [
      '<path>',
      'Try this library of ONNX Runtime, or the one in a folder; default: SLASHV1_ONNXRUNTIME_LIBRARY.',
    ],
    plugin: [
      '<provider=path>…',
      'Try the devices of this plugin, such as openvino=./libonnxruntime_providers_openvino_plugin.so.',
    ],
  },
  examples: {
    'slashv1 doctor': 'everything, a line each',
    'slashv1 doctor --json': 'for a report of a fault',
    'slashv1 doctor --library ./venv': "the runtime of Python's onnxruntime-gpu in a virtual environment",
  },
  async run({ json, library, plugin = [] }, operands, { output, environment }) {
    if (operands.length > 0) throw new UsageError(`Expected no operand, got ${operands.length}.`);
    const checks = await examine(environment, { library, plugins: plugin.map(readPlugin) });
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

function readPlugin(text: string): readonly [provider: string, library: string] {
  const [, provider, library] = /^([a-z][a-z\d-]*)=(.+)$/.exec(text) ?? [];
  if (provider === undefined || library === undefined)
    throw new UsageError(`--plugin: expected <provider=path>, got ${JSON.stringify(text)}`);
  return [provider, library];
}
