import ts from 'typescript';

/** A test as it is written down: the titles of its describes and its own, with the placeholders of tables. */
export interface WrittenTest {
  readonly titles: readonly string[];
  /** Whether it is left out, always or under some condition. */
  readonly mayBeSkipped: boolean;
}

const blocks = new Set(['describe', 'it', 'test']);

/** The tests of a source file, in order. */
export function readTests(fileName: string, source: string): WrittenTest[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const tests: WrittenTest[] = [];
  const visit = (node: ts.Node, titles: readonly string[], skipped: boolean): void => {
    const block = ts.isCallExpression(node) ? readBlock(node) : undefined;
    if (block === undefined) {
      ts.forEachChild(node, (child) => visit(child, titles, skipped));
      return;
    }
    const inner = [...titles, block.title];
    const mayBeSkipped = skipped || block.isConditional;
    if (block.kind === 'describe') ts.forEachChild(node, (child) => visit(child, inner, mayBeSkipped));
    else tests.push({ titles: inner, mayBeSkipped });
  };
  visit(file, [], false);
  return tests;
}

interface Block {
  readonly kind: string;
  readonly isConditional: boolean;
  readonly title: string;
}

/** `describe.each(cases)('%s', …)` → its kind, title, and whether it may be skipped; `undefined` for any other call. */
function readBlock(call: ts.CallExpression): Block | undefined {
  const [title] = call.arguments;
  if (title === undefined || call.arguments.length < 2) return undefined;
  const names: string[] = [];
  let callee: ts.Expression = call.expression;
  while (!ts.isIdentifier(callee)) {
    if (ts.isCallExpression(callee)) callee = callee.expression;
    else if (ts.isPropertyAccessExpression(callee)) {
      names.unshift(callee.name.text);
      callee = callee.expression;
    } else return undefined;
  }
  if (!blocks.has(callee.text)) return undefined;
  const hasNeeds = call.arguments.slice(1, -1).some((options) => /\bneeds\(/.test(options.getText()));
  const isConditional = hasNeeds || names.some((name) => /skip|todo|runIf|only|fails/.test(name));
  return { kind: callee.text, isConditional, title: titleOf(title) };
}

function titleOf(title: ts.Expression): string {
  if (ts.isStringLiteralLike(title)) return title.text;
  if (!ts.isTemplateExpression(title)) return '%s';
  return title.head.text + title.templateSpans.map(({ literal }) => `%s${literal.text}`).join('');
}

const placeholder = /%[sdifjo]|\$[\w.]+/g;

/**
 * Whether a written test is the one that a name means. A name spells titles as they are written, or with the values of
 * one case in the place of placeholders; these values have to be in the source.
 */
export function isNamed(names: readonly string[], { titles }: WrittenTest, source: string): boolean {
  return (
    names.length === titles.length &&
    names.every((name, index) => {
      const title = titles[index]!;
      if (name === title) return true;
      const parts = title.split(placeholder).map(escapeText);
      const values = new RegExp(`^${parts.join('(.+)')}$`, 's').exec(name)?.slice(1);
      return values !== undefined && values.length > 0 && values.every((value) => isIn(source, value));
    })
  );
}

function escapeText(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}

/** As a text, a number or a key of an object. */
function isIn(source: string, value: string): boolean {
  return (
    [`'${value}'`, `"${value}"`, `\`${value}\``].some((text) => source.includes(text)) ||
    new RegExp(String.raw`(?<![\w.])${escapeText(value)}(?![\w.])`).test(source)
  );
}
