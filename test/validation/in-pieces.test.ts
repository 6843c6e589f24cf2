import { expect, it } from 'vitest';
import { z } from 'zod';
import { inPieces } from '../../src/validation/in-pieces.ts';
import { parseBody } from '../../src/validation/issues.ts';
import { jsonText } from '../../src/validation/json-text.ts';
import { listOf } from '../../src/validation/list-schema.ts';

let checks = 0;
let turns = 0;
/** An item whose check takes a millisecond. */
const item = z.object({ text: z.string() }).superRefine(() => {
  checks++;
  for (const end = performance.now() + 1; performance.now() < end;);
});
const schema = z.object({ lists: listOf(z.object({ items: listOf(item) })) });
const bodyOf = (lists: number, items: number) => ({
  lists: Array.from({ length: lists }, () => ({
    items: Array.from({ length: items }, (_, index) => ({ text: `${index}` })),
  })),
});

/** Most checks between two turns of the event loop, while something is done. */
async function mostChecks<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly most: number }> {
  [checks, turns] = [0, 0];
  let [isOver, most, before] = [false, 0, 0];
  const look = (): void => {
    most = Math.max(most, checks - before);
    before = checks;
    turns++;
    if (!isOver) setImmediate(look);
  };
  look();
  const result = await work();
  isOver = true;
  return { result, most: Math.max(most, checks - before) };
}

it.each([
  ['one list', 1, 60],
  ['lists in lists', 20, 3],
  ['lists of one', 60, 1],
])('others run between the items of %s, each checked once', async (_title, lists, items) => {
  const body = bodyOf(lists, items);
  const { result, most } = await mostChecks(() => inPieces(() => parseBody(schema, body)));
  expect(result).toEqual(body);
  expect(checks).toBe(60);
  expect(most).toBeLessThan(6);
  expect(turns).toBeGreaterThan(10);
});

it('the place of a fault is named as in one piece', async () => {
  const body = bodyOf(3, 20) as { lists: { items: { text: unknown }[] }[] };
  body.lists[2]!.items[19]!.text = 7;
  const fault = /^lists\[2\]\.items\[19\]\.text: expected a string, got 7/;
  expect(() => parseBody(schema, body)).toThrow(fault);
  await expect(inPieces(() => parseBody(schema, body))).rejects.toThrow(fault);
});

it('an item is checked anew for the next request', async () => {
  const body = bodyOf(1, 3);
  await inPieces(() => parseBody(schema, body));
  body.lists[0]!.items[0]!.text = 'new';
  expect(await inPieces(() => parseBody(schema, body))).toEqual(body);
});

it('without a driver a check is whole', () => {
  expect(parseBody(schema, bodyOf(1, 20))).toEqual(bodyOf(1, 20));
});

it.each([
  ['one string', `"${','.repeat(2 ** 21)}"`, undefined],
  ['as many values as there may be', `[${'1,'.repeat(65_000)}"${'x'.repeat(2 ** 21)}"]`, undefined],
  ['too many behind a string', `["${'x'.repeat(2 ** 21)}"${',1'.repeat(70_000)}]`, 'at most 65536 values'],
  ['too many at its start', `${'[],'.repeat(70_000)}"${'x'.repeat(2 ** 21)}"`, 'at most 65536 values'],
  ['too deep', `"${'x'.repeat(2 ** 21)}"${'['.repeat(600)}`, 'at most 512 levels'],
])('the parts of a text are counted in pieces: %s', async (_title, text, fault) => {
  let pauses = 0;
  const calls = z.object({ calls: listOf(z.object({ arguments: jsonText })) });
  const body = { calls: [{ arguments: '{}' }, { arguments: text }, { arguments: '[]' }] };
  const pause = async (): Promise<void> => void pauses++;
  const check = inPieces(() => parseBody(calls, body), { pieceMs: 0, pause });
  if (fault === undefined) expect(await check).toEqual(body);
  else await expect(check).rejects.toThrow(`calls[1].arguments: expected ${fault}`);
  expect(pauses).toBeGreaterThanOrEqual(8);
});
