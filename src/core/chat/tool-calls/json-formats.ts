import { framedCalls } from './call-frame.ts';
import { defineFormat } from './define-format.ts';
import type { CallFrame, ToolCallConstraint } from './format.ts';
import { writeCalls } from './write-calls.ts';
import { indentedListConstraint, jsonCallFrame, jsonListConstraint, readJsonCalls } from './json-calls.ts';

// Formats whose calls are JSON objects with the name inside, between markers.

const parametersCall = (name: string): CallFrame => jsonCallFrame(name, { arguments: 'parameters' });
const cohereKeys = { name: 'tool_name', arguments: 'parameters' };
const list = { begin: '[', separator: ', ', end: ']' };

/** The most common format: JSON objects between `<tool_call>` tags, any number of them, with text before, between and after. */
export const hermesFormat = defineFormat({
  name: 'hermes',
  families: {
    Hermes: ['Hermes 2 Pro', 'Hermes 3', 'Hermes 4'],
    Qwen: ['Qwen2.5', 'QwQ', 'Qwen3'],
    'Granite 4': ['Granite 4.0 Micro', 'Granite 4.0 Tiny', 'Granite 4.0 Small'],
    SmolLM3: ['SmolLM3 3B'],
    'ERNIE 4.5': ['ERNIE 4.5 21B-A3B Thinking'],
    MiMo: ['MiMo 7B', 'MiMo VL'],
    Trinity: ['Trinity Nano', 'Trinity Mini'],
  },
  calls: { open: ['<tool_call>'], end: ['</tool_call>'] },
  detect: ({ template, hasToken }) =>
    template.includes('<tool_call>') || (hasToken('<tool_call>') && /\btools\b/.test(template)),
  frame: { open: '<tool_call>\n', close: '\n</tool_call>' },
  notation: { isLoose: true },
});

/** A list of JSON objects between `<TOOLCALL>` tags. */
export const nemotronFormat = defineFormat({
  name: 'nemotron',
  families: {
    Nemotron: ['Nemotron Nano 9B v2', 'Llama-3.1-Nemotron-Nano', 'Llama-3.3-Nemotron-Super'],
  },
  calls: { open: ['<TOOLCALL>'], end: ['</TOOLCALL>'] },
});

/** A list of JSON objects between `<tool_calls>` tags. */
export const hunyuanFormat = defineFormat({
  name: 'hunyuan',
  families: {
    Hunyuan: ['Hunyuan A13B'],
    Apriel: ['Apriel 1.5 15B Thinker', 'Apriel 1.6 15B Thinker'],
    Jamba: ['Jamba 1.5', 'Jamba 1.6', 'Jamba 1.7'],
    'MiniMax M1': ['MiniMax M1'],
  },
  calls: { open: ['<tool_calls>'], end: ['</tool_calls>'] },
  constraint: {
    ...jsonListConstraint('<tool_calls>', '</tool_calls>'),
    others: [
      indentedListConstraint('<tool_calls>', '</tool_calls>'),
      framedCalls({ begin: '<tool_calls>\n', end: '\n</tool_calls>' }, jsonCallFrame),
    ],
  },
});

/** A marker before each JSON object. */
export const granite20bFormat = defineFormat({
  name: 'granite-20b-fc',
  families: { 'Granite 20B': ['Granite 20B Function Calling'] },
  calls: { open: ['<function_call>'] },
  frame: { open: '<function_call> ', trigger: '<function_call>' },
});

/** A list of JSON objects after `<|tool_call|>`. */
export const granite3Format = defineFormat({
  name: 'granite-3',
  families: { 'Granite 3': ['Granite 3.0', 'Granite 3.1', 'Granite 3.2', 'Granite 3.3'] },
  calls: { open: ['<|tool_call|>', '<tool_call>'] },
  detect: ['<|start_of_role|>', /<\|tool_call\|>|\bavailable_tools\b/],
  constraint: {
    ...jsonListConstraint('<|tool_call|>'),
    others: [indentedListConstraint('<|tool_call|>')],
  },
});

/** A JSON object between the markers of an action of the plugin. */
export const internlmFormat = defineFormat({
  name: 'internlm',
  families: { InternLM: ['InternLM 2', 'InternLM 2.5', 'InternLM 3'] },
  calls: { begin: ['<|action_start|>'], open: ['<|plugin|>'], end: ['<|action_end|>'] },
  detect: '<|plugin|>',
  frame: {
    trigger: '<|action_start|>',
    begin: '<|action_start|><|plugin|>\n',
    separator: null,
    end: '<|action_end|>',
  },
  call: parametersCall,
});

/** A list of JSON objects with keys of their own between `<|START_ACTION|>` and `<|END_ACTION|>`. */
export const commandRFormat = defineFormat({
  name: 'command-r',
  example:
    '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}\n]<|END_ACTION|>',
  families: { Command: ['Command R7B', 'Command A', 'Command A+'] },
  calls: {
    open: ['<|START_ACTION|>'],
    end: ['<|END_ACTION|>'],
    readCalls: (input) => readJsonCalls(input, { nameKeys: ['tool_name', 'name'] }),
  },
  constraint: {
    ...commandRCalls(',\n    '),
    // Each further call would need the next number.
    others: [commandRCalls(null, '"tool_call_id": "0", ')],
  },
});

function commandRCalls(separator: string | null, id = ''): ToolCallConstraint {
  return framedCalls(
    {
      trigger: '<|START_ACTION|>',
      begin: '<|START_ACTION|>[\n    ',
      separator,
      end: '\n]<|END_ACTION|>',
    },
    (name) => {
      const { prefix, suffix } = jsonCallFrame(name, cohereKeys);
      return { prefix: `{${id}${prefix.slice(1)}`, suffix };
    },
  );
}

