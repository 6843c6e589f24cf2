import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';

// npm reads `dist/.npmignore`, which keeps declarations out of the package that none of its entries reaches.

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** @type {{ exports: Record<string, string> }} */
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** @type {Set<string>} */
const reached = new Set();
/** @param {string} file */
function visit(file) {
  if (reached.has(file)) return;
  reached.add(file);
  for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
    if (fileName.startsWith('.')) visit(resolve(file, '..', toDeclaration(fileName)));
  }
}

/** @param {string} path */
function toDeclaration(path) {
  return path.replace(/\.[jt]s$/, '.d.ts');
}

for (const file of Object.values(exports)) if (file.endsWith('.js')) visit(join(root, toDeclaration(file)));
const kept = [...reached].map((file) => `!/${relative(dist, file).replaceAll('\\', '/')}`);
writeFileSync(join(dist, '.npmignore'), ['*.d.ts', ...kept.sort(), ''].join('\n'));
