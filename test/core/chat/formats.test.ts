import { describe, expect, it } from 'vitest';
import { detectFormats, toolCallFormats } from '../../../src/core/chat/formats.ts';
import { reasoningFormats } from '../../../src/core/chat/reasoning-formats.ts';
import { createChatTemplate } from '../../../src/folder/chat-template.ts';
import { familyTemplates, jinjaOf } from '../../docs/family-templates.ts';
import { folderOf } from '../../folder/folders.ts';
import { call, parsePieces } from './tool-calls/items.ts';
import { knownFormats } from './tool-calls/known-formats.ts';

const detect = (template: string, tokens: readonly string[] = []) => {
  const { toolCalls, reasoning } = detectFormats({ template, hasToken: (token) => tokens.includes(token) });
  return [toolCalls?.name, reasoning.name];
};

const rendering = (chatTemplate: string, tokens: readonly string[] = []) => {
  const { source, probe } = createChatTemplate(folderOf({ chatTemplate }));
  return detectFormats({ template: source, render: probe, hasToken: (token) => tokens.includes(token) });
};

describe('detectFormats', () => {
  it.each<[string, string, string[], string | undefined, string]>([
    ['no tools', "{{ '<|user|>' + message.content }}", [], undefined, 'think'],
    ['ChatML with tool tags', 'tools <tool_call>{"name": …}</tool_call> <think>', [], 'hermes', 'think'],
    ['tools and the token only', '{% if tools %}', ['<tool_call>'], 'hermes', 'think'],
    ['the token only', '{{ messages }}', ['<tool_call>'], undefined, 'think'],
    ['JSON for the IPython role', '"parameters": dictionary of ipython', [], 'llama-3', 'think'],
    ['the IPython role and its token', 'ipython', ['<|python_tag|>'], 'llama-3', 'think'],
    ['the token of Python calls', 'tools', ['<|python_start|>'], 'pythonic', 'think'],
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
    ['a closed list', '<|tool|> tools <|/tool|>', [], 'functools', 'think'],
    ['a word before a list', "' functools['", [], 'functools', 'think'],
    ['code blocks', '<｜tool▁calls▁begin｜>', [], 'deepseek-v3', 'think'],
    ['a list of tools', '<|tool_list_start|>[', [], 'lfm2', 'think'],
    ['code', 'tool_code', [], 'gemma-code', 'think'],
    ['thinking in a half-open tag', '<|channel>thought', [], undefined, 'gemma-4'],
    ['channels', '<|channel|>analysis<|message|>', [], 'harmony', 'harmony'],
    ['answer tags', '<｜hy_Assistant｜><think><answer>', [], undefined, 'hunyuan'],
    ['thought tags', '<thought>', [], undefined, 'exaone-deep'],
    ['a mark before tags', ']<]minimax[>[<tool_call> <mm:think>', [], 'minimax-m3', 'think'],
    ['code in tags', '<function_calls>', [], 'olmo-3', 'think'],
    ['one array', 'make calls in a single JSON array', [], 'xlam', 'think'],
    ['a list without tags', '"List of tools: ["', [], 'lfm2', 'think'],
    ['an empty list', 'Or directly output an empty list.', [], 'xlam', 'think'],
    ['an inner voice', '<|inner_prefix|>', [], undefined, 'apertus'],
  ])('%s', (_, template, tokens, toolCalls, reasoning) => {
    expect(detect(template, tokens)).toEqual([toolCalls, reasoning]);
  });

  it('derives the calls of every template that shows some, whatever its marks', () => {
    for (const own of familyTemplates.filter(({ isRow }) => isRow !== true)) {
      const { toolCalls } = rendering(jinjaOf(own));
      const isRow = ['harmony', 'minimax-m3', 'command-r-plus', 'functools'].includes(own.notation);
      expect([own.family, toolCalls?.name]).toEqual([own.family, isRow ? own.notation : 'template']);
      expect(toolCalls!.notations[0]!.origin).toBe(isRow ? 'row' : 'template');
    }
  });

  it('reads what the template shows beside what its row says', () => {
    const jinja = (shown: string) =>
      `{{ tools | tojson }} in <tool_call></tool_call> tags{% for m in messages %}«{{ m.role }}»{{ m.content or '' }}{% for c in m.tool_calls or [] %}${shown}{% endfor %}«end»{% endfor %}«assistant»`;
    const { toolCalls } = rendering(
      jinja('<do>{{ c.function.name }}: {{ c.function.arguments | tojson }}</do>'),
    );
    expect(toolCalls!.notations.map(({ origin }) => origin)).toEqual(['template', 'row']);
    for (const text of [
      '<do>f: {"a": 1}</do>',
      '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
    ])
      expect(parsePieces(toolCalls!.createParser([]), [text])).toEqual([call('f', '{"a": 1}')]);
  });

  it('takes a row where a template loses what a call needs', () => {
    const lost =
      "tools <tool_call>{% for m in messages %}«{{ m.role }}»{{ m.content or '' }}{% for c in m.tool_calls or [] %}<do>{{ c.function.name }}</do>{% endfor %}«end»{% endfor %}«assistant»";
    expect(rendering(lost).toolCalls?.name).toBe('hermes');
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
  it('has unique names', () => {
    for (const formats of [toolCallFormats, reasoningFormats]) {
      const names = formats.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('has triggers that calls begin with', () => {
    for (const { parallel, constraint } of knownFormats) {
      for (const { begin, trigger = '', call: frame } of [constraint, ...(constraint.others ?? [])])
        expect((begin + frame('f').prefix).trimStart().startsWith(trigger)).toBe(true);
      expect(constraint.separator !== null).toBe(parallel);
    }
  });
});
