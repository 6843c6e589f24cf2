import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { defineConfig, type Plugin } from 'vite';

const root = import.meta.dirname;
const dist = join(root, 'dist');

/** npm reads `dist/.npmignore`: of what the compiler wrote, the package holds the declarations that its entries reach. */
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
        exports: Record<string, string | { types: string }>;
      };
      for (const entry of Object.values(manifest.exports))
        if (typeof entry === 'object') visit(join(root, entry.types));
      const kept = [...reached].map((file) => `!/${relative(dist, file).replaceAll('\\', '/')}`);
      const compiled = ['/src/**/*.js', '!/src/playground/page/**', '/adapters/*.js', '/benchmarks'];
      writeFileSync(join(dist, '.npmignore'), ['*.d.ts', ...compiled, ...kept.sort(), ''].join('\n'));
    },
  };
}

/** The playground's page, as the package ships it. */
export default defineConfig({
  root: 'src/playground/page',
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [shipReachedTypes()],
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
