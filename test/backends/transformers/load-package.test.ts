import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { assertOneRuntime } from '../../../src/backends/transformers/load-package.ts';

const transformers = 'node_modules/@huggingface/transformers';

/** A project with packages: path → version. */
function project(packages: Readonly<Record<string, string>>): NodeJS.Require {
  const folder = mkdtempSync(join(tmpdir(), 'slashv1-peers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, version] of Object.entries(packages)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const main = join(folder, path, 'dist/index.js');
    mkdirSync(dirname(main), { recursive: true });
    writeFileSync(main, '');
    writeFileSync(
      join(folder, path, 'package.json'),
      JSON.stringify({ name, version, main: './dist/index.js' }),
    );
  }
  return createRequire(join(folder, 'index.js'));
}

test('one copy of the runtime is accepted', () => {
  const require = project({ 'node_modules/onnxruntime-node': '1.30.0', [transformers]: '4.3.1' });
  expect(() => assertOneRuntime(require)).not.toThrow();
});

test('a second copy is refused, with both versions', () => {
  const require = project({
    'node_modules/onnxruntime-node': '1.30.0',
    [transformers]: '4.9.0',
    [`${transformers}/node_modules/onnxruntime-node`]: '1.31.0',
  });
  expect(() => assertOneRuntime(require)).toThrow(
    'backend: @huggingface/transformers brings onnxruntime-node 1.31.0, and slashv1 has 1.30.0; install a version of @huggingface/transformers that depends on onnxruntime-node 1.30.0, so that there is one copy.',
  );
});

test('a missing package is named', () => {
  const require = project({ 'node_modules/onnxruntime-node': '1.30.0' });
  expect(() => assertOneRuntime(require)).toThrow(
    'backend: the backend transformers() needs a package of its own; install it with `npm install @huggingface/transformers`.',
  );
});
