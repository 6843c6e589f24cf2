import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileTemplate } from '../../../src/core/jinja/template.ts';

interface Golden {
  readonly variables: Readonly<Record<string, unknown>>;
  /** By source; `null` where Jinja2 raises an error. */
  readonly cases: Readonly<Record<string, string | null>>;
}

const golden = JSON.parse(
  readFileSync(new URL('golden/expressions.json', import.meta.url), 'utf8'),
) as Golden;
const render = (source: string, variables: Record<string, unknown> = {}) =>
  compileTemplate(source, () => new Date(0)).render(variables);

describe('compileTemplate', () => {
  it.each(Object.entries(golden.cases))('renders %j as Jinja2 does', (source, text) => {
    if (text === null) expect(() => render(source, golden.variables)).toThrow();
    else expect(render(source, golden.variables)).toBe(text);
  });

  it.each<[string, string]>([
    ['nested loops', '{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}'],
    ['a search in a loop', '{% set l = range(99999)|list %}{% for a in l %}{{ -1 in l }}{% endfor %}'],
    ['sorting in a loop', '{% set l = range(99999)|list %}{% for a in l %}{% set x = l|sort %}{% endfor %}'],
    ['a macro that calls itself', '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}'],
    ['a loop in itself', '{% set l = [1] %}{% for a in l recursive %}{{ loop(l) }}{% endfor %}'],
    ['a long text', "{{ 'x' * 1000000000 }}"],
    [
      'texts that double',
      "{% set n = namespace(t='x') %}{% for a in range(99) %}{% set n.t = n.t + n.t %}{% endfor %}",
    ],
    [
      'texts that are joined',
      "{% set n = namespace(t='x') %}{% for a in range(99) %}{% set n.t = n.t ~ n.t %}{% endfor %}",
    ],
    [
      'lists that double',
      '{% set n = namespace(l=[1]) %}{% for a in range(99) %}{% set n.l = n.l + n.l %}{% endfor %}',
    ],
    ['a long list', '{{ [1] * 1000000000 }}'],
    ['a large power', '{{ 10 ** 9999999 }}'],
    [
      'a large product',
      '{% set n = namespace(i=9) %}{% for a in range(99) %}{% set n.i = n.i * n.i %}{% endfor %}',
    ],
    ['a long range', '{{ range(1000000000)|length }}'],
    ['a long output', "{% set t = 'x' * 9999 %}{% for a in range(99999) %}{{ t }}{% endfor %}"],
    [
      'many replacements',
      "{% set t = 'x' * 9999 %}{% for a in range(99) %}{% set t = t|replace('', t) %}{% endfor %}{{ t|replace('', t)|replace('', t) }}",
    ],
    ['brackets', `{{ ${'['.repeat(100_000)} }}`],
  ])('ends %s with an error', (_, source) => {
    expect(() => render(source)).toThrow(/./);
  });

  it.each([
    ["{{ '%02d' | format(1) }}", "the filter 'format' is not supported"],
    ['{{ messages | groupby("role") }}', "the filter 'groupby' is not supported"],
    ['{{ 1 is sameas 1 }}', "the test 'sameas' is not supported"],
    ['{{ name.zfill(3) }}', "'name.zfill' is undefined"],
    ["{{ name.format('x') }}", "'name.format' is undefined"],
    ["{{ '%s' % 1 }}", 'unsupported operand types for %: str and int'],
  ])('names what it does not support in %j', (source, message) => {
    expect(() => render(source, { name: 'x', messages: [] })).toThrow(message);
  });

  it('has steps enough for long conversations', () => {
    const messages = Array.from({ length: 20_000 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: 'x'.repeat(100),
    }));
    const source =
      "{% for m in messages %}{% if loop.first or messages[loop.index0 - 1].role != m.role %}{{ '<|' + m.role + '|>' }}{% endif %}{{ m.content | trim }}{% endfor %}";
    expect(render(source, { messages })).toHaveLength(20_000 * 100 + 10_000 * (8 + 13));
  });

  it('says which variables a template looks at', () => {
    const template = compileTemplate('{% if enable_thinking %}{{ m.think }}{% endif %}', () => new Date(0));
    expect(['enable_thinking', 'm', 'think'].map((name) => template.reads(name))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
