import { defineFormat, type FormatRow } from './define-format.ts';
import type { ToolCallConstraint, ToolCallFormat } from './format.ts';
import { jsonCallFrame, readJsonCalls } from './json-calls.ts';
import { framedCalls, type CallsFrame } from './call-frame.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';
import { writeTaggedArguments, type ArgumentsWriter } from './write-calls.ts';

// Formats whose calls have a tag for each parameter.

interface TaggedRow extends FormatRow {
  readonly syntax: TaggedCallSyntax;
  /** The first is how calls are written; models know the others too. */
  readonly frames: readonly [CallsFrame, ...CallsFrame[]];
  readonly others?: readonly ToolCallConstraint[];
  /** Whether a call may also be a JSON object. */
  readonly mayBeJson?: boolean;
}

function taggedFormat({ syntax, frames, others = [], mayBeJson, ...row }: TaggedRow): ToolCallFormat {
  const tagged = taggedConstraint(syntax, ...frames);
  const writeArguments: ArgumentsWriter = (text, index) => writeTaggedArguments(text, syntax, index);
  return defineFormat({
    constraint: { ...tagged, others: [...(tagged.others ?? []), ...others] },
    ...(row.constraint === undefined && { writeArguments }),
    ...row,
    calls: {
      *readCalls(input, marker) {
        if (marker.endsWith('>')) yield* input.takeSpace();
        if (mayBeJson && (yield* input.peekAny(['{'])) !== null) yield* readJsonCalls(input);
        else yield* readTaggedCall(input, syntax);
      },
      ...row.calls,
    },
  });
}

/** Tags for keys and values, whose names have the prefix `before` and the suffix `after`. */
function keyValueTags(before: string, after: string): readonly [string, string, string, string] {
  const tag = (slash: string, word: string): string => `<${slash}${before}${word}${after}>`;
  return [tag('', 'arg_key'), tag('/', 'arg_key'), tag('', 'arg_value'), tag('/', 'arg_value')];
}

/** The name, then a tag for each parameter's name and one for its value. */
function keyValueSyntax(
  [key, keyEnd, value, valueEnd]: ReturnType<typeof keyValueTags>,
  rest: Pick<TaggedCallSyntax, 'callClose'> & Partial<TaggedCallSyntax>,
): TaggedCallSyntax {
  return {
    nameEnd: [],
    parameterOpen: key,
    parameterNameEnd: [keyEnd, value],
    parameterClose: valueEnd,
    ...rest,
  };
}

/** Elements with the name as an attribute. */
function elements(call: string, parameter: string, rest: Partial<TaggedCallSyntax> = {}): TaggedCallSyntax {
  return {
    nameEnd: ['">'],
    parameterOpen: `<${parameter} name="`,
    parameterNameEnd: ['">'],
    parameterClose: `</${parameter}>`,
    callClose: `</${call}>`,
    ...rest,
  };
}

const plainTags = keyValueTags('', '');

/** The name, then a tag for each parameter's name and one for its value. */
export const glmFormat = taggedFormat({
  name: 'glm-4.5',
  families: { GLM: ['GLM-4.5', 'GLM-4.5-Air', 'GLM-4.6', 'GLM-4.7'] },
  markers: ['<tool_call>', '</tool_call>', ...plainTags],
  openers: ['<tool_call>'],
  calls: { open: ['<tool_call>'] },
  syntax: keyValueSyntax(plainTags, { callClose: '</tool_call>' }),
  frames: [{ open: '<tool_call>' }],
  detect: '<arg_key>',
});

const longcatTags = keyValueTags('longcat_', '');
const [longcatOpen, longcatClose] = ['<longcat_tool_call>', '</longcat_tool_call>'];

/** A JSON object between tags; newer models write tags for keys and values there. */
export const longcatFormat = taggedFormat({
  name: 'longcat',
  families: { LongCat: ['LongCat Flash Chat', 'LongCat Flash Thinking'] },
  markers: [longcatOpen, longcatClose, ...longcatTags],
  calls: { open: [longcatOpen], end: [longcatClose] },
  syntax: keyValueSyntax(longcatTags, { callClose: longcatClose }),
  frames: [{ open: longcatOpen }],
  mayBeJson: true,
  constraint: framedCalls(
    { open: `${longcatOpen}\n`, close: `\n${longcatClose}`, separator: '' },
    jsonCallFrame,
  ),
});

const horizonTags = keyValueTags('ifm|', '');
const horizonTypes = ['<ifm|arg_type>', '</ifm|arg_type>'] as const;
const [horizonBegin, horizonEnd] = ['<ifm|tool_calls>', '</ifm|tool_calls>'];
const [horizonOpen, horizonClose] = ['<ifm|tool_call>', '</ifm|tool_call>'];
const horizonSection = { begin: `${horizonBegin}\n`, end: `\n${horizonEnd}` };

