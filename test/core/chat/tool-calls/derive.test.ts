import { describe, expect, it } from 'vitest';
import { deriveThinking } from '../../../../src/core/chat/derive-thinking.ts';
import { detectFormats } from '../../../../src/core/chat/formats.ts';
import { deriveNotation } from '../../../../src/core/chat/tool-calls/derive.ts';
import { TurnRenderer } from '../../../../src/core/chat/tool-calls/template-turn.ts';
import { createFormat } from '../../../../src/core/chat/tool-calls/format.ts';
import { createChatTemplate } from '../../../../src/folder/chat-template.ts';
import { familyTemplates, jinjaOf } from '../../../docs/family-templates.ts';
import { folderOf } from '../../../folder/folders.ts';
import { call, parsePieces } from './items.ts';
import { knownFormat } from './known-formats.ts';

const open = (chatTemplate: string) => createChatTemplate(folderOf({ chatTemplate }));
/** A template that writes each call like this. */
const jinja = (written: string, answer = '{{ m.content }}') =>
  `{% for m in messages %}«{{ m.role }}»{% if m.role == 'assistant' and m.content %}${answer}{% else %}{{ m.content or '' }}{% endif %}{% for c in m.tool_calls or [] %}${written}{% endfor %}«end»{% endfor %}{% if add_generation_prompt %}«assistant»{% endif %}`;
const derive = (written: string) => deriveNotation(new TurnRenderer(open(jinja(written)).probe));

