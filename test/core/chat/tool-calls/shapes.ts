import type { ToolDefinition } from '../../../../src/core/chat/messages.ts';
import type { WrittenCall } from './writers.ts';

/** An answer and the calls that another server's parser of the same format finds in it. */
export interface Shape {
  readonly format: string;
  readonly title: string;
  readonly text: string;
  readonly calls: readonly WrittenCall[];
  /** Set where ours differ on purpose. */
  readonly ours?: { readonly calls: readonly WrittenCall[]; readonly because: string };
}

const string = { type: 'string' };

export const shapeTools: readonly ToolDefinition[] = [
  {
    name: 'find_train',
    parameters: {
      type: 'object',
      properties: {
        from: string,
        seats: { type: 'integer' },
        price: { type: 'number' },
        isDirect: { type: 'boolean' },
        platform: { type: 'null' },
        stops: { type: 'array' },
        options: { type: 'object' },
        extras: { type: 'array' },
        filter: { type: 'object' },
        until: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        fee: { type: 'float' },
        note: {},
      },
    },
  },
  { name: 'set_alarm', parameters: { type: 'object', properties: { at: string, label: string } } },
  { name: 'list_alarms', parameters: { type: 'object', properties: {} } },
];

const train: WrittenCall = { name: 'find_train', values: { from: 'Brno' } };
const alarm: WrittenCall = { name: 'set_alarm', values: { at: '6:40' } };
const listing: WrittenCall = { name: 'list_alarms', values: {} };
const typed: WrittenCall = {
  name: 'find_train',
  values: {
    from: 'Ústí 42',
    seats: 3,
    price: 19.5,
    isDirect: true,
    platform: null,
    stops: ['Kolín', 'Pardubice'],
    options: { class: 'second' },
    extras: [],
    filter: {},
  },
};
const escaped: WrittenCall = {
  name: 'set_alarm',
  values: { at: 'C:\\clock\\7.txt', label: 'say "up"\nthen \'run\' 🚆 [now] {soon}' },
};

type Calls = readonly WrittenCall[];
type Writer = (calls: Calls) => string;

const json = ({ name, values }: WrittenCall, key = 'arguments'): string =>
  `{"name": "${name}", "${key}": ${JSON.stringify(values)}}`;
const indented = (calls: Calls): string =>
  JSON.stringify(
    calls.map(({ name, values }) => ({ name, arguments: values })),
    null,
    2,
  );
const list = (calls: Calls): string => `[${calls.map((call) => json(call)).join(', ')}]`;
const lines =
  (write: (call: WrittenCall, index: number) => string): Writer =>
  (calls) =>
    calls.map(write).join('\n');
const joined =
  (open: string, write: (call: WrittenCall, index: number) => string, close: string): Writer =>
  (calls) =>
    open + calls.map(write).join('') + close;
const args = ({ values }: WrittenCall): string => JSON.stringify(values);
const raw = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const members = (
  { values }: WrittenCall,
  write: (key: string, value: string, own: unknown) => string,
): string =>
  Object.entries(values)
    .map(([key, value]) => write(key, raw(value), value))
    .join('');
const python = (value: unknown): string =>
  JSON.stringify(value, (_, own: unknown) => own).replace(/\b(true|false|null)\b/g, (word) =>
    word === 'null' ? 'None' : word === 'true' ? 'True' : 'False',
  );
const expression = ({ name, values }: WrittenCall): string =>
  `${name}(${Object.entries(values)
    .map(([key, value]) => `${key}=${python(value)}`)
    .join(', ')})`;

