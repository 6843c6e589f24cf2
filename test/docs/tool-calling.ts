import { reasoningFormats } from '../../src/core/chat/reasoning-formats.ts';
import { toolCallFormats } from '../../src/core/chat/formats.ts';

/** The page about tool calling as the code says it is. */
export function writeToolCallingPage(): string {
  return `# Tool calling

Models write tool calls in many ways. Which way a model has is found out from its chat template and tokenizer; the
setting \`toolCallFormat\` chooses another one by name, and \`reasoningFormat\` one for the thinking.

- **Parallel**: one answer may hold several calls.
- **Constrained**: calls can be generated under a grammar, so that their arguments follow the tool's JSON Schema.
  Most of the formats that can't don't write arguments as JSON.

This page is generated: \`UPDATE_DOCS=1 npx vitest run test/docs\`.

## Tool call formats

${table(
  ['Family', 'Format', 'Models known to use it', 'Parallel', 'Constrained'],
  toolCallFormats.flatMap(({ name, families, parallel, constraint }) =>
    families.map((family) => [
      family.name,
      `\`${name}\``,
      family.models.join(', '),
      parallel ? 'yes' : 'no',
      constraint === undefined ? 'no' : 'yes',
    ]),
  ),
)}

## Reasoning formats

${table(
  ['Format', 'Models known to use it'],
  reasoningFormats.map(({ name, models }) => [`\`${name}\``, models.join(', ')]),
)}

## What they look like

${toolCallFormats.map(({ name, example }) => section(name, example)).join('\n\n')}

## What reasoning looks like

${reasoningFormats.map(({ name, example }) => section(`${name} reasoning`, example)).join('\n\n')}
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function section(title: string, example: string): string {
  return `### ${title}\n\n\`\`\`\`text\n${example}\n\`\`\`\``;
}