/** The name, then a tag for each parameter's name, perhaps one for its type, and one for its value; or a JSON object. */
export const k2HorizonFormat = taggedFormat({
  name: 'k2-horizon',
  families: { 'K2 Horizon': ['K2-Horizon'] },
  markers: [horizonBegin, horizonEnd, horizonOpen, horizonClose, ...horizonTypes, ...horizonTags],
  calls: { begin: [horizonBegin], open: [horizonOpen], close: [horizonClose], end: [horizonEnd] },
  syntax: keyValueSyntax(horizonTags, { callClose: horizonClose, typeTags: horizonTypes }),
  frames: [{ ...horizonSection, open: horizonOpen }, { open: horizonOpen }],
  mayBeJson: true,
  others: [
    framedCalls({ ...horizonSection, open: `${horizonOpen}\n`, close: `\n${horizonClose}` }, jsonCallFrame, {
      isLoose: true,
    }),
  ],
  detect: horizonBegin,
  ownToken: horizonBegin,
});

/** Hy models: keys and values inside a section of all calls; releases differ by the suffix of their tags. */
export const hyFormats: readonly ToolCallFormat[] = (
  [
    ['hy-3', 'Hy3', 'Hy3', ':opensource', true],
    ['hy-3-preview', 'Hy3 preview', 'Hy3-preview', '', true],
    ['hy-4', 'Hy4 preview', 'Hy4-preview', ':6124c78e', false],
  ] as const
).map(([name, family, model, suffix, hasSeparator]) => {
  const tag = (word: string): string => `<${word}${suffix}>`;
  const [begin, end] = [tag('tool_calls'), tag('/tool_calls')];
  const [open, callClose] = [tag('tool_call'), tag('/tool_call')];
  const nameEnd = hasSeparator ? [tag('tool_sep')] : [];
  const tags = keyValueTags('', suffix);
  const evidence = nameEnd[0] ?? begin;
  return taggedFormat({
    name,
    families: { [family]: [model] },
    markers: [begin, end, open, callClose, ...nameEnd, ...tags],
    openers: [begin],
    calls: { begin: [begin], open: [open], end: [end] },
    syntax: keyValueSyntax(tags, { nameEnd, callClose }),
    frames: [{ begin: `${begin}\n`, open, end: `\n${end}` }],
    detect: evidence,
    ownToken: evidence,
  });
});

const coderTags = ['', 'seed:'].map((prefix) => [`<${prefix}tool_call>`, `</${prefix}tool_call>`] as const);
const coderFrames = coderTags.map(([begin, end]): CallsFrame => ({
  open: `${begin}\n<function=`,
  close: `\n${end}`,
}));

/** A tag for the function and one for each parameter, with values as plain text. */
export const qwen3CoderFormat = taggedFormat({
  name: 'qwen3-coder',
  families: {
    'Qwen3-Coder': ['Qwen3-Coder', 'Qwen3-Coder-Next', 'Qwen3.5'],
    'Nemotron 3': ['Nemotron 3 Nano'],
    'Seed-OSS': ['Seed-OSS 36B'],
    'Step 3.5': ['Step 3.5 Flash'],
    'MiMo V2': ['MiMo V2 Flash'],
  },
  markers: coderTags.flat(),
  calls: {
    begin: coderTags.map(([begin]) => begin),
    open: ['<function='],
    end: coderTags.map(([, end]) => end),
  },
  syntax: {
    nameEnd: ['>'],
    parameterOpen: '<parameter=',
    parameterNameEnd: ['>'],
    parameterClose: '</parameter>',
    callClose: '</function>',
    hasPaddedValues: true,
  },
  frames: [coderFrames[0]!, coderFrames[1]!, { open: '<function=' }],
  detect: ['<function=', '<parameter='],
});

const functionTags = ['<function name="', '<functionname="', '<functionĠname="'];

/** XML elements for calls and parameters, with values as plain text or CDATA. */
export const minicpm5Format = taggedFormat({
  name: 'minicpm-5',
  example: '<function name="get_weather"><param name="city">Paris</param></function>',
  families: { 'MiniCPM 5': ['MiniCPM 5'] },
  markers: [],
  // Models leave the space out, or write its sign in the vocabulary.
  calls: { open: functionTags },
  syntax: elements('function', 'param', { otherParameterOpens: ['<paramname="', '<paramĠname="'] }),
  frames: [{ open: functionTags[0]! }],
  detect: /<function name="|<param name=[^]*<\/function>|<\/function>[^]*<param name=/,
});

const invokeTag = '<invoke name="';

/** Elements for calls and parameters inside a section, which may also hold one call as a JSON object. */
function invokeFormat(name: string, families: FormatRow['families'], section: string): ToolCallFormat {
  const [begin, end] = [`<${section}>`, `</${section}>`];
  const syntax = elements('invoke', 'parameter');
  return taggedFormat({
    name,
    families,
    markers: [begin, end],
    openers: [begin],
    calls: {
      open: [begin, invokeTag],
      end: [end],
      *readCalls(input, marker) {
        if (marker === begin) {
          yield* input.takeSpace();
          if ((yield* input.peekAny(['{'])) !== null) return yield* readJsonCalls(input);
          if ((yield* input.takeAny([invokeTag])) === null) return input.giveUp();
        }
        yield* readTaggedCall(input, syntax);
      },
    },
    syntax,
    frames: [{ begin: `${begin}\n`, open: invokeTag, end: `\n${end}` }, { open: invokeTag }],
  });
}

