import { defineConfig } from 'vite';

/** The playground's page, as the package ships it. */
export default defineConfig({
  root: 'src/playground/page',
  base: './',
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: '../../../dist/src/playground/page',
    emptyOutDir: true,
    target: 'es2022',
    // The page's policy allows neither data URLs as styles' pictures nor scripts between the tags.
    assetsInlineLimit: 0,
    modulePreload: false,
    license: { fileName: 'licences.md' },
    // Validators tell versions apart, not names.
    rolldownOptions: { output: { entryFileNames: '[name].js', assetFileNames: '[name][extname]' } },
  },
});
