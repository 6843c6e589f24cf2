import { reasoningFormats } from '../../src/core/chat/reasoning-formats.ts';
import { toolCallFormats } from '../../src/core/chat/formats.ts';

/** The page about tool calling as the code says it is. */
export function writeToolCallingPage(): string {
  return `# Tool calling

Models write tool calls in many ways. Which way a model has is found out from what its chat template makes of a call,
from the template's text and from the tokenizer; the setting \`toolCallFormat\` chooses another one by name, and
\`reasoningFormat\` one for the thinking.

**Parallel** means that one answer may hold several calls. The forms come from public chat templates, and from parsers and
tests of other servers, not from runs of all these models.

**Constrained calls.** In every format, calls are generated under a grammar of the tools' JSON Schemas: with
\`tool_choice: "required"\` or a named tool from the beginning on, under \`"auto"\` from the marker on, with free text before.
Parameters come in the order of the schema. \`strict: true\` refuses a schema that can't be kept; without it, any object will do.
Strings hold no text that the format takes for their end, such as a close tag.

**Templates without tools.** Support for tools is auto-detected by rendering the template with one. Where it has none,
the tools are described in a system message, or in the first message of the user, and the model writes calls in the format that
the template shows, or else in that of Hermes. Past calls that a template would lose are written the same way. The setting \`toolPrompt\`
is an instruction of your own, in Jinja, which is given \`tools\`; \`tools: false\` refuses tools.

**Broken calls.** Calls without a grammar come out when they are whole. One that is broken is mended where that is safe:
Python's words, quotes, sets and tuples, quotes inside of strings, brackets too few, commas too many, missing close tags.
It has to have what the tool's schema requires. Any other broken call is text.

**Thinking.** A call inside of thinking that was not closed ends the thinking.

**Ids.** Kimi K2 writes ids that hold the function's name. They are kept, and ids of another form become such ids in the prompt.

## Tool call formats

${table(
  ['Family', 'Format', 'Models known to use it', 'Parallel'],
  toolCallFormats.flatMap(({ name, families, parallel }) =>
    families.map((family) => [family.name, `\`${name}\``, family.models.join(', '), parallel ? 'yes' : 'no']),
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