describe('deriveNotation', () => {
  it.each([
    ['qwen3-coder', { begin: '<tool_call>\n<function=', first: '>\n<parameter=', close: '\n</parameter>' }],
    [
      'deepseek-v3.1',
      { between: '<｜tool▁call▁end｜><｜tool▁call▁begin｜>', before: '⟨name⟩<｜tool▁sep｜>' },
    ],
    ['kimi-k2', { before: '⟨id⟩<|tool_call_argument_begin|>', id: 'functions.⟨name⟩:⟨number⟩' }],
    ['kimi-k3', { first: '" index="⟨number⟩"<|sep|><|open|>argument key="', firstNumber: 1 }],
    ['command-r', { nameAt: ['tool_name'], argumentsAt: ['parameters'], firstNumber: 0 }],
    ['gemma-4', { begin: '<|tool_call>call:', first: '{', next: ',', mark: '<|"|>' }],
    ['muse-glimmer', { begin: ' to=⟨name⟩<|message|><atem:function_calls>\n<atem:invoke name="' }],
    ['functionary-v3.2', { begin: '', between: '>>>', before: '⟨name⟩\n', text: 'all\n' }],
    ['apertus', { nameAt: [], before: '{"⟨name⟩": ' }],
    ['seed-oss', { values: expect.objectContaining({ string: 'raw', boolean: 'python', object: 'python' }) }],
  ])('%s is what its template shows', (name, edges) => {
    expect(knownFormat(name).notations[0]).toMatchObject({ origin: 'template', ...edges });
  });

  it('reads calls whose marks nobody has listed', () => {
    const reverse = (word: string) => [...word].toReversed().join('');
    const own = familyTemplates.filter(
      ({ isRow, notation }) => !isRow && !/harmony|minimax-m3/.test(notation),
    );
    for (const family of own) {
      const renamed = Object.entries(family).map(([key, value]) => [
        key,
        typeof value === 'string' && key !== 'family' && key !== 'notation'
          ? value.replaceAll(/(?<=<[^\s<>{}"'=]*)[a-z_]{3,}(?=[^\s<>{}"']*[>= ])/gi, reverse)
          : value,
      ]);
      const template = jinjaOf(Object.fromEntries(renamed) as typeof family);
      const { notation, reason } = deriveNotation(new TurnRenderer(open(template).probe));
      expect([family.family, reason]).toEqual([family.family, undefined]);
      const format = createFormat('renamed', [notation!]);
      const items = parsePieces(format.createParser([]), format.example.split(''));
      expect(items).toMatchObject([{ name: 'get_weather', end: 'whole' }]);
    }
  });

  it.each([
    ['no call', '', 'the template shows no call'],
    ['no arguments', '<do>{{ c.function.name }}</do>', 'the template shows no call'],
    ['no names', '<do>{{ c.function.arguments | tojson }}</do>', 'the template shows no call'],
    [
      'values alone',
      '<do>{{ c.function.name }}{% for k, v in c.function.arguments|items %}{{ v }}{% endfor %}</do>',
      'the template shows a value without a key and a name before it',
    ],
    [
      'values without an end',
      '{{ c.function.name }}{% for k, v in c.function.arguments|items %} {{ k }}:{{ v }}{% endfor %}',
      'nothing ends a text value',
    ],
    [
      'the signs of slots',
      '⟨name⟩{{ c.function.name }}{{ c.function.arguments | tojson }}',
      'the template writes the signs of slots',
    ],
    [
      'a long turn',
      "{{ '{' * 20000 }}{{ c.function | tojson }}{{ '}' * 20000 }}",
      'the template writes too much around a call',
    ],
  ])('gives a reason for %s', (_, written, reason) => {
    expect(derive(written)).toEqual({ reason });
  });

  it('takes no notation that loses a part of a call', () => {
    const { reason } = derive('<do>{{ c.function.name }}:{{ (c.function.arguments | tojson)[:40] }}</do>');
    expect(reason).toMatch(/^a call is not read back: <do>gamma_x/);
  });

  it('derives names and arguments inside of other objects, and arguments in a string', () => {
    const wrapped = '<do>{"type": "function", "function": {{ c.function | tojson }}}</do>';
    expect(derive(wrapped).notation).toMatchObject({
      nameAt: ['function', 'name'],
      argumentsAt: ['function', 'arguments'],
    });
    const text =
      '<do>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson | tojson }}}</do>';
    expect(derive(text).notation).toMatchObject({ kind: 'json', nameAt: ['name'] });
  });

  it('derives the start of a call without arguments from a template that refuses one', () => {
    const written =
      "{% if not c.function.arguments %}{{ raise_exception('none') }}{% endif %}<do={{ c.function.name }}>{% for k, v in c.function.arguments|items %}<p={{ k }}>{{ v }}</p>{% endfor %}</do>";
    const { notation } = derive(written);
    expect(notation).toMatchObject({ first: '><p=', none: '>', next: '<p=' });
    const { write, createParser } = createFormat('own', [notation!]);
    const text = write([{ name: 'f', arguments: '{}' }]);
    expect(parsePieces(createParser([]), [text])).toEqual([call('f')]);
  });

  it('stops with a template that takes too many steps', () => {
    const slow =
      '{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}{{ c.function | tojson }}';
    expect(derive(slow)).toEqual({ reason: 'the template shows no call' });
  });
});

describe('deriveThinking', () => {
  const thinking = (before: string, behind: string, opened = '') =>
    `{% for m in messages %}«{{ m.role }}»{% if m.reasoning_content %}${before}{{ m.reasoning_content }}${behind}{% endif %}{{ m.content or '' }}«end»{% endfor %}{% if add_generation_prompt %}«assistant»${opened}{% endif %}`;

  it.each([
    ['marks in turns', thinking('<muse>', '</muse>'), { open: '<muse>', close: '</muse>' }],
    [
      'a prompt that opens it',
      thinking('<muse>\n', '\n</muse>\n\n', '<muse>\n'),
      { open: '<muse>', close: '</muse>' },
    ],
    [
      'words in the prompt alone',
      thinking('', '\n[BEGIN ANSWER]\n', 'Here are my steps:\n'),
      { open: 'Here are my steps:', close: '[BEGIN ANSWER]' },
    ],
    [
      'a frame',
      thinking('<|think:start|>', '<|think:end|><|say|>'),
      { open: '<|think:start|>', close: '<|think:end|>', frame: { open: '<|say|>' } },
    ],
    ['no thoughts', thinking('', ''), undefined],
  ])('%s', (_, template, marks) => {
    const { probe, thinkingSwitch } = open(template);
    const derived = deriveThinking(new TurnRenderer(probe), thinkingSwitch);
    if (marks === undefined) expect(derived).toBeUndefined();
    else expect(derived).toMatchObject(marks);
  });

  it('takes the marks from prompts with thinking on and off, where turns lose thoughts', () => {
    const template = `{% for m in messages %}«{{ m.role }}»{{ m.content or '' }}«end»{% endfor %}{% if add_generation_prompt %}«assistant»{% if enable_thinking is defined and not enable_thinking %}<hm>\n\n</hm>\n{% endif %}{% endif %}`;
    const { probe, thinkingSwitch } = open(template);
    expect(deriveThinking(new TurnRenderer(probe), thinkingSwitch)).toEqual({ open: '<hm>', close: '</hm>' });
  });

  it('reads what was derived: the thinking is no part of the answer', () => {
    const source = thinking('', '\n[BEGIN ANSWER]\n', 'Here are my steps:\n');
    const { probe, thinkingSwitch } = open(source);
    const { reasoning } = detectFormats({
      template: source,
      render: probe,
      thinkingSwitch,
      hasToken: () => false,
    });
    const splitter = reasoning.createSplitter('«assistant»Here are my steps:\n');
    const parts = [...splitter.push('2 + 2\n[BEGIN ANSWER]\nFour.'), ...splitter.flush()];
    expect([reasoning.name, parts]).toEqual([
      'template',
      [
        { type: 'reasoning', text: '2 + 2' },
        { type: 'text', text: 'Four.' },
      ],
    ]);
  });
});
