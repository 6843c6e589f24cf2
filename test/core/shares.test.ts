import { expect, it } from 'vitest';
import { Shares } from '../../src/core/shares.ts';

it('an owner who comes anew has had as much as the least of those who are there', () => {
  const shares = new Shares();
  shares.add('a', 30);
  shares.add('b', 20);
  shares.enter('c', ['a', 'b']);
  expect(shares.of('c')).toBe(20);
  shares.enter('a', ['b', 'c']);
  expect(shares.of('a')).toBe(30);
  shares.enter('d', []);
  expect(shares.of('d')).toBe(0);
});

it('an owner who has left is remembered while he has had more than those who are there', () => {
  const shares = new Shares();
  shares.add('a', 30);
  shares.add('b', 20);
  shares.settle(new Set(['b']));
  expect(shares.of('a')).toBe(30);
  shares.add('b', 10);
  shares.settle(new Set(['b']));
  expect(shares.of('a')).toBe(0);
  expect(shares.of('b')).toBe(30);
  shares.settle(new Set());
  expect(shares.of('b')).toBe(0);
});
