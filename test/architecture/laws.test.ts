import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const below = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file).replaceAll('\\', '/'))
    .filter((file) => file.endsWith(ending) && !file.endsWith('.d.ts'));
const files = [...below('src', '.ts'), ...below('adapters', '.ts')];
const { options } = ts.parseJsonSourceFileConfigFileContent(
  ts.readJsonConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)),
  ts.sys,
  root,
);
const program = ts.createProgram(
  files.map((file) => join(root, file)),
  options,
);
const sourceOf = (file: string): ts.SourceFile => program.getSourceFile(join(root, file))!;

describe('the budget of lines of code', () => {
  const budget = JSON.parse(readFileSync(join(import.meta.dirname, 'budget.json'), 'utf8')) as Readonly<
    Record<string, number>
  >;
  const used: Record<string, number> = {};
  for (const file of files) {
    const room = roomOf(file);
    used[room] = (used[room] ?? 0) + codeLines(sourceOf(file));
  }
  if (process.env['UPDATE_BUDGET'] === '1') console.log(JSON.stringify(used, undefined, 2));

  it('has every room, and no other', () => {
    expect(Object.keys(budget).toSorted()).toEqual(Object.keys(used).toSorted());
  });

  // A room that needs more says why in a decision.
  it.each(Object.entries(budget))('%s: at most %d', (room, most) => {
    expect(used[room]).toBeLessThanOrEqual(most);
  });
});

describe('the length of functions', () => {
  const max = 80;
  const exceptions = JSON.parse(
    readFileSync(join(import.meta.dirname, 'long-functions.json'), 'utf8'),
  ) as readonly string[];

  // The list only shrinks: state over several methods is a class, the rest is functions of their own.
  it(`no function but the listed ones has more than ${max} lines`, () => {
    const long = files.flatMap((file) => longFunctions(sourceOf(file), max).map((name) => `${file} ${name}`));
    expect(long.toSorted()).toEqual(exceptions);
  });
});

function longFunctions(file: ts.SourceFile, max: number): string[] {
  const names: string[] = [];
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && lineOf(node.getEnd()) - lineOf(node.getStart(file)) >= max)
      names.push(node.name?.getText(file) ?? '(without a name)');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

/** Two levels of folders in core, categories and backends, one elsewhere; the files of `src` itself are a room. */
function roomOf(file: string): string {
  const folders = file.split('/').slice(0, -1);
  return folders.slice(0, /^src\/(?:core|categories|backends)\//.test(file) ? 3 : 2).join('/');
}

function codeLines(file: ts.SourceFile): number {
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.EndOfFileToken || ts.isJSDoc(node)) return;
    if (node.getChildCount(file) > 0) {
      for (const child of node.getChildren(file)) visit(child);
      return;
    }
    const last = file.getLineAndCharacterOfPosition(Math.max(node.getStart(file), node.getEnd() - 1)).line;
    for (let line = file.getLineAndCharacterOfPosition(node.getStart(file)).line; line <= last; line++) {
      lines.add(line);
    }
  };
  visit(file);
  return lines.size;
}

describe('docstrings of internals', () => {
  const known = publicDeclarations();
  const found: string[] = [];
  for (const file of files) {
    const source = sourceOf(file);
    const visit = (node: ts.Node): void => {
      if (known.has(node)) return;
      for (const doc of ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)) {
        const text = doc.getText(source);
        const lines = text.split('\n').filter((line) => /[^\s*/]/.test(line)).length;
        if (lines > 3 || text.includes('@example')) {
          found.push(`${file}:${source.getLineAndCharacterOfPosition(doc.getStart(source)).line + 1}`);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }

  it('have three lines of text at most, and no example', () => {
    expect([...new Set(found)]).toEqual([]);
  });
});

/** Exports of the package's entries, and the types in their signatures. */
function publicDeclarations(): Set<ts.Node> {
  const checker = program.getTypeChecker();
  const entries = ['src/index.ts', ...below('src/entries', '.ts'), ...below('adapters', '.ts')];
  const resolve = (symbol: ts.Symbol | undefined): readonly ts.Node[] =>
    (symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
      ?.declarations ?? [];
  const known = new Set<ts.Node>();
  const add = (node: ts.Node): void => {
    if (known.has(node) || node.getSourceFile().fileName.includes('/node_modules/')) return;
    known.add(node);
    // The docstring of a constant is its statement's.
    if (ts.isVariableDeclaration(node)) known.add(node.parent.parent);
    const visit = (child: ts.Node): void => {
      const name = ts.isTypeReferenceNode(child)
        ? child.typeName
        : ts.isExpressionWithTypeArguments(child)
          ? child.expression
          : undefined;
      for (const type of name ? resolve(checker.getSymbolAtLocation(name)) : []) {
        if (ts.isInterfaceDeclaration(type) || ts.isTypeAliasDeclaration(type)) add(type);
      }
      ts.forEachChild(child, visit);
    };
    ts.forEachChild(node, visit);
  };
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(sourceOf(entry));
    for (const symbol of module ? checker.getExportsOfModule(module) : []) resolve(symbol).forEach(add);
  }
  return known;
}

it('contracts hold types alone', () => {
  const isType = (node: ts.Statement): boolean =>
    ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node);
  const values = below('src/contracts', '.ts').filter((file) => !sourceOf(file).statements.every(isType));
  expect(values).toEqual([]);
});

describe('pages', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...below('docs', '.md')];

  it.each(pages)('%s has at most 25 KiB', (page) => {
    expect(statSync(join(root, page)).size).toBeLessThanOrEqual(25 * 1024);
  });

  it('the changelog has at most 150 lines', () => {
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(150);
  });
});
