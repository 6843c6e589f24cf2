import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './code-blocks.ts';

/** The code of one `@example`. */
export interface Example {
  /** Of the export that it belongs to. */
  readonly name: string;
  /** The entry point of the package that has the export, such as `src/entries/vision.ts`. */
  readonly entry: string;
  readonly code: string;
}

/** The names that an entry point exports, and what they stand for. */
export type EntryExports = ReadonlyMap<string, ReadonlyMap<string, ts.Symbol>>;

/** The exports of entry points by their paths. */
export function readExports(program: ts.Program, entries: readonly string[]): EntryExports {
  const checker = program.getTypeChecker();
  const resolve = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return new Map(
    entries.map((entry) => {
      const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, entry))!)!;
      const all = checker.getExportsOfModule(module);
      return [entry, new Map(all.map((symbol) => [symbol.name, resolve(symbol)]))];
    }),
  );
}

/** The examples of all exports, each once. */
export function findExamples(program: ts.Program, exported: EntryExports): Example[] {
  const checker = program.getTypeChecker();
  const found = new Map<ts.Symbol, Example[]>();
  for (const [entry, symbols] of exported) {
    for (const [name, symbol] of symbols) {
      if (found.has(symbol)) continue;
      const tags = symbol.getJsDocTags(checker).filter((tag) => tag.name === 'example');
      const codes = tags.map(({ text }) => /^```ts\n([^]*?)\n?```$/.exec(ts.displayPartsToString(text))?.[1]);
      found.set(
        symbol,
        codes.map((code) => ({ name, entry, code: code ?? '' })),
      );
    }
  }
  return [...found.values()].flat();
}

const { exports: published } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Readonly<Record<string, string | { readonly types: string }>>;
};

/** `slashv1/vision` → `src/entries/vision.ts`; anything else stays as it is. */
function toSource(specifier: string): string {
  const built = published[specifier.replace(/^slashv1/, '.')];
  return typeof built === 'object' ? built.types.replace(/^\.\/dist\/(.*)\.d\.ts$/, '$1.ts') : specifier;
}

/** What an example that isn't a whole program takes for granted: a service, its keys, and a picture of one pixel. */
const surroundings: Readonly<Record<string, string>> = {
  auth: "{ keys: ['sk-local'] }",
  app: 'express()',
  handler: 'createHandler(inference, { auth })',
  inference: 'createFakeInference({ models: [...fakeModels] })',
  png: "Uint8Array.from(atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), (byte) => byte.charCodeAt(0))",
  fakeModels:
    "([['tiny-chat', 'chat'], ['tiny-whisper', 'transcription'], ['tiny-speech', 'speech']] as const).map(([id, category]) => ({ id, category }))",
};
const foreign: Readonly<Record<string, string>> = { express: 'express' };

/** One import of an example: `default` for the whole of it. */
interface Import {
  readonly name: string;
  readonly exportName: string;
  /** A path within the repository, or the name of a package. */
  readonly from: string;
}

/** An example with all that it takes for granted. */
export interface WholeExample {
  readonly imports: readonly Import[];
  /** Without imports. */
  readonly code: string;
  /** The values that its comments promise, in the order of `say` in its code. */
  readonly promises: readonly string[];
}

/**
 * Finds the imports of an example, and the comments that say what an expression gives: `expression; // value`, or the
 * value in the lines right below.
 */
export function completeExample({ code, entry }: Example, exported: EntryExports): WholeExample {
  const imports = new Map<string, Import>();
  const before: string[] = [];
  const need = (name: string): void => {
    if (imports.has(name) || before.some((line) => line.startsWith(`const ${name} `))) return;
    const from = [entry, ...exported.keys()].find((path) => exported.get(path)!.has(name));
    if (foreign[name] !== undefined) imports.set(name, { name, exportName: 'default', from: foreign[name] });
    else if (from !== undefined) imports.set(name, { name, exportName: name, from });
    else if (surroundings[name] !== undefined) {
      freeNames(parse(surroundings[name])).forEach(need);
      before.push(`const ${name} = ${surroundings[name]};`);
    }
  };
  const file = parse(code);
  const edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  const promises: string[] = [];
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) {
      for (const one of importsOf(statement)) imports.set(one.name, one);
      edits.push({ start: statement.getStart(), end: statement.end, text: '' });
    } else if (ts.isExpressionStatement(statement)) {
      const promise = promiseBehind(statement, code);
      if (promise === undefined) continue;
      const { expression } = statement;
      promises.push(promise);
      edits.push({
        start: expression.getStart(),
        end: expression.end,
        text: `say(${promises.length - 1}, ${expression.getText()})`,
      });
    }
  }
  freeNames(file).forEach(need);
  let whole = code;
  for (const { start, end, text } of edits.toReversed())
    whole = whole.slice(0, start) + text + whole.slice(end);
  return { imports: [...imports.values()], code: [...before, whole].join('\n'), promises };
}

