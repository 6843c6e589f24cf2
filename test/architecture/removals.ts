import { posix } from 'node:path';
import ts from 'typescript';

/** An optional room, below `src/`, and the lists that have a line for it. */
export interface Removal {
  readonly room: string;
  readonly lists: readonly string[];
}

const backends = ['backends/registry.ts', 'backends/settings.ts', 'index.ts'];
const recognizers = ['categories/transcription/models.ts'];
const heads = ['core/vision/heads/registry.ts', 'entries/vision.ts'];

export const removals: readonly Removal[] = [
  { room: 'backends/kserve', lists: backends },
  { room: 'backends/llama', lists: backends },
  { room: 'backends/openai', lists: backends },
  { room: 'backends/transformers', lists: backends },
  { room: 'entries/llama.ts', lists: [] },
  { room: 'entries/transformers.ts', lists: [] },
  { room: 'categories/transcription/architectures/moonshine', lists: recognizers },
  { room: 'categories/transcription/architectures/nemo', lists: recognizers },
  { room: 'categories/speech/architectures/vits', lists: ['categories/speech/models.ts'] },
  { room: 'core/vision/heads/fastestdet.ts', lists: heads },
  { room: 'core/vision/heads/yolo26.ts', lists: heads },
  { room: 'core/vision/heads/yolox-maps.ts', lists: heads },
  { room: 'ai-sdk', lists: [] },
  { room: 'entries/ai-sdk.ts', lists: [] },
  { room: 'testing', lists: [] },
  { room: 'entries/testing.ts', lists: [] },
  { room: 'cli', lists: [] },
];

/** A list's source without its lines for rooms: imports and exports from them, and the elements and members that name what was imported. */
export function withoutRooms(list: string, text: string, rooms: readonly string[]): string {
  const source = ts.createSourceFile(list, text, ts.ScriptTarget.Latest, true);
  const names = new Set<string>();
  const isGone = (node: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
    if (!node.moduleSpecifier) return false;
    const path = posix.join(posix.dirname(list), (node.moduleSpecifier as ts.StringLiteral).text);
    return rooms.some((room) => path === room || path.startsWith(`${room}/`));
  };
  for (const node of source.statements) {
    if (!ts.isImportDeclaration(node) || !isGone(node)) continue;
    const bindings = node.importClause?.namedBindings;
    if (bindings && ts.isNamedImports(bindings))
      for (const { name } of bindings.elements) names.add(name.text);
  }
  const gone: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    const isLine =
      ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && isGone(node)) ||
      ((ts.isArrayLiteralExpression(node.parent) ||
        ts.isUnionTypeNode(node.parent) ||
        ts.isObjectLiteralExpression(node.parent)) &&
        mentions(node, names));
    if (isLine) gone.push(node);
    else ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return gone.reduceRight((rest, node) => {
    const after = rest.slice(node.end);
    const end = node.end + (/^\s*[,|]/.exec(after)?.[0].length ?? 0);
    const before = rest.slice(0, node.pos);
    return (end === node.end ? before.replace(/\s*[,|]\s*$/, '') : before) + rest.slice(end);
  }, text);
}

function mentions(node: ts.Node, names: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(node) && names.has(node.text)) return true;
  return ts.forEachChild(node, (child) => mentions(child, names) || undefined) ?? false;
}
