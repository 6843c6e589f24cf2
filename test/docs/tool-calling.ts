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

Each model has its own format for tool calls, which its chat template shows. When a model is loaded, slashv1 renders
calls with its template, with different names, parameters, values and numbers of calls: text that differs is a slot, text that stays is a marker. The
derived notation must parse eight new calls. slashv1 then uses it to parse and constrain answers and to render past calls. So a new
model works without a new release.

## Source of the notation

The first source that applies:

1. the setting \`toolCallFormat\`: a name of the table below, or your notation,
2. a row of slashv1, for a few models that deviate from their template,
3. the chat template,
4. a row for templates without calls, found by the template's text and the tokenizer,
5. the format of Hermes.

If both a row and a template apply, both are parsed. \`GET /v1/models/{id}\` shows the notation of a loaded model as \`tool_calls\`,
\`slashv1 models info\` for any model. A notation as a setting (\`⟨name⟩\` is the slot for the function's name):

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

It parses \`<call>get_weather: {"city": "Paris"}</call>\`. The kinds are \`json\` for a JSON object with the name inside, \`name+json\`, and
\`items\` for parameters that are written one by one; the type \`CallNotation\` of \`slashv1/chat\` describes their members.

## Rules

**Constrained calls.** In every notation, a grammar of the tools' JSON Schemas constrains the calls: from the first token
with \`tool_choice: "required"\` or a named tool; with \`"auto"\` from the marker on, after free text.
Parameters follow the order of the schema. A schema that the grammar can't enforce is refused with \`strict: true\`; otherwise any
object is allowed; a function without \`parameters\` gets an empty one. Strings never contain the format's own end marker, such as a close tag.

**Templates without tools.** Support for tools is auto-detected by rendering the template with one. If it ignores
the tool, slashv1 describes the tools in a system message or the first user message, and past calls that the template would drop are
rendered in the model's notation. To replace the description, set \`toolPrompt\` to Jinja that reads \`tools\`; \`tools: false\` refuses tools.

**Broken calls.** Calls without a grammar are emitted when they are complete. A broken call is repaired if that is safe:
Python's words, quotes, sets and tuples, quotes inside strings, missing brackets, extra commas, missing markers, JSON instead of the
model's own notation. The repaired call must have the fields that the tool's schema requires. If not, the broken call is emitted as text.

**Reasoning.** Its markers are derived in the same way: from turns with and without reasoning, and from prompts with reasoning on and off;
else the template's text selects one of the formats below. The setting \`reasoningFormat\` overrides this. A call inside unclosed
reasoning ends the reasoning.

**Ids.** Some templates, such as Kimi K2's, identify a call only by its id. The model's ids contain the function's name and are kept;
your ids are converted to this form in the prompt.

## Tests for each family

A small chat template per family, written for the tests, renders a call like the family's own template. **From**: source of the notation, the template or a row. **Found**: it is derived from the template, or the row is found. **Read**: the parser returns the
call. **Accepted**: the grammar of a required call permits the text. **Cut**: the result is the same for every split of the text in two, and
character by character. **Parallel**: one answer may have several calls.

${table(
  ['Family', 'Models', 'Like', 'From', 'Parallel', 'Found', 'Read', 'Accepted', 'Cut'],
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

slashv1 parsed the texts of their parsers' tests, whole and split at every position; a split never changed the
result. The expected calls are from their passing tests. Texts in unsupported formats and unfinished texts aren't counted.

${table(
  ['Tests of', 'Texts', 'Formats', 'Different calls'],
  [
    ['vLLM 0.33.0, parsers in Python', '984', '41', '82'],
    ['SGLang router 0.3.2, parsers in Rust', '262', '11', '32'],
  ],
)}

Reasons for the differences:

${table(
  ['Texts, about', 'Reason'],
  [
    ['33', 'Without a schema, slashv1 infers the type: `5` is a number. There it is a string.'],
    ['18', 'A whole call counts without its end marker, without its section or list, and without arguments.'],
    ['16', 'A broken call is text. There it is a call with partial or empty arguments, or an empty name.'],
    ['15', 'A parser of any JSON was compared with the format of Llama 3, which takes only calls.'],
    ['6', 'A call of an unknown tool is a call, so that the client can report it to the model.'],
    ['6', 'A test accepts only one notation of a family, or checks the schema differently.'],
    ['4', 'Text of values is kept unchanged: `&lt;`.'],
    [
      '16',
      'Rare cases, such as `&amp;` in attributes of Kimi K3, text between elements of MiniMax M3, a list with objects that are not calls.',
    ],
  ],
)}

## Reasoning formats

${table(
  ['Format', 'Models'],
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
