import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const source = join(import.meta.dirname, '../../src');

/** Files and packages that are there once these files are imported: imports of types and late ones aside. */
function importsOf(entries: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (file: string): void => {
    const name = relative(source, file).replaceAll('\\', '/');
    if (found.has(name)) return;
    found.add(name);
    const imports = /^(?:import|export) (?!type\b)(?:[^'"`;=]* from )?'([^']+)';$/gm;
    for (const [, path] of readFileSync(file, 'utf8').matchAll(imports)) {
      if (path!.startsWith('.')) visit(join(dirname(file), path!));
      else found.add(path!);
    }
  };
  for (const entry of entries) visit(join(source, entry));
  return found;
}

const everyWorker = [
  'worker.ts',
  'loading/load-pipeline.ts',
  'runtime/native/session-core.ts',
  'backends/onnx/sessions.ts',
];
const categories = readdirSync(join(source, 'categories'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

it.each(categories)('a worker for %s loads no schema', (name) => {
  const imports = importsOf([...everyWorker, `categories/${name}/pipeline/${name}-pipeline.ts`]);
  expect(imports).toContain('core/text/quote.ts');
  expect([...imports].filter((one) => one === 'zod' || /\/wire\/|^server\//.test(one))).toEqual([]);
});

it('sees the imports of the host', () => {
  const imports = importsOf(['index.ts']);
  expect(imports).toContain('zod');
  expect(imports).toContain('categories/chat/wire/chat/schema.ts');
});

it('a worker that sees no pictures loads no library for them', () => {
  const chat = importsOf([...everyWorker, 'categories/chat/pipeline/chat-pipeline.ts']);
  const embedding = importsOf([...everyWorker, 'categories/embedding/pipeline/embedding-pipeline.ts']);
  const detection = importsOf([...everyWorker, 'categories/detection/pipeline/detection-pipeline.ts']);
  expect([chat, embedding, detection].map((imports) => imports.has('sharp'))).toEqual([false, false, true]);
});