/** A list of JSON objects in a code block after the word of an action. */
export const commandRPlusFormat = defineFormat({
  name: 'command-r-plus',
  families: { 'Command R': ['Command R', 'Command R+'] },
  markers: [],
  openers: ['Action: ```json'],
  calls: {
    open: ['Action: ```json', 'Action:```json'],
    end: ['```'],
    readCalls: (input) => readJsonCalls(input, { nameKeys: ['tool_name', 'name'] }),
  },
  detect: ['Action:', 'tool_name'],
  constraint: {
    ...jsonListConstraint('Action: ```json\n', '\n```', cohereKeys),
    trigger: 'Action: ```json',
    isLoose: true,
    others: [indentedListConstraint('Action: ```json\n', '\n```', cohereKeys)],
  },
});

const gigachatRole = 'function call<|role_sep|>';
const gigachatCalls = [`<|message_sep|>\n\n${gigachatRole}\n`, '<|function_call|>'].map((begin) =>
  framedCalls({ begin, separator: null }, jsonCallFrame),
);

/** A JSON object after a role or a marker of its own. */
export const gigachat3Format = defineFormat({
  name: 'gigachat-3',
  example: `${gigachatRole}\n{"name": "get_weather", "arguments": {"city": "Paris"}}`,
  families: { 'GigaChat 3': ['GigaChat 3', 'GigaChat 3.1'] },
  markers: ['<|role_sep|>', '<|message_sep|>', '<|function_call|>'],
  openers: [gigachatRole, '<|function_call|>'],
  calls: {
    begin: ['<|message_sep|>'],
    open: [gigachatRole, '<|function_call|>'],
    end: ['<|message_sep|>'],
  },
  detect: /<\|function_call\|>|function call[^]*<\|role_sep\|>/,
  frame: { begin: `${gigachatRole}\n`, separator: null },
  notation: { others: gigachatCalls },
  write: (calls) => calls.map((call) => writeCalls({ constraint: gigachatCalls[0]! }, [call])).join(''),
});

/** A bare list of JSON objects, or one in a code block. */
export const xlamFormat = defineFormat({
  name: 'xlam',
  families: { xLAM: ['xLAM 1', 'xLAM 2'], Hammer: ['Hammer 2.0', 'Hammer 2.1'] },
  markers: [],
  openers: [],
  calls: {
    open: ['```json', '<tool_call>', '[TOOL_CALLS]'],
    bare: ['[', '```\n['],
    end: ['```', '</tool_call>'],
    *readCalls(input) {
      yield* input.takeAny(['```']);
      yield* readJsonCalls(input, { strict: true });
    },
  },
  detect: /single JSON array|directly output an empty list/,
  frame: { ...list, trigger: '[{"name": "' },
  notation: { others: [framedCalls({ begin: '```\n[', separator: ', ', end: ']\n```' }, jsonCallFrame)] },
});

const functoolsMarker = 'functools[';
const phi4Calls: Parameters<typeof defineFormat>[0]['calls'] = {
  open: ['<|tool_call|>', functoolsMarker],
  end: ['<|/tool_call|>'],
  *readCalls(input, marker) {
    if (marker === functoolsMarker) input.putBack(1);
    yield* readJsonCalls(input);
  },
};

/** A list of JSON objects between `<|tool_call|>` and `<|/tool_call|>`, or after `functools`: Phi-4-mini writes both. */
export const phi4Format = defineFormat({
  name: 'phi-4',
  families: { 'Phi-4': ['Phi-4-mini-instruct', 'Phi-4-multimodal-instruct'] },
  markers: ['<|tool_call|>', '<|/tool_call|>'],
  openers: ['<|tool_call|>'],
  calls: phi4Calls,
  detect: /<\|\/tool_call\|>|<\|tool\|>/,
});

/** `functools` before a list of JSON objects. */
export const functoolsFormat = defineFormat({
  name: 'functools',
  example: ' functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
  families: { FireFunction: ['FireFunction v2'] },
  markers: [],
  openers: [functoolsMarker],
  calls: phi4Calls,
  detect: /\bfunctools\b/,
  frame: { ...list, begin: functoolsMarker },
  notation: { others: [framedCalls({ ...list, begin: ` ${functoolsMarker}` }, jsonCallFrame)] },
});

/** The end of text before an object that is part of other JSON. */
const insideJson = /(?:["\]}]\s*,|"\s*:|[[{]|[[{][^\]}]*,)\s*$/;

/**
 * A bare JSON object, or objects with semicolons between them after `<|python_tag|>`. As nothing but its keys tells a bare
 * call from other JSON, it has to begin the answer or a line, with no keys but those of a call; or it calls a tool of the
 * request and is no part of other JSON.
 */
export const llama3Format = defineFormat({
  name: 'llama-3',
  families: { 'Llama 3': ['Llama 3.1', 'Llama 3.2', 'Llama 3.3'] },
  markers: ['<|python_tag|>'],
  openers: ['<|python_tag|>'],
  calls: {
    open: ['<|python_tag|>', '{'],
    bare: ['{'],
    *readCalls(input, marker) {
      const isInline = marker === '{';
      if (isInline && insideJson.test(input.lastText)) return input.giveUp();
      if (isInline) input.putBack(marker.length);
      const names = isInline && input.tools.length > 0 ? input.tools.map(({ name }) => name) : undefined;
      yield* readJsonCalls(input, { strict: true, names });
    },
  },
  detect: ({ template, hasToken }) =>
    template.includes('"parameters": dictionary') ||
    (hasToken('<|python_tag|>') && /\bipython\b/.test(template)),
  frame: { trigger: '{"name": "', separator: null },
  call: parametersCall,
});
