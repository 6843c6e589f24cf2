import { describe, expect, it } from 'vitest';
import { parseDuration, parseInteger, parseOptions } from '../../src/cli/options.ts';

const table = {
  port: ['<number>', '', 'p'],
  model: ['<name>…', ''],
  quiet: ['', '', 'q'],
} as const;

describe('parseOptions', () => {
  it.each([
    ['', {}, []],
    ['--port 1', { port: '1' }, []],
    ['--port=-1', { port: '-1' }, []],
    ['-p 1 -q', { port: '1', quiet: true }, []],
    ['-qp 1', { port: '1', quiet: true }, []],
    ['a --quiet b', { quiet: true }, ['a', 'b']],
    ['--model a --model=b', { model: ['a', 'b'] }, []],
    ['-- --port', {}, ['--port']],
    ['-', {}, ['-']],
  ])('reads %j', (line, values, positionals) => {
    expect(parseOptions(line.split(' ').filter(Boolean), table)).toEqual({ values, positionals });
  });

  it.each([
    [['--constructor'], 'There is no option --constructor.'],
    [['--__proto__=1'], 'There is no option --__proto__.'],
    [['--no-quiet'], 'There is no option --no-quiet.'],
    [['--port'], '--port: expected <number> after it'],
    [['--port', ''], '--port: expected <number> after it'],
    [['--quiet', '--quiet'], '--quiet: expected once'],
  ])('refuses %j', (args, message) => {
    expect(() => parseOptions(args, table)).toThrow(message);
  });
});

it.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['1.5m', 90_000],
  ['2', 2000],
  ['1h', 3_600_000],
])('a duration of %s is %i ms', (text, expected) => {
  expect(parseDuration('--duration', text)).toBe(expected);
});

it.each(['', '-1s', '1d', '1e3', 's', '10 s', 'Infinity'])('%j is no duration', (text) => {
  expect(() => parseDuration('--duration', text)).toThrow('--duration: expected a time');
});

it.each(['', ' 1', '1.0', '0x10', '1e3', '9'.repeat(30)])('%j is no integer', (text) => {
  expect(() => parseInteger('--n', text, { min: 0 })).toThrow('--n: expected an integer of at least 0');
});
