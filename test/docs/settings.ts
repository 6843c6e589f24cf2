import { z } from 'zod';
import type { BackendDefinition } from '../../src/contracts/backend.ts';
import { backends } from '../../src/backends/registry.ts';
import { backendSettings } from '../../src/backends/settings.ts';
import { categories } from '../../src/categories/registry.ts';
import { limitSettings } from '../../src/engine/limits.ts';
import { checkModel, settingsOf } from '../../src/loading/settings.ts';
import type { SettingTable } from '../../src/validation/setting-table.ts';

type Schema = z.core.JSONSchema.BaseSchema;

const categoryTables = [...categories.values()].map(({ name, settings }) => ({ name, settings }));

/** Settings that a model of any category may have, those of its queue aside. */
export const commonTable: SettingTable = Object.fromEntries(
  Object.entries(settingsOf(undefined)).filter(
    ([name]) =>
      !Object.hasOwn(limitSettings, name) &&
      !categoryTables.some(({ settings }) => Object.hasOwn(settings, name)),
  ),
);

/** The page about the settings of models as their tables have it. */
export function writeSettingsPage(): string {
  return `# Settings of models

\`\`\`js
import { chat, createInference } from 'slashv1';

const inference = createInference({
  models: { assistant: chat({ source: 'tiny-chat', threads: 2, maxQueue: 16, contextLength: 512 }) },
});
await inference.ready();
await inference.close();
\`\`\`

Settings have the same names everywhere:

| place | setting |
| --- | --- |
| code | \`chat({ source: 'tiny-chat', threads: 2 })\`, or the same object without the function and with \`category: 'chat'\` |
| [config file](command-line.md#the-config-file) | \`"models": { "assistant": { "source": "tiny-chat", "threads": 2 } }\` |
| [command line](command-line.md#serve) | \`slashv1 serve --model assistant=tiny-chat,threads=2\`; texts, numbers, \`true\` and \`false\` only |

\`source\` names a bundled model, a folder or a model on [Hugging Face](https://huggingface.co): [sources](models.md#where-models-come-from).

Omit \`category\` if the model's files show it. \`createInference\` checks settings before it loads anything. It refuses an unknown name, a setting
of a different category or without effect on the backend, and a value out of range:

\`\`\`text
${[{ treads: 2 }, { pooling: 'mean' }, { threads: 0 }].map(refusalOf).join('\n')}
\`\`\`

## Every model

${settingsTable(commonTable)}

## The queue of a model

${settingsTable(limitSettings)}

## Categories

Additional settings by category.

${categoryTables.map(({ name, settings }) => `### ${name}\n\n${settingsTable(settings)}`).join('\n\n')}

## Backends

The setting \`backend\` selects the backend of a model; [backends](remote.md) lists the categories of each. In a config
file it is an object with the backend's \`kind\`, such as \`{ "kind": "${backends.at(-1)!.kind}", … }\`; \`--model\` on the command line can't set it.

${backends.map(backendSection).join('\n\n')}
`;
}

/** The message of the error for a setting of a chat model. */
function refusalOf(setting: object): string {
  try {
    checkModel('models.assistant', { source: 'tiny-chat', category: 'chat', ...setting });
  } catch (error) {
    return (error as Error).message;
  }
  throw new TypeError(`expected ${JSON.stringify(setting)} to be refused`);
}

function backendSection(definition: BackendDefinition): string {
  const { kind, spelling, foreignSettings } = definition;
  const settings = backendSettings[kind]!;
  const role = definition === backends[0] ? ' It is the default.' : '';
  const table =
    Object.keys(settings).length > 0
      ? settingsTable(settings, requiredBy(definition))
      : 'It has no settings.';
  const foreign =
    foreignSettings.length > 0
      ? `\n\nA model with this backend can't have ${foreignSettings.map(code).join(', ')}.`
      : '';
  return `### ${code(spelling)}\n\nIts \`kind\` is \`${kind}\`.${role}\n\n${table}${foreign}`;
}

/** What a backend demands of its descriptor beyond its table. */
function requiredBy({ kind, assert }: BackendDefinition): readonly string[] {
  try {
    assert?.({ kind }, 'backend');
    return [];
  } catch (error) {
    return [(error as { param?: string }).param!.replace(/^backend\./, '')];
  }
}

/** A row for each setting, and for each member of a setting that is an object. */
export function settingRows(
  table: SettingTable,
  required: readonly string[] = [],
): readonly (readonly [name: string, value: string, description: string])[] {
  const schema = z.toJSONSchema(z.object(table), { io: 'input', unrepresentable: 'any' });
  return rowsOf('', { ...schema, required: [...(schema.required ?? []), ...required] });
}

function rowsOf(
  prefix: string,
  { properties = {}, required = [] }: Schema,
): (readonly [string, string, string])[] {
  return Object.entries(properties as Record<string, Schema>).flatMap(([name, schema]) => {
    const path = prefix + name;
    const needed = required.includes(name) ? ', required' : '';
    const row = [path, toValue(name, schema) + needed, schema.description ?? ''] as const;
    return [row, ...rowsOf(`${path}.`, schema)];
  });
}

function settingsTable(table: SettingTable, required: readonly string[] = []): string {
  const rows = settingRows(table, required).map(([name, ...cells]) => [code(name), ...cells]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['Setting', 'Value', 'Meaning']),
    line(['---', '---', '---']),
    ...rows.map((cells) => line(cells.map((cell) => cell.replaceAll('|', String.raw`\|`)))),
  ].join('\n');
}

/** What a setting may be, in words. */
function toValue(name: string, schema: Schema): string {
  if (schema.title !== undefined) return schema.title;
  if (schema.enum) return schema.enum.map((word) => code(String(word))).join(', ');
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.anyOf) return (schema.anyOf as Schema[]).map((one) => toValue(name, one)).join(' or ');
  switch (schema.type) {
    case 'boolean':
      return 'boolean';
    case 'integer':
      return toRange('integer', schema);
    case 'number':
      return toRange('number', schema);
    case 'string':
      return 'text';
    case 'array':
      return `list of ${toValue(name, schema.items as Schema)}s`;
    case 'object':
      return schema.properties || Object.keys((schema.additionalProperties ?? {}) as Schema).length === 0
        ? 'object'
        : `object of ${toValue(name, schema.additionalProperties as Schema)}s`;
    default:
      if (name === 'backend') return backends.map(({ spelling }) => code(spelling)).join(', ');
      throw new TypeError(
        `${name}: expected a type that the page has words for, got ${JSON.stringify(schema)}`,
      );
  }
}

function toRange(type: string, { minimum = -Infinity, maximum = Infinity }: Schema): string {
  const min = minimum <= Number.MIN_SAFE_INTEGER ? undefined : format(minimum);
  const max = maximum >= Number.MAX_SAFE_INTEGER ? undefined : format(maximum);
  if (min !== undefined && max !== undefined) return `${type}, ${min} to ${max}`;
  if (min !== undefined) return `${type}, at least ${min}`;
  return max === undefined ? type : `${type}, at most ${max}`;
}

function format(bound: number): string {
  return bound.toLocaleString('en-US', { maximumFractionDigits: 10 });
}

function code(text: string): string {
  return `\`${text}\``;
}
