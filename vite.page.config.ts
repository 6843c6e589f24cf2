import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { defineConfig, type Plugin } from 'vite';

const root = import.meta.dirname;
const dist = join(root, 'dist');

/** npm reads `dist/.npmignore`, which keeps declarations out of the package that none of its entries reaches. */
function shipReachedTypes(): Plugin {
  const toDeclaration = (path: string): string => path.replace(/\.[jt]s$/, '.d.ts');
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      if (fileName.startsWith('.')) visit(resolve(file, '..', toDeclaration(fileName)));
    }
  };
  return {
    name: 'ship-reached-types',
    closeBundle() {
      const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
        exports: Record<string, string>;
      };
      for (const file of Object.values(manifest.exports))
        if (file.endsWith('.js')) visit(join(root, toDeclaration(file)));
      const kept = [...reached].map((file) => `!/${relative(dist, file).replaceAll('\\', '/')}`);
      writeFileSync(join(dist, '.npmignore'), ['*.d.ts', ...kept.sort(), ''].join('\n'));
    },
  };
}

/** The compiler indents by four spaces, which are a tenth of its files; a tab says the same. Lines stay where they are. */
function indentWithTabs(): Plugin {
  return {
    name: 'indent-with-tabs',
    closeBundle() {
      for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(?:js|d\.ts)$/.test(name) || name.includes(join('playground', 'page'))) continue;
        const text = readFileSync(join(dist, name), 'utf8');
        if (/^ {4}/m.test(text)) writeFileSync(join(dist, name), withTabs(text));
      }
    },
  };
}

function withTabs(text: string): string {
  const within = textOfTemplates(text);
  return text.replace(/^(?: {4})+/gm, (spaces, at: number) =>
    within.some(([start, end]) => at > start && at < end) ? spaces : '\t'.repeat(spaces.length / 4),
  );
}

/** Where templates of several lines are: their spaces are text. */
function textOfTemplates(text: string): (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  const visit = (node: ts.Node): void => {
    const isText = ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateLiteralToken(node);
    if (isText && node.getText(source).includes('\n')) found.push([node.getStart(source), node.end]);
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext);
  if (text.includes('`')) visit(source);
  return found;
}

/** The playground's page, as the package ships it. */
export default defineConfig({
  root: 'src/playground/page',
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [shipReachedTypes(), indentWithTabs()],
  build: {
    outDir: '../../../dist/src/playground/page',
    emptyOutDir: true,
    target: 'es2022',
    // The page's policy allows neither data URLs as styles' pictures nor scripts between the tags.
    assetsInlineLimit: 0,
    modulePreload: false,
    license: { fileName: 'licences.md' },
    // Validators tell versions apart, not names.
    rolldownOptions: {
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: '[name][extname]' },
    },
  },
});
