import { reasoningFormats } from '../../src/core/chat/reasoning-formats.ts';
import { toolCallFormats } from '../../src/core/chat/formats.ts';
import { checkFamily } from './family-checks.ts';
import { reasoningModels } from './reasoning-models.ts';
import { familyTemplates } from './family-templates.ts';

/** The page about tool calling as the code says it is. */
export function writeToolCallingPage(): string {
  const checks = familyTemplates.map((template) => checkFamily(template));
  const examples = new Map(checks.map(({ example }) => [example.name, example.text]));
  return `# Tool calling

Each model has its own notation for tool calls, and its chat template shows it. When a model is loaded, slashv1 renders
calls with its template: with different names, parameters, values and numbers of calls. A text that differs is a slot, a text that stays is a mark. The
derived notation must read back eight new calls. Then slashv1 uses it to read answers, to constrain them and to write past calls. A new
model works without a new release if its template shows its calls.

## Source of the notation

The first source that applies:

1. the setting \`toolCallFormat\`: a name of the table below, or your notation,
2. a row of slashv1, for a few models that write otherwise than their template shows,
3. the chat template,
4. a row for templates without calls, found by the template's text and the tokenizer,
5. the format of Hermes.

If there are a row and a template, both are read. \`GET /v1/models/{id}\` shows the notation of a loaded model as \`tool_calls\`,
\`slashv1 models info\` that of any model. Here is a notation in a setting; \`⟨name⟩\` is the slot of the function's name:

\`\`\`js
import { chat } from 'slashv1';

chat({
  source: 'my-org/my-model',
  toolCallFormat: {
    kind: 'name+json',
    begin: '<call>',
    before: '⟨name⟩: ',
    behind: '',
    between: '</call>\\n<call>',
    end: '</call>',
  },
});
\`\`\`

It reads \`<call>get_weather: {"city": "Paris"}</call>\`. The kinds are \`json\` for a JSON object with the name inside, \`name+json\`, and
\`items\` for parameters that are written one by one; the type \`CallNotation\` of \`slashv1/chat\` describes their members.

## Rules

**Constrained calls.** In every notation, a grammar of the tools' JSON Schemas constrains the calls: from the first token
with \`tool_choice: "required"\` or a named tool; with \`"auto"\` from the marker on, after free text.
Parameters come in the order of the schema. A schema that the grammar can't enforce is refused with \`strict: true\`; otherwise the call may have
any object; a function without \`parameters\` has none. Strings never contain the format's own end marker, such as a close tag.

**Templates without tools.** Support for tools is auto-detected by rendering the template with one. If it ignores
the tool, slashv1 describes the tools in a system message or the first user message, and past calls that the template would drop are
rendered in the model's notation. The setting \`toolPrompt\`
replaces the description by your own Jinja text, which gets \`tools\`; \`tools: false\` refuses tools.

**Broken calls.** Calls without a grammar are emitted when they are complete. A broken call is repaired if that is safe:
Python's words, quotes, sets and tuples, quotes inside strings, missing brackets, extra commas, missing marks, JSON in place of the
model's own notation. The repaired call must have the fields that the tool's schema requires. If not, the broken call is emitted as text.

**Thinking.** Its marks are derived in the same way: from turns with and without thoughts, and from prompts with thinking on and off;
else one of the formats below is found by the template's text. The setting \`reasoningFormat\` overrides this. A call inside unclosed
thinking ends the thinking.

**Ids.** Some templates, such as Kimi K2's, identify a call only by its id. The model's ids contain the function's name and are kept;
your ids are converted to this form in the prompt.

## Tests for each family

A small chat template for each family, written for the tests, renders a call as the family's own template does. **From**: source of the notation, the template or a row. **Found**: it is derived from the template, or the row is found. **Read**: the parser returns the
call. **Accepted**: the grammar of a required call permits the text. **Cut**: the result is the same for every cut of the text in two, and
character by character. **Parallel**: one answer may hold several calls.

${table(
  ['Family', 'Models known to use it', 'Like', 'From', 'Parallel', 'Found', 'Read', 'Accepted', 'Cut'],
  checks.map(({ family, models, example, origin, parallel, isFound, isRead, isAccepted, isCutSafe }) => [
    family,
    models.join(', '),
    `\`${example.name}\``,
    origin ?? '',
    parallel ? 'yes' : 'no',
    ...[isFound, isRead, isAccepted, isCutSafe].map((holds) => (holds ? 'passes' : 'fails')),
  ]),
)}

The rows, as names of the setting: ${toolCallFormats.map(({ name }) => `\`${name}\``).join(', ')}.

## Compared with vLLM and SGLang

The texts of their parsers' tests were read by slashv1, once whole and once for each place where a text can be cut in two; a cut changed no
answer. Expected are the calls that their own parsers give in tests that pass. Texts of formats that slashv1 lacks aren't counted,
nor are those that a test leaves unfinished.

${table(
  ['Tests of', 'Texts', 'Formats', 'Other calls'],
  [
    ['vLLM 0.33.0, parsers in Python', '984', '41', '82'],
    ['SGLang router 0.3.2, parsers in Rust', '262', '11', '32'],
  ],
)}

Where the calls differ, it is for these reasons:

${table(
  ['Texts, about', 'Reason'],
  [
    ['33', 'Without a schema, a value is what it looks like: `5` is a number. There it is a string.'],
    ['18', 'A whole call counts without its end marker, without its section or list, and without arguments.'],
    [
      '16',
      'A broken call is text. There it is a call with the arguments read so far, with none, or with an empty name.',
    ],
    ['15', 'A parser of any JSON was compared with the format of Llama 3, which takes calls alone.'],
    ['6', 'A call of a tool that the request lacks is a call, so that the client can tell the model.'],
    [
      '6',
      'One notation of a family is read where a test wants only the other, or another check of the schema.',
    ],
    ['4', 'Text of values stays as it is written: `&lt;`.'],
    [
      '16',
      'Others, such as `&amp;` in attributes of Kimi K3, text beside elements of MiniMax M3, a list with objects that are no calls.',
    ],
  ],
)}

## Reasoning formats

${table(
  ['Format', 'Models known to use it'],
  reasoningFormats.map(({ name }) => [`\`${name}\``, reasoningModels[name]!.join(', ')]),
)}

## What they look like

${[...examples].map(([name, text]) => section(name, text)).join('\n\n')}

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
