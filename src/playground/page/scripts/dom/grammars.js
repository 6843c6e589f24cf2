import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import { element } from './element.js';

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  shell,
  sql,
  typescript,
  xml,
  yaml,
});

/**
 * * Highlights code with highlight.js's classes.
 *
 * @param {string} code
 * @param {string} language a name or an alias, such as `js`
 * @returns {(Node | string)[] | undefined} `undefined` for an unknown language
 */
export function render(code, language) {
  if (!lowlight.registered(language)) return undefined;
  return lowlight.highlight(language, code).children.map(toNode);
}

/** @param {import('hast').RootContent} part @returns {Node | string} */
function toNode(part) {
  if (part.type === 'text') return part.value;
  if (part.type !== 'element') return '';
  const names = part.properties['className'];
  return element(
    'span',
    { class: Array.isArray(names) ? names.join(' ') : '' },
    ...part.children.map(toNode),
  );
}
