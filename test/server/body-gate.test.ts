import { expect, it } from 'vitest';
import { createBodyGate } from '../../src/server/body-gate.ts';

const limits = { count: 8, countPerKey: 4, bytes: 200, bytesPerKey: 100 };

it('counts the bytes that are held, more and less', () => {
  const gate = createBodyGate('WebSockets', limits);
  const [ann, too, bob] = [gate.enter('ann'), gate.enter('ann'), gate.enter('bob')];
  ann.grow(100);
  expect(() => too.grow(1)).toThrow('This key has WebSockets of 100 bytes in progress');
  bob.grow(100);
  ann.shrink(30);
  too.grow(70);
  expect(() => too.grow(71)).toThrow('This key has');
  // What is left is what leaves.
  ann.leave();
  ann.shrink(0);
  too.grow(100);
  expect(() => gate.enter('eve').grow(1)).toThrow('The service has WebSockets of 200 bytes in progress');
});

it('counts the free bytes of a body never', () => {
  const gate = createBodyGate('JSON bodies', limits, 50);
  const [body, other] = [gate.enter('ann'), gate.enter('ann')];
  body.grow(150);
  expect(() => other.grow(51)).toThrow('This key has');
  body.shrink(20);
  other.grow(150);
});
