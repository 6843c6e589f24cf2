import { describe, expect, it } from 'vitest';
import { exactTextOf } from '../../src/http/exact-texts.ts';
import { parseInThread } from '../../src/http/parse-in-thread.ts';
import { parseJson } from '../../src/http/parse-json.ts';

type Body = Record<'tools' | 'json' | 'json_schema' | 'schema' | 'b', never>;
const schema = '{ "properties": {"reasoning": {}, "1": {"minimum": 1.0}}, "maximum": 12345678901234567891 }';

describe('the text of a schema', () => {
  it.each<[name: string, text: string, get: (body: Body) => object]>([
    [
      'of a tool',
      `{"tools":[{"function":{"parameters":${schema}}}]}`,
      (body) => body['tools'][0]['function']['parameters'],
    ],
    [
      'behind others that are plain',
      `{"a":{"schema":{"b":1}},"input":{"c":{}},"json":${schema}}`,
      (body) => body['json'],
    ],
    [
      'within another',
      `{"json_schema":{"name":"x","schema":${schema}}}`,
      (body) => body['json_schema']['schema'],
    ],
    [
      'behind a text that quotes one',
      `{"a":"\\"schema\\": {\\"1\\":{}}","b":{"schema" : ${schema}}}`,
      (body) => body['b']['schema'],
    ],
  ])('%s is what was sent', async (_name, text, get) => {
    expect(exactTextOf(get(parseJson(text) as Body))).toBe(schema);
    expect(exactTextOf(get((await parseInThread(new TextEncoder().encode(text))) as Body))).toBe(schema);
  });

  it('is kept only where an object would lose something', () => {
    const body = parseJson('{"schema":{"properties":{"a":{"maximum":10}}}}') as Body;
    expect(exactTextOf(body['schema'])).toBeUndefined();
  });

  it('is not that of another object where a name comes twice', () => {
    const body = parseJson(`{"schema":${schema},"schema":{"a":1},"json":{"b":1.0}}`) as Body;
    expect(exactTextOf(body['schema'])).toBeUndefined();
    expect([undefined, '{"b":1.0}']).toContain(exactTextOf(body['json']));
  });

  it('of thousands of objects takes little time', () => {
    const deep = '{"schema":'.repeat(400) + '{"1":1.0}' + '}'.repeat(400);
    expect(() =>
      parseJson(`{"a":[${Array.from({ length: 2000 }, () => schema).join()}],"b":${deep}}`),
    ).not.toThrow();
  });
});
