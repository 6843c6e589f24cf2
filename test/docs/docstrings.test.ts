import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from './code-blocks.ts';

// What typedoc shows: every export of the package with its docstring.
const entries = [
  'src/index.ts',
  ...readdirSync(join(root, 'src/entries')).map((name) => `src/entries/${name}`),
  ...['node', 'express', 'fastify', 'fetch'].map((name) => `adapters/${name}.ts`),
].map((path) => join(root, path));

describe('every export', { timeout: 60_000 }, () => {
  const { options } = ts.parseJsonSourceFileConfigFileContent(
    ts.readJsonConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)),
    ts.sys,
    root,
  );
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const exported = new Set(
    entries.flatMap((entry) => {
      const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!;
      return checker
        .getExportsOfModule(module)
        .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
    }),
  );
  const missing = (flags: ts.SymbolFlags, has: (symbol: ts.Symbol) => boolean): string[] =>
    [...exported].filter((symbol) => symbol.flags & flags && !has(symbol)).map(({ name }) => name);

  it('is found', () => {
    expect(exported.size).toBeGreaterThan(300);
  });

  it('says what it is', () => {
    const says = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0;
    expect(missing(ts.SymbolFlags.Value | ts.SymbolFlags.Type, says)).toEqual([]);
  });

  it('that can be called has an example', () => {
    const shows = (symbol: ts.Symbol) => symbol.getJsDocTags(checker).some(({ name }) => name === 'example');
    expect(missing(ts.SymbolFlags.Function | ts.SymbolFlags.Class, shows)).toEqual([]);
  });
});
