import { readdirSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from './code-blocks.ts';
import {
  completeExample,
  findExamples,
  readExports,
  readPromise,
  runExample,
  settle,
  toTypedModule,
} from './examples.ts';

// What typedoc shows: every export of the package with its docstring.
const entries = [
  'src/index.ts',
  ...readdirSync(join(root, 'src/entries')).map((name) => `src/entries/${name}`),
  ...['node', 'express', 'fastify', 'fetch'].map((name) => `adapters/${name}.ts`),
];

const { options } = ts.parseJsonSourceFileConfigFileContent(
  ts.readJsonConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)),
  ts.sys,
  root,
);
const program = ts.createProgram(
  entries.map((path) => join(root, path)),
  options,
);
const exportsOf = readExports(program, entries);
/** Core is pure, so that its examples run, whether the package exports them or not. */
const core = program
  .getSourceFiles()
  .map(({ fileName }) => fileName.slice(root.length + 1))
  .filter((path) => /^src\/core\/(?!chat\/)/.test(path));
const withCore = readExports(program, [...entries, ...core]);

describe('every export', () => {
  const checker = program.getTypeChecker();
  const exported = new Set([...exportsOf.values()].flatMap((symbols) => [...symbols.values()]));
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

describe('the examples', () => {
  const examples = findExamples(program, withCore).map(
    (example) => [example.name, completeExample(example, withCore)] as const,
  );
  /** The pages run these with the bundled models; here their types are checked. */
  const loadsModels = /\b(?:createInference|obtainModel)\(/;
  const { listen } = Server.prototype;
  const servers: Server[] = [];

  beforeAll(() => {
    vi.stubEnv('API_KEY', 'sk-local');
    Server.prototype.listen = function (this: Server, ...given: unknown[]) {
      servers.push(this);
      const callback = given.findLast((value) => typeof value === 'function') as (() => void) | undefined;
      const start = listen as (port: number, host: string, callback?: () => void) => Server;
      return start.call(this, 0, '127.0.0.1', callback);
    } as Server['listen'];
  });

  afterAll(() => {
    vi.unstubAllEnvs();
    Server.prototype.listen = listen;
    for (const server of servers) server.close();
  });

  it('are found', () => {
    expect(examples.length).toBeGreaterThan(130);
    expect(examples.flatMap(([, { promises }]) => promises).length).toBeGreaterThan(100);
  });

  it('have the types of the code', { timeout: 600_000 }, () => {
    const sources = new Map(
      examples.map(([name, whole], index) => [
        join(root, `test/docs/example-${index}-${name}.ts`),
        toTypedModule(whole),
      ]),
    );
    const host = ts.createCompilerHost(options);
    const { readFile, fileExists, getSourceFile } = host;
    host.fileExists = (path) => sources.has(path) || fileExists.call(host, path);
    host.readFile = (path) => sources.get(path) ?? readFile.call(host, path);
    host.getSourceFile = (path, ...rest) =>
      sources.has(path)
        ? ts.createSourceFile(path, sources.get(path)!, ts.ScriptTarget.ES2022)
        : getSourceFile.call(host, path, ...rest);
    const relaxed = {
      noEmit: true,
      esModuleInterop: true,
      verbatimModuleSyntax: false,
      rewriteRelativeImportExtensions: false,
      declaration: false,
      noUncheckedIndexedAccess: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
      exactOptionalPropertyTypes: false,
    };
    const checked = ts.createProgram([...sources.keys()], { ...options, ...relaxed }, host, program);
    const faults = [...sources.keys()].flatMap((path) => {
      const file = checked.getSourceFile(path)!;
      const found = [...checked.getSyntacticDiagnostics(file), ...checked.getSemanticDiagnostics(file)];
      return found.map(
        ({ messageText }) =>
          `${path.slice(root.length)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    });
    expect(faults).toEqual([]);
  });

  it.each(examples.filter(([, { code }]) => !loadsModels.test(code)))(
    '%s gives what it says',
    async (_name, whole) => {
      const said = await runExample(whole);
      expect(said).toEqual(whole.promises.map((promise, at) => settle(readPromise(promise), said[at])));
    },
  );
});

describe('the promise of a comment', () => {
  it.each([
    ["'a'", 'a'],
    ['[0.5, -0.693…]', [0.5, -0.6934]],
    ['1 / 3', Math.fround(1 / 3)],
    ["{ a: [1], b: 'c' }", { a: [1], b: 'c' }],
    ['undefined', undefined],
  ])('%s', (comment, value) => {
    expect(settle(readPromise(comment), value)).toEqual(value);
  });

  it.each([
    ['0.69', 0.7],
    ['[1, 2]', [1, 3]],
    ['[1]', [1, 2]],
    ['{ a: 1 }', {}],
    ['2', 2.0001],
    ["'2'", 2],
  ])('%s is not %j', (comment, value) => {
    expect(settle(readPromise(comment), value)).not.toEqual(value);
  });

  it.each(['1, 2', 'about 3', '[1, 0.5]: and more', '80 × 3000'])('has to be a value, not %s', (comment) => {
    expect(() => readPromise(comment)).toThrow(SyntaxError);
  });
});
