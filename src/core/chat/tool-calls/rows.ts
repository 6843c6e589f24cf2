import type { JsonType } from '../../grammar/schemas/json-types.ts';
import { createFormat, recognizes, type Evidence, type ModelTraits, type ToolCallFormat } from './format.ts';
import type { CallNotation, Edge, ItemsNotation, JsonNotation, ValueStyle } from './notation.ts';

/** A format for models that don't write calls as their template shows them. */
export interface FormatRow {
  readonly format: ToolCallFormat;
  /** Whether the row has priority over the template. Default false. */
  readonly overrides?: boolean | undefined;
  detect(model: ModelTraits): boolean;
}

type Frame = Partial<Pick<JsonNotation, 'begin' | 'between' | 'end'>>;

function json(frame: Frame, [name, args]: readonly [string, string] = ['name', 'arguments']): JsonNotation {
  return {
    origin: 'row',
    kind: 'json',
    begin: '',
    between: ', ',
    end: '',
    ...frame,
    before: `{"${name}": "⟨name⟩", "${args}": `,
    behind: '}',
    nameAt: [name],
    argumentsAt: [args],
  };
}

function named(edges: Required<Frame> & { readonly before: Edge }): JsonNotation {
  return { origin: 'row', kind: 'name+json', ...edges, behind: '' };
}

/** The same list with each member on a line, as Jinja's `tojson(indent=4)` writes it, which models learn from their templates. */
function lists(
  open: string,
  close: string,
  keys?: Parameters<typeof json>[1],
): readonly [JsonNotation, JsonNotation] {
  const compact = json(list(open, close), keys);
  const before = compact.before.replace('{', '{\n        ').replace(', ', ',\n        ');
  const edges = { begin: `${open}[\n    `, between: ',\n    ', end: `\n]${close}`, behind: '\n    }' };
  return [compact, { ...compact, ...edges, before }];
}

const types: readonly JsonType[] = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'];
const forAll = <Value>(value: Value) =>
  Object.fromEntries(types.map((type) => [type, value])) as Record<JsonType, Value>;

/** Calls as Python has them: `f(a="x", n=1)`. */
function python({ begin = '', between = ', ', end = '' }: Frame): ItemsNotation {
  return {
    origin: 'row',
    kind: 'items',
    begin,
    between: between && `)${between}`,
    end: `)${end}`,
    first: '(',
    none: '(',
    next: ', ',
    close: '',
    equals: forAll('='),
    values: forAll<ValueStyle>('python'),
  };
}

function row(
  name: string,
  evidence: Evidence | FormatRow['detect'],
  notations: readonly [CallNotation, ...CallNotation[]],
  { ownToken, overrides }: { ownToken?: string; overrides?: boolean } = {},
): FormatRow {
  const detect = typeof evidence === 'function' ? evidence : recognizes(evidence, ownToken);
  return { format: createFormat(name, notations), overrides, detect };
}

const list = (open: string, close = '') => ({ begin: `${open}[`, end: `]${close}` });
const tags = { begin: '<tool_call>\n', between: '\n</tool_call>\n<tool_call>\n', end: '\n</tool_call>' };

const hermesRow = row(
  'hermes',
  ({ template, hasToken }) =>
    template.includes('<tool_call>') || (hasToken('<tool_call>') && /\btools\b/.test(template)),
  [json(tags)],
);
/** The most common format, and the default if a template shows no calls. */
export const hermesFormat = hermesRow.format;

const [lfmStart, lfmEnd] = ['<|tool_call_start|>', '<|tool_call_end|>'];
const [pythonStart, pythonEnd] = ['<|python_start|>', '<|python_end|>'];

/** Headers of a message to a function (https://cookbook.openai.com/articles/openai-harmony): the recipient comes before or behind the channel. */
const otherHeaders = ['', '<|start|>assistant'].flatMap((start) => [
  [`${start}<|channel|>⟨key⟩ to=`, ' <|constrain|>⟨key⟩'],
  [`${start}<|channel|>⟨key⟩ to=`, ' ⟨key⟩'],
  [`${start}<|channel|>⟨key⟩ to=`, ''],
  [`${start} to=`, '<|channel|>⟨key⟩<|constrain|>⟨key⟩'],
  [`${start} to=`, '<|channel|>⟨key⟩'],
]);

