import { describe, expect, it } from 'vitest';
import { detectFormats, toolCallFormats } from '../../../src/core/chat/formats.ts';
import { reasoningFormats } from '../../../src/core/chat/reasoning-formats.ts';

const detect = (template: string, tokens: readonly string[] = []) => {
  const { toolCalls, reasoning } = detectFormats({ template, hasToken: (token) => tokens.includes(token) });
  return [toolCalls?.name, reasoning.name];
};

describe('detectFormats', () => {
  it.each<[string, string, string[], string | undefined, string]>([
    ['no tools', "{{ '<|user|>' + message.content }}", [], undefined, 'think'],
    ['ChatML with tool tags', 'tools <tool_call>{"name": …}</tool_call> <think>', [], 'hermes', 'think'],
    ['tools and the token only', '{% if tools %}', ['<tool_call>'], 'hermes', 'think'],
    ['the token only', '{{ messages }}', ['<tool_call>'], undefined, 'think'],
    ['tags for parameters', '<tool_call> <function=f> <parameter=k>', [], 'qwen3-coder', 'think'],
    ['seed tags', '<seed:tool_call> <function=f> <parameter=k> <seed:think>', [], 'qwen3-coder', 'seed-oss'],
    ['a tag for the function', '<function=f>{"k": …}</function>', [], 'functionary-v3.1', 'think'],
    ['recipients', ">>>all\\n' + message.content", [], 'functionary-v3.2', 'think'],
    ['tags for keys and values', '<tool_call>{name} <arg_key>k</arg_key>', [], 'glm-4.5', 'think'],
    ['invocations', '<minimax:tool_call> <invoke name="f"> <response>', [], 'minimax-m2', 'think'],
    ['JSON for the IPython role', '"parameters": dictionary of ipython', [], 'llama-3', 'think'],
    ['the IPython role and its token', 'ipython', ['<|python_tag|>'], 'llama-3', 'think'],
    ['the token of Python calls', '"parameters": dictionary', ['<|python_start|>'], 'pythonic', 'think'],
    ['a list after a marker', '[TOOL_CALLS][{', [], 'mistral', 'think'],
    ['names after a marker', '[TOOL_CALLS] [ARGS]', ['[THINK]'], 'mistral-named', 'magistral'],
    ['names in the tokenizer only', '[TOOL_CALLS]', ['[ARGS]'], 'mistral-named', 'think'],
    ['roles and a list', '<|start_of_role|> <|tool_call|>', [], 'granite-3', 'think'],
    ['roles and tags', '<|start_of_role|> <tool_call>', [], 'hermes', 'think'],
    [
      'words for thinking',
      '<|start_of_role|> <|tool_call|> Here is my thought process:',
      [],
      'granite-3',
      'granite-3.2',
    ],
    [
      'a tag for the response',
      '<|start_of_role|> <|tool_call|> <think> <response>',
      [],
      'granite-3',
      'granite-3.3',
    ],
    ['a closed list', '<|tool|> tools <|/tool|>', [], 'phi-4', 'think'],
    ['a word before a list', "' functools['", [], 'functools', 'think'],
    ['code blocks', '<｜tool▁calls▁begin｜> ```json', [], 'deepseek-v3', 'think'],
    ['no code blocks', '<｜tool▁calls▁begin｜> <think>', [], 'deepseek-v3.1', 'think'],
    ['sections', '<|tool_calls_section_begin|>', [], 'kimi-k2', 'think'],
    ['actions', '<|START_ACTION|> <|START_THINKING|>', [], 'command-r', 'command-r'],
    ['upper-case tags', '<TOOLCALL>[ <think>', [], 'nemotron', 'think'],
    ['a list of tools', '<|tool_list_start|>[', [], 'lfm2', 'think'],
    ['code', 'tool_code', [], 'gemma-code', 'think'],
    ['function tags', '<start_function_declaration>', [], 'function-gemma', 'think'],
    ['half-open tags', '<|tool_call>call: <|channel>thought', [], 'gemma-4', 'gemma-4'],
    ['channels', '<|channel|>analysis<|message|>', [], 'harmony', 'harmony'],
    ['answer tags', '<｜hy_Assistant｜><think><answer>', [], undefined, 'hunyuan'],
    ['thought tags', '<thought>', [], undefined, 'exaone-deep'],
    ['a namespace', '<｜DSML｜function_calls>', [], 'deepseek-v3.2', 'think'],
    ['elements with types', "'<|open|>' + tag + '<|sep|>'", [], 'kimi-k3', 'kimi-k3'],
    ['a list in tags', 'tools <tool_calls>[{…}]</tool_calls>', [], 'hunyuan', 'think'],
    ['a plugin', '<|action_start|><|plugin|>', [], 'internlm', 'think'],
    ['a role for calls', "{{ 'function call' + '<|role_sep|>' }}", [], 'gigachat-3', 'think'],
    ['tags of a name', '<longcat_tool_call> <longcat_think>', [], 'longcat', 'longcat'],
    ['a mark before tags', ']<]minimax[>[<tool_call> <mm:think>', [], 'minimax-m3', 'minimax-m3'],
    ['code between markers', '<|thought_start|> <|tool_call_start|>', [], 'minicpm-3', 'minicpm-3'],
    ['parameters in elements', '<function name="f"><param name="k">', [], 'minicpm-5', 'think'],
    ['code in tags', '<function_calls>', [], 'olmo-3', 'think'],
    [
      'invocations between markers',
      '<｜tool_calls_begin｜> <steptml:invoke name="f">',
      [],
      'step-3',
      'think',
    ],
    ['a marker before objects', '<function_call>', [], 'granite-20b-fc', 'think'],
    ['one array', 'make calls in a single JSON array', [], 'xlam', 'think'],
    ['a list without tags', '"List of tools: ["', [], 'lfm2', 'think'],
    ['prefix and suffix', '<|tools_prefix|> <|inner_prefix|>', [], 'apertus', 'apertus'],
    [
      'a text after the thinking',
      '<|START_THINKING|> <|START_ACTION|> <|START_TEXT|>',
      [],
      'command-r',
      'command-a-plus',
    ],
    ['sections of invocations', '<dots_function_call>', [], 'dots', 'think'],
    [
      'messages to functions',
      '<|start|>assistant to= <atem:function_calls>',
      [],
      'muse-glimmer',
      'muse-glimmer',
    ],
    ['messages of kinds', '<|content_thinking|> <|content_invoke_tool_json|>', [], 'inkling', 'inkling'],
    ['tags with a bar', '<ifm|tool_calls> <ifm|think>', [], 'k2-horizon', 'k2-horizon'],
    ['a separator', '<tool_calls> <tool_call> <tool_sep> <arg_key> <think>', [], 'hy-3-preview', 'think'],
    ['tags with a suffix', '<tool_sep:opensource> <think:opensource>', [], 'hy-3', 'hy-3'],
    [
      'a suffix in the tokenizer only',
      'tools',
      ['<tool_calls:6124c78e>', '<think:6124c78e>'],
      'hy-4',
      'hy-4',
    ],
    ['an empty list', 'Or directly output an empty list.', [], 'xlam', 'think'],
    ['an inner voice', '<|inner_prefix|>', [], undefined, 'apertus'],
  ])('%s', (_, template, tokens, toolCalls, reasoning) => {
    expect(detect(template, tokens)).toEqual([toolCalls, reasoning]);
  });

  it('recognizes every format in its own example', () => {
    const alike = new Map([
      // Llama 3 is told by its prompt, which its answers don't show.
      ['llama-3', undefined],
      ['pythonic', undefined],
      ['xlam', undefined],
      ['granite-3', undefined],
      ['functionary-v3.2', undefined],
    ]);
    for (const { name, example } of toolCallFormats) {
      expect([name, detect(example)[0]]).toEqual([name, alike.has(name) ? alike.get(name) : name]);
    }
  });

  it('believes what the template makes of a call more than what it says', () => {
    const template = 'Return calls within <tool_call></tool_call> tags: <tool_calls>[…]</tool_calls>';
    const call = { name: 'f', arguments: '{"a": "x"}' };
    const sample = (text: string) =>
      detectFormats({ template, hasToken: () => false, callSample: { ...call, text } }).toolCalls?.name;
    expect(sample('<tool_calls>[{"name": "f", "arguments": {"a": "x"}}]</tool_calls><|end|>')).toBe(
      'hunyuan',
    );
    expect(sample('<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>')).toBe('hermes');
    expect(sample('<function_calls>f(a="x")</function_calls>')).toBe('olmo-3');
    expect(sample('{"name": "f", "arguments": {"a": "x"}}')).toBe('hermes');
  });

  it('takes the formats that a setting names', () => {
    const query = { template: '<tool_call>', hasToken: () => false };
    const formats = detectFormats({ ...query, toolCallFormat: 'gemma-code', reasoningFormat: 'magistral' });
    expect([formats.toolCalls?.name, formats.reasoning.name]).toEqual(['gemma-code', 'magistral']);
    expect(() => detectFormats({ ...query, toolCallFormat: 'xml' })).toThrow(
      /^toolCallFormat: expected one of "harmony", .*, got "xml"$/,
    );
    expect(() => detectFormats({ ...query, reasoningFormat: 'no' })).toThrow(RangeError);
  });
});

describe('the registry', () => {
  it('knows more than fifteen families of models', () => {
    const families = toolCallFormats.flatMap((format) => format.families.map(({ name }) => name));
    expect(new Set(families).size).toBe(families.length);
    expect(families.length).toBeGreaterThan(15);
    for (const { families: all } of toolCallFormats) {
      for (const { models } of all) expect(models).not.toHaveLength(0);
    }
  });

  it('has unique names', () => {
    for (const formats of [toolCallFormats, reasoningFormats]) {
      const names = formats.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('has markers that stand in what the format writes, and triggers that calls begin with', () => {
    for (const { parallel, constraint } of toolCallFormats) {
      for (const { begin, trigger = '', call } of [constraint, ...(constraint.others ?? [])])
        expect((begin + call('f').prefix).startsWith(trigger)).toBe(true);
      expect(constraint.separator !== null).toBe(parallel);
    }
  });
});