export const minimaxM2Format = invokeFormat(
  'minimax-m2',
  { MiniMax: ['MiniMax M2', 'MiniMax M2.1'] },
  'minimax:tool_call',
);

export const dotsFormat = invokeFormat('dots', { dots: ['dots.llm'] }, 'dots_function_call');

const types = ['string', 'number', 'boolean', 'null', 'object', 'array'];
const [k3Begin, k3End, k3Open] = ['<|open|>tools<|sep|>', '<|close|>tools<|sep|>', '<|open|>call tool="'];

/** Elements for calls and arguments, with the types of the values. */
export const kimiK3Format = taggedFormat({
  name: 'kimi-k3',
  example: `${k3Begin}${k3Open}get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|>${k3End}`,
  families: { 'Kimi K3': ['Kimi K3'] },
  markers: ['<|open|>', '<|close|>', '<|sep|>'],
  calls: { begin: [k3Begin], open: [k3Open], end: [k3End, '<|close|>message<|sep|>'] },
  syntax: {
    nameEnd: ['<|sep|>'],
    nameAttribute: 'index',
    parameterOpen: '<|open|>argument key="',
    parameterNameEnd: ['"<|sep|>'],
    parameterClose: '<|close|>argument<|sep|>',
    callClose: '<|close|>call<|sep|>',
    attributes: new Map<string, unknown>(types.map((type) => [`" type="${type}`, { type }])),
  },
  frames: [
    { begin: k3Begin, open: k3Open, separator: '', end: k3End },
    { open: k3Open, separator: '' },
  ],
  detect: ['<|open|>', '<|sep|>'],
});

const dsml = '｜DSML｜';
const dsmlSections = ['function_calls', 'tool_calls'];
const dsmlOpen = `<${dsml}invoke name="`;
const dsmlFrames = dsmlSections.map((section): CallsFrame => ({
  begin: `<${dsml}${section}>\n`,
  open: dsmlOpen,
  end: `\n</${dsml}${section}>`,
}));
const dsmlBegins = dsmlSections.map((section) => `<${dsml}${section}>`);
const dsmlEnds = dsmlSections.map((section) => `</${dsml}${section}>`);

/** Elements of a namespace of their own, whose parameters say whether they are strings. */
export const deepseekV32Format = taggedFormat({
  name: 'deepseek-v3.2',
  families: { 'DeepSeek V3.2': ['DeepSeek V3.2', 'DeepSeek V3.2 Speciale', 'DeepSeek V4'] },
  markers: [dsml, ...dsmlBegins, ...dsmlEnds],
  calls: { begin: dsmlBegins, open: [dsmlOpen], end: dsmlEnds },
  syntax: elements(`${dsml}invoke`, `${dsml}parameter`, {
    selfClose: ['"/>', '" />'],
    attributes: new Map<string, unknown>([
      ['" string="true', { type: 'string' }],
      ['" string="false', {}],
    ]),
  }),
  frames: [dsmlFrames[0]!, dsmlFrames[1]!, { open: dsmlOpen }],
  detect: dsml,
});

const [stepBegin, stepEnd] = ['<｜tool_calls_begin｜>', '<｜tool_calls_end｜>'];
const [stepOpen, stepClose, stepSeparator] = [
  '<｜tool_call_begin｜>',
  '<｜tool_call_end｜>',
  '<｜tool_sep｜>',
];
const stepTag = '<steptml:invoke name="';
const stepSyntax = elements('steptml:invoke', 'steptml:parameter');
const stepFrame = { open: `${stepOpen}function${stepSeparator}${stepTag}`, close: stepClose, separator: '' };

/** XML elements of a namespace of their own between markers. */
export const step3Format = taggedFormat({
  name: 'step-3',
  example: `${stepBegin}${stepFrame.open}get_weather"><steptml:parameter name="city">Paris</steptml:parameter></steptml:invoke>${stepClose}${stepEnd}`,
  families: { 'Step 3': ['Step 3'] },
  markers: [stepBegin, stepEnd, stepOpen, stepClose, stepSeparator],
  calls: {
    begin: [stepBegin],
    open: [stepOpen],
    close: [stepClose],
    end: [stepEnd],
    *readCalls(input) {
      yield* input.takeSpace();
      yield* input.takeAny(['function']);
      yield* input.takeAny([stepSeparator]);
      yield* input.takeSpace();
      if ((yield* input.takeAny([stepTag])) === null) input.giveUp();
      else yield* readTaggedCall(input, stepSyntax);
    },
  },
  syntax: stepSyntax,
  frames: [
    { ...stepFrame, begin: stepBegin, end: stepEnd },
    { ...stepFrame, trigger: stepOpen },
  ],
  detect: /steptml:invoke|<｜tool_calls_begin｜>/,
});
