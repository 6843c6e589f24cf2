// A plugin of typedoc: documents are named by their headings and grouped by their folders, modules by their entry points, pages have
// a main landmark and tables that the keyboard scrolls, and `llms.txt` lists the documents.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Converter, PageEvent, ReflectionKind, RendererEvent } from 'typedoc';

/**
 * The part of markdown-it that is used here; the package brings no types.
 *
 * @typedef {{ tokens: { type: string, children: { type: string }[] | null }[] }} State
 * @typedef {{ core: { ruler: { push(name: string, rule: (state: State) => void): void } } }} Parser
 */

/** Folders below `docs`, and the groups of their pages in the navigation. */
const groups = { endpoints: 'Endpoints', guides: 'Guides', decisions: 'Decisions' };

/** @param {import('typedoc').Application} app */
export function load(app) {
  /** @type {Map<import('typedoc').DocumentReflection, { path: string, text: string }>} */
  const pages = new Map();

  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const path = join('docs', `${document.name}.md`);
    const text = readFileSync(path, 'utf8');
    const folder = /** @type {keyof typeof groups} */ (relative('docs', path).split(/[/\\]/)[0]);
    document.name = headingOf(text) ?? document.name;
    document.frontmatter['group'] = groups[folder] ?? 'Documentation';
    pages.set(document, { path, text });
  });

  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      module.name = module.name.replace(/^(?:src\/entries|adapters|src)(?=\/|$)/, 'slashv1');
    }
  });

  // The list of headings leaves code out, so there is none in headings.
  app.on('bootstrapEnd', () =>
    app.options.setValue('markdownItLoader', (/** @type {Parser} */ parser) => {
      parser.core.ruler.push('headings-without-code', ({ tokens }) => {
        for (const [index, { type }] of tokens.entries()) {
          if (type !== 'heading_open') continue;
          for (const part of tokens[index + 1]?.children ?? []) {
            if (part.type === 'code_inline') part.type = 'text';
          }
        }
      });
    }),
  );

  app.renderer.on(PageEvent.END, (page) => {
    page.contents = (page.contents ?? '')
      .replace('<div class="col-content">', '<div class="col-content" role="main">')
      .replace('<div class="page-menu">', '<div class="page-menu" role="navigation" aria-label="This page">')
      .replaceAll('<table>', '<div class="scrolling" role="group" aria-label="Table" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>');
  });

  app.renderer.on(RendererEvent.END, ({ outputDirectory, pages: rendered }) => {
    const readme = readFileSync('README.md', 'utf8');
    const urls = new Map(rendered.map(({ model, url }) => [/** @type {unknown} */ (model), url]));
    const listed = [...pages].filter(([, { path }]) => !/decisions/.test(path));
    const lines = listed.map(
      ([document, { text }]) => `- [${document.name}](${urls.get(document)}): ${firstSentence(text)}`,
    );
    const summary = `# slashv1\n\n> ${firstSentence(readme)}\n\n## Documentation\n\n${lines.join('\n')}\n`;
    writeFileSync(join(outputDirectory, 'llms.txt'), summary);
    const whole = [readme, ...listed.map(([, { text }]) => text)].join('\n\n---\n\n');
    writeFileSync(join(outputDirectory, 'llms-full.txt'), whole);
  });
}

/** @param {string} text */
function headingOf(text) {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '');
}

/** @param {string} text */
function firstSentence(text) {
  const prose = text.replaceAll(/^(`{3,})[^]*?^\1$|<!--[^]*?-->|^#.*$/gm, '');
  const paragraph = prose.split(/\n{2,}/).find((one) => /^\s*[\w*`[]/.test(one)) ?? '';
  const words = paragraph
    .trim()
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  return words.split(/(?<=[.?]) /)[0] ?? '';
}
