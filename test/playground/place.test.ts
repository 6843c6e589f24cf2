import { expect, it } from 'vitest';
import { placeOf } from '../../src/playground/create-playground.ts';

it.each<[string, string | undefined, string]>([
  ['/', undefined, '/'],
  ['', undefined, '/'],
  ['/?a=/b', undefined, '/'],
  ['/icon.svg?v=1#x', undefined, '/icon.svg'],
  ['http://example.org/icon.svg', undefined, '/icon.svg'],
  ['http://example.org', undefined, '/'],
  ['/play/', '/play', '/'],
  ['/play/', '/play/', '/'],
  ['/play/icon.svg', '/play', '/icon.svg'],
  ['/a/b/scripts/main.js', '/a/b', '/scripts/main.js'],
  ['/playful', '/play', '/playful'],
  ['/', '/play', '/'],
  ['/icon.svg', '/', '/icon.svg'],
  ['//play/icon.svg', '/play', '//play/icon.svg'],
])('%s mounted at %s is %s', (url, mountPath, path) => {
  expect(placeOf(url, mountPath)).toEqual({ path });
});

it.each([
  ['/play', '/play', './play/'],
  ['/a/b?x=1&y=2#z', '/a/b', './b/?x=1&y=2'],
  ['/a:b', '/a:b', './a:b/'],
  ['http://example.org/play?x', '/play', './play/?x'],
])('%s mounted at %s lacks a slash', (url, mountPath, redirect) => {
  expect(placeOf(url, mountPath)).toEqual({ path: '', redirect });
});
