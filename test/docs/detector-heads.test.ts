import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { headNames } from '../../src/core/vision/heads/registry.ts';

const page = readFileSync(new URL('../../docs/detection.md', import.meta.url), 'utf8');

it.each(headNames)('the page of detection has a row for %s', (name) => {
  expect(page).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, 'm'));
});
