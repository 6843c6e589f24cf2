import { defineCommand, exitCode } from '../command.ts';
import { describeModel } from '../../loading/facts.ts';
import { formatBytes, formatCount, renderTable } from '../format.ts';
import { definitions, section } from '../help.ts';
import { hubOptionTable } from '../options.ts';
import { aboutModel, warn } from '../load-models.ts';
import { modelChoiceTable, oneModel, readModelChoice } from '../model-settings.ts';
import type { OutputStream } from '../terminal.ts';
import { gatherFacts, type ModelFacts } from './model-facts.ts';

export const command = defineCommand({
  name: 'models info',
  operands: '<model>',
  summary: 'Describes a model: its category, files, memory, and the parameters of its requests.',
  description: [
    'A model is a bundled one, a name of the catalogue, org/name on Hugging Face, a folder or an address. Only its small files are read, not its weights.',
  ],
  options: { ...modelChoiceTable, ...hubOptionTable, json: ['', 'Print JSON.'] },
  examples: {
    'slashv1 models info qwen3-0.6b': 'a model of the catalogue',
    'slashv1 models info ./models/my-model --dtype q4 --json': 'a folder, for other programs',
  },
  async run(values, operands, terminal) {
    const { output } = terminal;
    const source = oneModel(operands);
    const settings = readModelChoice(source, values);
    const facts = await describeModel(source, { ...settings, onWarning: warn(terminal) })
      .then((model) => gatherFacts(model, settings.dtype))
      .catch(aboutModel(source));
    output.write(values.json ? `${JSON.stringify(facts, null, 2)}\n` : `${describe(facts, output)}\n`);
    return exitCode.success;
  },
});

function describe(facts: ModelFacts, { style, columns }: OutputStream): string {
  const { parameterCount, contextLength, memoryBytes, weights, folder, runtime } = facts;
  const rows = [
    ['category', facts.category],
    ['architecture', facts.architecture],
    ['license', facts.license],
    ['parameter count', parameterCount && formatCount(parameterCount)],
    ['context', contextLength && `${contextLength} tokens`],
    [
      'weights',
      weights
        .map(({ dtype, sizeBytes }) =>
          [dtype, sizeBytes !== undefined && `(${formatBytes(sizeBytes)})`].filter(Boolean).join(' '),
        )
        .join(', '),
    ],
    ['loaded as', facts.dtype],
    ['activations', facts.activations],
    ['turns', turnsOf(facts)],
    [
      'tool calls',
      facts.toolCalls &&
        `${facts.toolCalls.format}, from the ${facts.toolCalls.origin}: ${JSON.stringify(facts.toolCalls.example)}`,
    ],
    [
      'memory',
      memoryBytes &&
        `about ${formatBytes(memoryBytes)}${facts.category === 'chat' ? ', and more for long texts' : ''}`,
    ],
    ['runtime', `${runtime.name}, onnxruntime ${runtime.version}: ${runtime.reason}`],
    ['on this disk', folder ?? 'no'],
  ].filter((row): row is [string, string] => Boolean(row[1]));
  const files = facts.files.map(({ path, sizeBytes }) => [
    `  ${path}`,
    sizeBytes === undefined ? '' : formatBytes(sizeBytes),
  ]);
  const total = facts.files.every(({ sizeBytes }) => sizeBytes !== undefined)
    ? [['  in all', formatBytes(facts.files.reduce((sum, { sizeBytes }) => sum + sizeBytes!, 0))]]
    : [];
  const fileColumns = ['  path', { right: 'size' }];
  return [
    style.bold(facts.name),
    definitions(rows, columns, style.dim),
    section('Files', renderTable(fileColumns, [...files, ...total], style.dim), style.bold),
    section('Parameters', parameterTable(facts, style.dim), style.bold),
  ].join('\n\n');
}

function turnsOf({ turns = {} }: ModelFacts): string {
  const named = (fate: string): string =>
    Object.entries(turns)
      .filter(([, own]) => own === fate)
      .map(([kind]) => kind)
      .join(', ');
  const refused = named('refused');
  return [named('merged') && `merged: ${named('merged')}`, refused && `refused: ${refused}`]
    .filter(Boolean)
    .join('; ');
}

function parameterTable({ parameters }: ModelFacts, paint: (text: string) => string): string {
  const rows = Object.entries(parameters).map(([name, { type, min, max, default: byDefault }]) => [
    `  ${name}`,
    type,
    min === undefined || max === undefined ? '' : `${min} to ${max}`,
    byDefault === undefined ? '' : JSON.stringify(byDefault),
  ]);
  return renderTable(['  name', 'type', 'range', 'default'], rows, paint);
}