/** The code as a module that a compiler can check. */
export function toTypedModule({ imports, code }: WholeExample): string {
  const lines = imports.map(({ name, exportName, from }) => {
    const specifier = from.endsWith('.ts') ? JSON.stringify(join(root, from)) : JSON.stringify(from);
    const binding = exportName === name ? name : `${exportName} as ${name}`;
    return `import { ${binding} } from ${specifier};`;
  });
  const say = 'declare function say<T>(index: number, value: T): void;';
  return `${lines.join('\n')}\n${say}\n${code}\nexport {};\n`;
}

const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<void>;

/** Runs the code, and returns the values of the expressions that have a promise. */
export async function runExample({ imports, code }: WholeExample): Promise<unknown[]> {
  const modules = await Promise.all(
    imports.map(async ({ from, exportName }) => {
      const path = from.endsWith('.ts') ? join(root, from) : from;
      const module = (await import(path)) as Readonly<Record<string, unknown>>;
      return module[exportName];
    }),
  );
  const said: unknown[] = [];
  // A copy, since the code may change it later.
  const say = (index: number, value: unknown): void => void (said[index] = toPlain(value));
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } as const;
  const script = ts.transpileModule(code, { compilerOptions }).outputText;
  await new AsyncFunction(...imports.map(({ name }) => name), 'say', script)(...modules, say);
  return said;
}

/**
 * The value that a comment promises: an expression of JavaScript; `0.693…` is a number with more digits.
 *
 * @throws SyntaxError for a comment in other words
 */
export function readPromise(comment: string): unknown {
  const expression = comment.replaceAll(/(\d)…/g, '$1');
  const { statements } = parse(`(${expression})`);
  const [only] = statements;
  const inner =
    only && ts.isExpressionStatement(only) && ts.isParenthesizedExpression(only.expression)
      ? only.expression.expression
      : undefined;
  const isList =
    inner && ts.isBinaryExpression(inner) && inner.operatorToken.kind === ts.SyntaxKind.CommaToken;
  if (isList) throw new SyntaxError(`expected one value, got ${comment}`);
  // eslint-disable-next-line no-new-func, typescript/no-implied-eval
  return new Function(`return (${expression});`)() as unknown;
}

/** The promised value, with the numbers of the given one where these are the same to the digits that are promised. */
export function settle(promised: unknown, given: unknown): unknown {
  if (typeof promised === 'number' && typeof given === 'number') {
    const digits = /\.(\d+)$/.exec(String(promised))?.[1]?.length ?? 0;
    const tolerance = digits === 0 ? 0 : 0.51 * 10 ** -Math.min(digits, 6);
    return Math.abs(promised - given) <= tolerance ? given : promised;
  }
  if (typeof promised !== 'object' || promised === null) return promised;
  const inner = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (Array.isArray(promised)) return promised.map((value, index) => settle(value, inner[index]));
  return Object.fromEntries(
    Object.entries(promised).map(([name, value]) => [name, settle(value, inner[name])]),
  );
}

/** A copy, with typed arrays as arrays, and without what is undefined. */
function toPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toPlain);
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([name, inner]) => [name, toPlain(inner)]));
}

function parse(code: string): ts.SourceFile {
  return ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest, true);
}

function importsOf(statement: ts.ImportDeclaration): Import[] {
  const from = toSource((statement.moduleSpecifier as ts.StringLiteral).text);
  const { name, namedBindings } = statement.importClause ?? {};
  const named = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : [];
  return [
    ...(name ? [{ name: name.text, exportName: 'default', from }] : []),
    ...named.map((one) => ({ name: one.name.text, exportName: (one.propertyName ?? one.name).text, from })),
  ];
}

/** Names that are used and not declared. */
function freeNames(file: ts.SourceFile): string[] {
  const declared = new Set<string>();
  const used = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const { parent } = node;
      const isDeclared =
        (ts.isVariableDeclaration(parent) || ts.isParameter(parent) || ts.isBindingElement(parent)) &&
        parent.name === node;
      const isMember =
        (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
        (ts.isPropertyAssignment(parent) && parent.name === node) ||
        (ts.isBindingElement(parent) && parent.propertyName === node);
      if (isDeclared || ts.isImportSpecifier(parent) || ts.isImportClause(parent)) declared.add(node.text);
      else if (!isMember) used.add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...used].filter((name) => !declared.has(name));
}

/** The comment after a statement, or that of the lines right below it. */
function promiseBehind(statement: ts.Statement, code: string): string | undefined {
  const [sameLine, ...below] = code.slice(statement.end).split('\n');
  const comment = (line: string): string | undefined => /^\s*\/\/ ?(.*)$/.exec(line)?.[1];
  const first = comment(sameLine!);
  if (first !== undefined) return first;
  const end = below.findIndex((line) => comment(line) === undefined);
  const lines = below.slice(0, end === -1 ? below.length : end).map((line) => comment(line)!);
  return lines.length > 0 ? lines.join('\n') : undefined;
}