function harmonyCall([begin = '', type = '']: readonly string[]): JsonNotation {
  return named({ begin, between: null, end: '<|call|>', before: `⟨name⟩${type}<|message|>` });
}

const harmonyCalls = [
  harmonyCall(['<|channel|>commentary to=functions.', ' <|constrain|>json']),
  ...otherHeaders.map(harmonyCall),
] as const;

/** Stands before every tag. */
const minimaxMark = ']<]minimax[>[';
const minimaxM3: ItemsNotation = {
  origin: 'row',
  kind: 'items',
  begin: `${minimaxMark}<tool_call>\n${minimaxMark}<invoke name="`,
  between: `${minimaxMark}</invoke>\n${minimaxMark}<invoke name="`,
  end: `${minimaxMark}</invoke>\n${minimaxMark}</tool_call>`,
  first: `">${minimaxMark}<`,
  none: '">',
  next: `${minimaxMark}<`,
  close: `${minimaxMark}</⟨key⟩>`,
  equals: forAll('>'),
  values: forAll<ValueStyle>('elements'),
  mark: minimaxMark,
};

/** The rows in the order in which they are tried. */
export const formatRows: readonly FormatRow[] = [
  row('harmony', ['<|channel|>', '<|message|>'], harmonyCalls, { overrides: true }),
  row('minimax-m3', minimaxMark, [minimaxM3], { overrides: true }),
  row(
    'command-r-plus',
    ['Action:', 'tool_name'],
    lists('Action: ```json\n', '\n```', ['tool_name', 'parameters']),
    { overrides: true },
  ),
  row(
    'functools',
    /\bfunctools\b|<\|\/tool_call\|>|<\|tool\|>/,
    [json(list(' functools')), json(list('<|tool_call|>', '<|/tool_call|>'))],
    { overrides: true },
  ),
  row(
    'llama-3',
    ({ template, hasToken }) =>
      template.includes('"parameters": dictionary') ||
      (hasToken('<|python_tag|>') && /\bipython\b/.test(template)),
    [
      json({ between: null }, ['name', 'parameters']),
      json({ begin: '<|python_tag|>', between: '; ' }, ['name', 'parameters']),
    ],
  ),
  row(
    'pythonic',
    /<\|python_start\|>|\[func_name1\(/,
    [python(list('')), json({ between: null }, ['name', 'parameters']), python(list(pythonStart, pythonEnd))],
    { ownToken: pythonStart },
  ),
  row('deepseek-v3', '<｜tool▁calls▁begin｜>', [
    named({
      begin: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>',
      between: '\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>',
      end: '\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      before: '⟨name⟩\n```json\n',
    }),
  ]),
  row('gemma-code', 'tool_code', [python({ begin: '```tool_code\n', between: '\n', end: '\n```' })]),
  row(
    'lfm2',
    /<\|tool_(list|call)_start\|>|"List of tools: \["/,
    [python(list(lfmStart, lfmEnd)), json(list(lfmStart, lfmEnd))],
    { ownToken: lfmStart },
  ),
  row('olmo-3', '<function_calls>', [
    python({ begin: '<function_calls>', between: '\n', end: '</function_calls>' }),
  ]),
  hermesRow,
  row(
    'granite-3',
    ['<|start_of_role|>', /<\|tool_call\|>|\bavailable_tools\b/],
    [...lists('<|tool_call|>', ''), json(list('<tool_call>'))],
  ),
  row('xlam', /single JSON array|directly output an empty list/, [
    json(list('')),
    json(list('```json\n', '\n```')),
    json(list('```\n', '\n```')),
    json(list('<tool_call>', '</tool_call>')),
    json(list('[TOOL_CALLS]')),
  ]),
];