/** Calls as models of each format write them, with the ways that differ. */
const writers: readonly (readonly [format: string, way: string, write: Writer])[] = [
  ['hermes', 'on lines', lines((call) => `<tool_call>\n${json(call)}\n</tool_call>`)],
  ['hermes', 'on one line', joined('', (call) => `<tool_call>${json(call)}</tool_call>`, '')],
  [
    'hermes',
    'arguments in a string',
    lines(
      ({ name, values }) =>
        `<tool_call>${JSON.stringify({ name, arguments: JSON.stringify(values) })}</tool_call>`,
    ),
  ],
  ['hermes', 'without close tags', joined('', (call) => `<tool_call>\n${json(call)}\n`, '')],
  ['granite-3', 'after the token', (calls) => `<|tool_call|> ${list(calls)}`],
  ['granite-3', 'after the tag', (calls) => `<tool_call> ${indented(calls)}`],
  [
    'granite-3',
    'arguments first',
    (calls) =>
      `<|tool_call|>[${calls.map(({ name, values }) => JSON.stringify({ arguments: values, name })).join(', ')}]`,
  ],
  ['granite-20b-fc', 'on lines', lines((call) => `<function_call> ${json(call)}`)],
  ['functools', 'after a word', (calls) => `functools${list(calls)}`],
  ['functools', 'indented', (calls) => `functools${indented(calls)}`],
  ['longcat', 'JSON', lines((call) => `<longcat_tool_call>${json(call)}</longcat_tool_call>`)],
  ['hunyuan', 'a list', (calls) => `<tool_calls>${list(calls)}</tool_calls>`],
  ['hunyuan', 'indented', (calls) => `<tool_calls>\n${indented(calls)}\n</tool_calls>`],
  [
    'hunyuan',
    'objects on lines',
    (calls) => `<tool_calls>\n${calls.map((call) => json(call)).join('\n')}\n</tool_calls>`,
  ],
  ['nemotron', 'a list', (calls) => `<TOOLCALL>${list(calls)}</TOOLCALL>`],
  ['llama-3', 'semicolons', (calls) => calls.map((call) => json(call, 'parameters')).join('; ')],
  ['llama-3', 'no space', (calls) => calls.map((call) => json(call, 'parameters')).join(';')],
  ['llama-3', 'lines', (calls) => calls.map((call) => json(call)).join('\n')],
  [
    'llama-3',
    'after the token',
    (calls) => `<|python_tag|>${calls.map((call) => json(call, 'parameters')).join(';')}`,
  ],
  ['llama-3', 'each after the token', joined('', (call) => `<|python_tag|>${json(call, 'parameters')}`, '')],
  ['mistral', 'a list', (calls) => `[TOOL_CALLS] ${list(calls)}`],
  ['mistral', 'indented', (calls) => `[TOOL_CALLS]${indented(calls)}`],
  ['mistral-named', 'names', joined('', (call) => `[TOOL_CALLS]${call.name}[ARGS]${args(call)}`, '')],
  [
    'mistral-named',
    'no marker of arguments',
    joined('', (call) => `[TOOL_CALLS]${call.name}${args(call)}`, ''),
  ],
  ['xlam', 'a list', list],
  ['xlam', 'a code block', (calls) => `\`\`\`json\n${list(calls)}\n\`\`\``],
  ['xlam', 'a plain code block', (calls) => `\`\`\`\n${indented(calls)}\n\`\`\``],
  ['xlam', 'a tag', (calls) => `<tool_call>${list(calls)}</tool_call>`],
  ['xlam', 'a marker', (calls) => `[TOOL_CALLS]${list(calls)}`],
  [
    'deepseek-v3',
    'code blocks',
    (calls) =>
      `<｜tool▁calls▁begin｜>${calls.map((call) => `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${args(call)}\n\`\`\`<｜tool▁call▁end｜>`).join('\n')}<｜tool▁calls▁end｜>`,
  ],
  [
    'deepseek-v3.1',
    'plain JSON',
    joined(
      '<｜tool▁calls▁begin｜>',
      (call) => `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${args(call)}<｜tool▁call▁end｜>`,
      '<｜tool▁calls▁end｜>',
    ),
  ],
  [
    'kimi-k2',
    'numbered ids',
    joined(
      '<|tool_calls_section_begin|>',
      (call, index) =>
        `<|tool_call_begin|>functions.${call.name}:${index}<|tool_call_argument_begin|>${args(call)}<|tool_call_end|>`,
      '<|tool_calls_section_end|>',
    ),
  ],
  [
    'kimi-k2',
    'spaces',
    joined(
      '<|tool_calls_section_begin|> ',
      (call, index) =>
        ` <|tool_call_begin|> functions.${call.name}:${index} <|tool_call_argument_begin|> ${args(call)} <|tool_call_end|> `,
      '<|tool_calls_section_end|>',
    ),
  ],
  ['functionary-v3.1', 'tags', joined('', (call) => `<function=${call.name}>${args(call)}</function>`, '')],
  [
    'gigachat-3',
    'a role',
    (calls) => calls.map((call) => `<|message_sep|>\n\nfunction call<|role_sep|>\n${json(call)}`).join(''),
  ],
  [
    'inkling',
    'messages',
    joined(
      '',
      (call) =>
        `<|message_model|>${call.name}<|content_invoke_tool_json|>${json(call, 'args')}<|end_message|>`,
      '<|content_model_end_sampling|>',
    ),
  ],
  [
    'qwen3-coder',
    'values on lines',
    lines(
      (call) =>
        `<tool_call>\n<function=${call.name}>\n${members(call, (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`)}</function>\n</tool_call>`,
    ),
  ],
  [
    'qwen3-coder',
    'values in line',
    lines(
      (call) =>
        `<tool_call><function=${call.name}>${members(call, (key, value) => `<parameter=${key}>${value}</parameter>`)}</function></tool_call>`,
    ),
  ],
  [
    'qwen3-coder',
    'no outer tag',
    lines(
      (call) =>
        `<function=${call.name}>\n${members(call, (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`)}</function>`,
    ),
  ],
  [
    'seed-oss',
    'tags of its own',
    lines(
      (call) =>
        `<seed:tool_call>\n<function=${call.name}>\n${members(call, (key, value) => `<parameter=${key}>${value}</parameter>\n`)}</function>\n</seed:tool_call>`,
    ),
  ],
  [
    'glm-4.5',
    'on lines',
    lines(
      (call) =>
        `<tool_call>${call.name}\n${members(call, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`)}</tool_call>`,
    ),
  ],
  [
    'glm-4.5',
    'in line',
    joined(
      '',
      (call) =>
        `<tool_call>${call.name}${members(call, (key, value) => `<arg_key>${key}</arg_key><arg_value>${value}</arg_value>`)}</tool_call>`,
      '',
    ),
  ],
  [
    'minimax-m2',
    'one section',
    joined(
      '<minimax:tool_call>\n',
      (call) =>
        `<invoke name="${call.name}">\n${members(call, (key, value) => `<parameter name="${key}">${value}</parameter>\n`)}</invoke>\n`,
      '</minimax:tool_call>',
    ),
  ],
  [
    'minimax-m2',
    'sections',
    lines(
      (call) =>
        `<minimax:tool_call><invoke name="${call.name}">${members(call, (key, value) => `<parameter name="${key}">${value}</parameter>`)}</invoke></minimax:tool_call>`,
    ),
  ],
  [
    'dots',
    'one section',
    joined(
      '<dots_function_call>',
      (call) =>
        `<invoke name="${call.name}">${members(call, (key, value) => `<parameter name="${key}">${value}</parameter>`)}</invoke>`,
      '</dots_function_call>',
    ),
  ],
  ['dots', 'JSON', joined('', (call) => `<dots_function_call>${json(call)}</dots_function_call>`, '')],
  [
    'deepseek-v3.2',
    'elements',
    joined(
      '<｜DSML｜function_calls>\n',
      (call) =>
        `<｜DSML｜invoke name="${call.name}">\n${members(call, (key, value, own) => `<｜DSML｜parameter name="${key}" string="${String(typeof own === 'string')}">${value}</｜DSML｜parameter>\n`)}</｜DSML｜invoke>\n`,
      '</｜DSML｜function_calls>',
    ),
  ],
  [
    'deepseek-v4',
    'JSON, with space around',
    joined(
      '\n  <｜DSML｜tool_calls>\n',
      (call) => `    <｜DSML｜invoke name="${call.name}">\n    ${args(call)}\n    </｜DSML｜invoke>\n`,
      '  </｜DSML｜tool_calls>',
    ),
  ],
  [
    'step-3',
    'elements',
    joined(
      '<｜tool_calls_begin｜>',
      (call) =>
        `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${call.name}">${members(call, (key, value) => `<steptml:parameter name="${key}">${value}</steptml:parameter>`)}</steptml:invoke><｜tool_call_end｜>`,
      '<｜tool_calls_end｜>',
    ),
  ],
  [
    'minicpm-5',
    'elements',
    joined(
      '',
      (call) =>
        `<function name="${call.name}">${members(call, (key, value) => `<param name="${key}">${value}</param>`)}</function>`,
      '',
    ),
  ],
  [
    'hy-3-preview',
    'in line',
    joined(
      '<tool_calls>',
      (call) =>
        `<tool_call>${call.name}<tool_sep>${members(call, (key, value) => `<arg_key>${key}</arg_key><arg_value>${value}</arg_value>`)}</tool_call>`,
      '</tool_calls>',
    ),
  ],
  [
    'hy-3-preview',
    'on lines',
    joined(
      '<tool_calls>\n',
      (call) =>
        `<tool_call>${call.name}<tool_sep>\n${members(call, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`)}</tool_call>\n`,
      '</tool_calls>',
    ),
  ],
  [
    'hy-3',
    'in line',
    joined(
      '<tool_calls:opensource>',
      (call) =>
        `<tool_call:opensource>${call.name}<tool_sep:opensource>${members(call, (key, value) => `<arg_key:opensource>${key}</arg_key:opensource><arg_value:opensource>${value}</arg_value:opensource>`)}</tool_call:opensource>`,
      '</tool_calls:opensource>',
    ),
  ],
  [
    'hy-4',
    'in line',
    joined(
      '<tool_calls:6124c78e>',
      (call) =>
        `<tool_call:6124c78e>${call.name}${members(call, (key, value) => `<arg_key:6124c78e>${key}</arg_key:6124c78e><arg_value:6124c78e>${value}</arg_value:6124c78e>`)}</tool_call:6124c78e>`,
      '</tool_calls:6124c78e>',
    ),
  ],
  [
    'k2-horizon',
    'elements',
    joined(
      '<ifm|tool_calls>',
      (call) =>
        `<ifm|tool_call>${call.name}${members(call, (key, value) => `<ifm|arg_key>${key}</ifm|arg_key><ifm|arg_value>${value}</ifm|arg_value>`)}</ifm|tool_call>\n`,
      '</ifm|tool_calls>',
    ),
  ],
  [
    'k2-horizon-types',
    'elements with types',
    joined(
      '<ifm|tool_calls>',
      (call) =>
        `<ifm|tool_call>${call.name}\n${members(call, (key, value, own) => `<ifm|arg_key>${key}</ifm|arg_key>\n<ifm|arg_type>${Array.isArray(own) ? 'array[string]' : typeof own}</ifm|arg_type>\n<ifm|arg_value>${value}</ifm|arg_value>\n`)}</ifm|tool_call>`,
      '</ifm|tool_calls>',
    ),
  ],
  [
    'k2-horizon',
    'JSON',
    joined(
      '<ifm|tool_calls>',
      (call) => `<ifm|tool_call>${json(call)}</ifm|tool_call>\n`,
      '</ifm|tool_calls>',
    ),
  ],
  [
    'muse-glimmer',
    'messages',
    (calls) =>
      calls
        .map(
          (call) =>
            `<|start|>assistant to=${call.name}<|message|>\n<atem:function_calls>\n<atem:invoke name="${call.name}.${call.name}">\n${members(call, (key, value) => `<atem:parameter name="${key}">${value}</atem:parameter>\n`)}</atem:invoke>\n</atem:function_calls>`,
        )
        .join('<|eom|>'),
  ],
  ['pythonic', 'a list', (calls) => `[${calls.map(expression).join(', ')}]`],
  [
    'pythonic',
    'between tokens',
    (calls) => `<|python_start|>[${calls.map(expression).join(', ')}]<|python_end|>`,
  ],
  ['lfm2', 'a list', (calls) => `<|tool_call_start|>[${calls.map(expression).join(', ')}]<|tool_call_end|>`],
  ['lfm2', 'lists', lines((call) => `<|tool_call_start|>[${expression(call)}]<|tool_call_end|>`)],
  ['lfm2', 'JSON', (calls) => `<|tool_call_start|>${list(calls)}<|tool_call_end|>`],
  ['olmo-3', 'on lines', (calls) => `<function_calls>${calls.map(expression).join('\n')}</function_calls>`],
];

const isSingle = new Set(['gigachat-3']);

/** The shapes that the common test suites of parsers have for every format. */
const common: readonly Shape[] = writers.flatMap(([format, way, write]) => {
  const shape = (title: string, calls: Calls, text = write(calls)): Shape => ({
    format,
    title: `${way}: ${title}`,
    text,
    calls,
  });
  return [
    shape('one call', [train]),
    ...(isSingle.has(format) ? [] : [shape('two calls', [train, alarm])]),
    shape('values of all types', [typed]),
    shape('no arguments', [listing]),
    shape('text around', [train], `Let me look.\n${write([train])}\nThat is all.`),
    shape('escapes', [escaped]),
    shape('a cut in the arguments', [], write([train]).split('Brno')[0]!),
  ];
});

const unknown: WrittenCall = { name: 'sell_ticket', values: { to: 'Ada' } };
const isReported = {
  calls: [unknown],
  because: 'a call of a function that nobody has defined is reported, so that the client can tell the model',
};

/** Shapes of single formats. */
const special: readonly Shape[] = [
  {
    format: 'llama-3',
    title: 'after text and a comma',
    text: `Sure, ${json(train, 'parameters')}`,
    calls: [train],
  },
  {
    format: 'llama-3',
    title: 'text on both sides',
    text: `Results: ${json(train, 'parameters')}; ${json(alarm, 'parameters')} More?`,
    calls: [train, alarm],
  },
  {
    format: 'llama-3',
    title: 'broken arguments',
    text: '{"name": "find_train", "parameters": {no json}',
    calls: [],
  },
  { format: 'llama-3', title: 'no name', text: '{"parameters": {"from": "Brno"}}', calls: [] },
  { format: 'llama-3', title: 'no arguments at all', text: '{"name": "list_alarms"}', calls: [] },
  {
    format: 'llama-3',
    title: 'braces in text after',
    text: `${json(train)} I took {find_train}.`,
    calls: [train],
  },
  {
    format: 'llama-3',
    title: 'JSON in text after',
    text: `${json(train)} It went out with {"from": "Brno"}`,
    calls: [train],
  },
  {
    format: 'llama-3',
    title: 'a broken call before a whole one',
    text: `{"name": "find_train", "parameters": {${json(train, 'parameters')}`,
    calls: [train],
    ours: { calls: [], because: 'an object inside of other JSON is no call' },
  },
  {
    format: 'pythonic',
    title: 'two lists in a sentence',
    text: `[${expression(train)}] and [${expression(alarm)}]`,
    calls: [train, alarm],
  },
  { format: 'pythonic', title: 'a bracket alone', text: 'Look at this: [', calls: [] },
  {
    format: 'pythonic',
    title: 'a broken call before a whole one',
    text: `[find_train(from=b'Brno'), ${expression(alarm)}]`,
    calls: [alarm],
    ours: { calls: [], because: 'what follows a broken call may be part of its arguments' },
  },
  {
    format: 'pythonic',
    title: 'a broken call after a whole one',
    text: `[${expression(alarm)}, find_train(from='Br 'no', note='z')]`,
    calls: [alarm],
    ours: {
      calls: [alarm, { name: 'find_train', values: { from: "Br 'no", note: 'z' } }],
      because: 'a string ends where the next argument begins',
    },
  },
  {
    format: 'pythonic',
    title: 'broken quotes everywhere',
    text: "[find_train(from='B 'r' 'no), set_alarm(at='6 '4' '0)]",
    calls: [],
  },
  { format: 'pythonic', title: 'wrong brackets', text: '[find_train(seats=1])]', calls: [] },
  {
    format: 'pythonic',
    title: 'escaped quotes',
    text: String.raw`[set_alarm(at='o\'clock', label='\"six\"')]`,
    calls: [{ name: 'set_alarm', values: { at: "o'clock", label: '"six"' } }],
  },
  {
    format: 'hermes',
    title: 'a bracket missing at the end',
    text: '<tool_call>\n{"name": "find_train", "arguments": {"from": "Brno"}',
    calls: [],
    ours: { calls: [train], because: 'a call that is whole needs no end marker' },
  },
  {
    format: 'hermes',
    title: 'arguments that are a word',
    text: '<tool_call>{"name": "set_alarm", "arguments": "six"}</tool_call>',
    calls: [{ name: 'set_alarm', values: 'six' as never }],
    ours: { calls: [], because: 'arguments are an object for every client' },
  },
  {
    format: 'gigachat-3',
    title: 'broken arguments',
    text: '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "set_alarm", "arguments": {no json}}',
    calls: [],
  },
  {
    format: 'gigachat-3',
    title: 'no name',
    text: '<|message_sep|>\n\nfunction call<|role_sep|>\n{"arguments": {"at": "6"}}',
    calls: [],
  },
  {
    format: 'gigachat-3',
    title: 'no arguments at all',
    text: '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "list_alarms"}',
    calls: [],
    ours: { calls: [listing], because: 'behind a marker, a name alone calls a function without parameters' },
  },
  {
    format: 'gigachat-3',
    title: 'arguments that are a word',
    text: '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "set_alarm", "arguments": "six"}',
    calls: [],
  },
  {
    format: 'kimi-k2',
    title: 'no marker before the id',
    text: 'f:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [],
  },
  {
    format: 'lfm2',
    title: 'nothing between the markers',
    text: '<|tool_call_start|><|tool_call_end|>',
    calls: [],
  },
  {
    format: 'lfm2',
    title: 'text between two blocks',
    text: `<|tool_call_start|>[${expression(train)}]<|tool_call_end|> or <|tool_call_start|>[${expression(alarm)}]<|tool_call_end|>`,
    calls: [train, alarm],
  },
  {
    format: 'lfm2',
    title: 'parameters in place of arguments',
    text: `<|tool_call_start|>[${json(train, 'parameters')}]<|tool_call_end|>`,
    calls: [train],
  },
  {
    format: 'lfm2',
    title: 'an unknown function',
    text: `<|tool_call_start|>[${expression(unknown)}]<|tool_call_end|>`,
    calls: [],
    ours: isReported,
  },
  {
    format: 'glm-4.5',
    title: 'escaped JSON',
    text:
      String.raw`<tool_call>find_train\n<arg_key>stops</arg_key>\n<arg_value>[{\"id\": \"1\", \"path\": \"C:\\\\a\"}]</arg_value>` +
      '\n</tool_call>',
    calls: [{ name: 'find_train', values: { stops: [{ id: '1', path: 'C:\\a' }] } }],
  },
  {
    format: 'glm-4.5',
    title: 'numbers of all kinds',
    text: '<tool_call>find_train<arg_key>price</arg_key><arg_value>1e10</arg_value><arg_key>seats</arg_key><arg_value>0</arg_value><arg_key>until</arg_key><arg_value>-4</arg_value><arg_key>from</arg_key><arg_value>67.89</arg_value></tool_call>',
    calls: [{ name: 'find_train', values: { price: 1e10, seats: 0, until: -4, from: '67.89' } }],
  },
  {
    format: 'glm-4.5',
    title: 'an empty value',
    text: '<tool_call>set_alarm<arg_key>at</arg_key><arg_value></arg_value><arg_key>label</arg_key><arg_value>x</arg_value></tool_call>',
    calls: [{ name: 'set_alarm', values: { at: '', label: 'x' } }],
  },
  {
    format: 'glm-4.5',
    title: 'a number in quotes',
    text: '<tool_call>find_train<arg_key>seats</arg_key><arg_value>"2"</arg_value></tool_call>',
    calls: [{ name: 'find_train', values: { seats: 2 } }],
  },
  {
    format: 'glm-4.5',
    title: 'text between two calls',
    text: `One.\n\n<tool_call>set_alarm\n<arg_key>at</arg_key>\n<arg_value>6:40</arg_value>\n</tool_call>\n\nTwo.\n\n<tool_call>list_alarms\n</tool_call>`,
    calls: [alarm, listing],
  },
  { format: 'glm-4.5', title: 'a tag and no name', text: '<tool_call>\n', calls: [] },
  {
    format: 'qwen3-coder',
    title: 'types of choices',
    text: '<tool_call>\n<function=find_train>\n<parameter=until>\n5\n</parameter>\n<parameter=fee>\n3.5\n</parameter>\n<parameter=options>\n{"class": 2,\n "wifi": true}\n</parameter>\n</function>\n</tool_call>',
    calls: [{ name: 'find_train', values: { until: 5, fee: 3.5, options: { class: 2, wifi: true } } }],
  },
  {
    format: 'qwen3-coder',
    title: 'lines inside of a value',
    text: '<tool_call>\n<function=set_alarm>\n<parameter=label>\nfirst\n\n  second\n</parameter>\n</function>\n</tool_call>',
    calls: [{ name: 'set_alarm', values: { label: 'first\n\n  second' } }],
  },
  {
    format: 'dots',
    title: 'a broken section before a whole one',
    text: '<dots_function_call>junk</dots_function_call><dots_function_call><invoke name="set_alarm"><parameter name="at">6:40</parameter></invoke></dots_function_call>',
    calls: [alarm],
  },
  { format: 'dots', title: 'the beginning of a marker at the end', text: 'So it is <dots_func', calls: [] },
  {
    format: 'k2-horizon',
    title: 'a number in a string',
    text: '<ifm|tool_calls><ifm|tool_call>{"name": "find_train", "arguments": {"seats": "2"}}</ifm|tool_call></ifm|tool_calls>',
    calls: [{ name: 'find_train', values: { seats: 2 } }],
    ours: {
      calls: [{ name: 'find_train', values: { seats: '2' } }],
      because: 'whole JSON stays as the model wrote it',
    },
  },
  {
    format: 'k2-horizon',
    title: 'no end of the section',
    text: '<ifm|tool_calls><ifm|tool_call>list_alarms</ifm|tool_call>',
    calls: [],
    ours: { calls: [listing], because: 'a call that is whole needs no end marker' },
  },
  {
    format: 'k2-horizon',
    title: 'no end of the call',
    text: '<ifm|tool_calls><ifm|tool_call>list_alarms',
    calls: [],
  },
  {
    format: 'k2-horizon',
    title: 'junk in the section',
    text: '<ifm|tool_calls>junk</ifm|tool_calls>',
    calls: [],
  },
  {
    format: 'mistral',
    title: 'brackets in a string',
    text: '[TOOL_CALLS] [{"name":"set_alarm", "arguments":{"at":"","label":"```\\nA: [Town] - [Hour]\\n```"}}]',
    calls: [{ name: 'set_alarm', values: { at: '', label: '```\nA: [Town] - [Hour]\n```' } }],
  },
  { format: 'mistral', title: 'no call', text: 'Nothing to do here.', calls: [] },
  {
    format: 'mistral',
    title: 'text on the line before',
    text: `So: [TOOL_CALLS] ${list([train])}`,
    calls: [train],
  },
  {
    format: 'pythonic',
    title: 'a number beyond all numbers before a whole call',
    text: `[find_train(price=1e999), ${expression(alarm)}]`,
    calls: [alarm],
    ours: { calls: [], because: 'what follows a broken call may be part of its arguments' },
  },
  {
    format: 'kimi-k2',
    title: 'an id without its number',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.set_alarm <|tool_call_argument_begin|>{"at": "6:40"}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [],
    ours: { calls: [alarm], because: 'an id needs no number to tell the name' },
  },
  {
    format: 'kimi-k2',
    title: 'an id without prefix',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>set_alarm:0 <|tool_call_argument_begin|>{"at": "6:40"}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [alarm],
  },
  {
    format: 'kimi-k2',
    title: 'a number in place of the id',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>0 <|tool_call_argument_begin|>{"at": "6:40"}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [alarm],
  },
  {
    format: 'kimi-k2',
    title: 'a number, and broken arguments',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>0 <|tool_call_argument_begin|>{"at": "6<|tool_call_end|><|tool_calls_section_end|>',
    calls: [],
  },
  {
    format: 'kimi-k2',
    title: 'tags and lines in the arguments',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.set_alarm:0 <|tool_call_argument_begin|>{\n  "at": "<b>6</b>",\n  "label": "x"\n}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [{ name: 'set_alarm', values: { at: '<b>6</b>', label: 'x' } }],
  },
  {
    format: 'qwen3-coder',
    title: 'a close tag missing',
    text: 'Look:\n<tool_call>\n<function=set_alarm>\n<parameter=at>\n6:40\n<parameter=label>\nup\n</parameter>\n</function>\n</tool_call>',
    calls: [{ name: 'set_alarm', values: { at: '6:40', label: 'up' } }],
  },
  {
    format: 'qwen3-coder',
    title: 'an open tag missing',
    text: 'Look:\n\n<function=set_alarm>\n<parameter=at>\n6:40\n</parameter>\n</function>\n</tool_call>',
    calls: [alarm],
  },
  {
    format: 'minimax-m2',
    title: 'a number without a schema',
    text: '<minimax:tool_call><invoke name="find_train"><parameter name="note">5</parameter></invoke></minimax:tool_call>',
    calls: [{ name: 'find_train', values: { note: '5' } }],
    ours: {
      calls: [{ name: 'find_train', values: { note: 5 } }],
      because: 'a value that no schema types is what it looks like',
    },
  },
  {
    format: 'minimax-m2',
    title: 'a section cut off',
    text: '<minimax:tool_call><invoke name="set_alarm"><parameter name="at">6:40</parameter>',
    calls: [alarm],
  },
  {
    format: 'hunyuan',
    title: 'objects on lines of a list',
    text: ` Right.<tool_calls>[\n    ${json(train)},\n    ${json(alarm)}\n]</tool_calls>`,
    calls: [train, alarm],
  },
];

export const shapes: readonly Shape[] = [...common, ...special];
