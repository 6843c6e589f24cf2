import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countValues } from '../../../src/core/text/count-values.ts';
import { JsonCounter } from '../../../src/core/text/json-counter.ts';

it('counts a value as the counter of texts counts its text', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const counter = new JsonCounter();
      counter.push(new TextEncoder().encode(JSON.stringify(JSON.parse(text))));
      const { objects, arrays, members, values, depth } = counter;
      expect(countValues(JSON.parse(text), () => false)).toEqual({ objects, arrays, members, values, depth });
    }),
  );
});

it('looks at no item of a list that is too long', () => {
  let steps = 0;
  const list = new Proxy(
    Array.from({ length: 400_000 }, () => ({})),
    {
      get(target, name) {
        steps++;
        return Reflect.get(target, name) as unknown;
      },
    },
  );
  const counts = countValues({ list }, ({ values }) => values > 1000);
  expect(counts.values).toBe(400_001);
  expect(steps).toBeLessThan(5);
});

it('goes no further than the count that is enough', () => {
  let asked = 0;
  const items = Array.from({ length: 400_000 }, () => ({ a: 1 }));
  countValues(items, ({ objects }) => {
    asked++;
    return objects > 1000;
  });
  expect(asked).toBe(1 + 1001);
});

it('ends on a value that contains itself, and does not go through bytes', () => {
  const circle: Record<string, unknown> = { bytes: new Uint8Array(1e6) };
  circle['circle'] = circle;
  const counts = countValues(circle, ({ depth }) => depth > 512);
  expect(counts).toMatchObject({ depth: 513, members: 2 * 512 });
});
