import { getDefaults, Lexer } from 'marked';
import { element } from './element.js';
import { copyButton } from './copy-button.js';
import { decorable, decorate } from './decorate.js';
import { mathExtensions } from './math-tokens.js';

/**
 * @typedef {import('marked').Token} Token
 * @typedef {import('marked').Tokens.Generic} AnyToken
 */

/** Deeper lists and quotes stay plain, to avoid stack overflow. */
const maxDepth = 20;
/** The lexer's time is cubic in these; paragraphs with more stay plain. */
const maxMarks = 400;
const marks = /[*_~`[\]<!$]+/g;
/** Text without changes for this long is probably complete. */
const settledMs = 200;

/**
 * * Shows growing Markdown safely: HTML is shown as text, links are limited to http and mail, and remote pictures are links.
 *
 * @param {string} [className]
 */
export function createMarkdownView(className = '') {
  const root = element('div', { class: `markdown ${className}`, hidden: true });
  let text = '';
  /** @type {string[]} the source of each visible block */
  let shown = [];
  /** @type {Token[]} final blocks: an incomplete line may still belong to the previous list */
  const settled = [];
  /** Start of the unsettled blocks in the text. */
  let settledTo = 0;
  /** @type {import('marked').Links} of settled blocks */
  const links = Object.create(null);
  let frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const show = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    const fresh = blocksIn(text.slice(settledTo), links);
    const visible = fresh.filter(({ type }) => type !== 'space');
    const blocks = [...settled, ...visible];
    const end = visible.length < 2 ? 0 : fresh.indexOf(/** @type {Token} */ (visible.at(-2)));
    for (const token of fresh.slice(0, end)) {
      const block = /** @type {AnyToken} */ (token);
      settledTo += block.raw.length;
      if (block.type !== 'space') settled.push(block);
      if (block.type === 'def') links[block['tag']] ??= /** @type {any} */ (block);
    }
    const same = blocks.findIndex(({ raw }, index) => raw !== shown[index]);
    const first = same === -1 ? blocks.length : same;
    while (root.childNodes.length > first) root.lastChild?.remove();
    root.append(...blocks.slice(first).map((block) => toBlock(block, 0)));
    shown = blocks.map(({ raw }) => raw);
    // The last block may still grow and be rebuilt with each piece.
    for (const block of [...root.children].slice(first === 0 ? 0 : first - 1, -1)) decorate(block);
    clearTimeout(timer);
    timer = setTimeout(() => decorate(root), settledMs);
    root.hidden = blocks.length === 0;
  };
  return {
    root,
    text: () => text,
    /** Renders immediately instead of in the next frame. */
    show,
    /** @param {string} more */
    append(more) {
      text = (text + (text === '' ? more.trimStart() : more)).replaceAll('\r\n', '\n');
      if (text !== '') root.hidden = false;
      // Several pieces may arrive within one frame; hidden pages have no frames.
      if (document.hidden) show();
      else frame ||= requestAnimationFrame(show);
    },
  };
}

/** @param {string} text @param {import('marked').Links} links of the preceding text @returns {Token[]} */
function blocksIn(text, links) {
  try {
    const lexer = new Lexer({ ...getDefaults(), extensions: /** @type {any} */ (mathExtensions) });
    Object.assign(lexer.tokens.links, links);
    lexer.blockTokens(text.replaceAll('\r', '\n'), lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      const isCheap = src.length < maxMarks || (src.match(marks) ?? []).length <= maxMarks;
      if (isCheap) lexer.inlineTokens(src, tokens);
      else tokens.push({ type: 'escape', raw: src, text: src });
    }
    return lexer.tokens;
  } catch {
    // Thousands of nested quotes overflow the lexer's stack.
    return [{ type: 'plain', raw: text }];
  }
}

/** @param {Token} token @param {number} depth @returns {Node} */
function toBlock(token, depth) {
  const block = /** @type {AnyToken} */ (token);
  if (depth > maxDepth) return element('p', {}, block.raw);
  switch (block.type) {
    case 'heading':
      // Levels 1 and 2 are the page's own headings.
      return element(headings[block['depth'] - 1] ?? 'h6', {}, ...inline(block.tokens, depth));
    case 'code':
      return codeBlock(block['text'], block['lang'] ?? '');
    case 'blockquote':
      return element('blockquote', {}, ...blocksOf(block.tokens, depth));
    case 'math':
      return element('p', {}, formula(block));
    case 'hr':
      return element('hr');
    case 'list':
      return list(/** @type {import('marked').Tokens.List} */ (token), depth);
    case 'table':
      return table(/** @type {import('marked').Tokens.Table} */ (token), depth);
    case 'text':
    case 'paragraph':
      return element('p', {}, ...inline(block.tokens ?? [token], depth));
    default:
      return element('p', {}, block.raw.trimEnd());
  }
}

const headings = /** @type {const} */ (['h3', 'h4', 'h5', 'h6']);

/** @param {readonly Token[] | undefined} tokens @param {number} depth */
function blocksOf(tokens = [], depth) {
  return tokens.filter(({ type }) => type !== 'space').map((token) => toBlock(token, depth + 1));
}

/** @param {string} code @param {string} language */
function codeBlock(code, language) {
  return element(
    'figure',
    { class: 'code-block' },
    element(
      'figcaption',
      {},
      element('span', {}, language.split(/\s/, 1)[0] || 'code'),
      copyButton('Copy', 'Copy code', () => code),
    ),
    element('pre', { tabindex: '0' }, decorable(code, language.split(/\s/, 1)[0]?.toLowerCase() ?? '')),
  );
}

/** @param {import('marked').Tokens.List} token @param {number} depth */
function list({ ordered, start, items }, depth) {
  const entries = items.map(({ tokens, task, checked }) =>
    element('li', {}, task ? (checked ? '☑ ' : '☐ ') : null, ...tightBlocks(tokens, depth)),
  );
  if (!ordered) return element('ul', {}, ...entries);
  return element('ol', { start: typeof start === 'number' && start !== 1 ? start : undefined }, ...entries);
}

/** Unwraps the text of list entries. @param {readonly Token[]} tokens @param {number} depth */
function tightBlocks(tokens, depth) {
  const blocks = tokens.filter(({ type }) => type !== 'space' && type !== 'checkbox');
  return blocks.flatMap((token) =>
    token.type === 'text'
      ? inline(/** @type {AnyToken} */ (token).tokens ?? [token], depth)
      : [toBlock(token, depth + 1)],
  );
}

/** @param {import('marked').Tokens.Table} token @param {number} depth */
function table({ header, rows }, depth) {
  const cell =
    (/** @type {'th' | 'td'} */ tag) =>
    (/** @type {import('marked').Tokens.TableCell} */ { tokens, align }) =>
      element(tag, { class: align === 'right' ? 'number' : undefined }, ...inline(tokens, depth));
  return element(
    'div',
    { class: 'table-frame', tabindex: '0' },
    element(
      'table',
      { class: 'table' },
      element('thead', {}, element('tr', {}, ...header.map(cell('th')))),
      element('tbody', {}, ...rows.map((row) => element('tr', {}, ...row.map(cell('td'))))),
    ),
  );
}

/** @param {readonly Token[] | undefined} tokens @param {number} depth @returns {(Node | string)[]} */
function inline(tokens = [], depth) {
  return tokens.map((token) => toInline(token, depth + 1));
}

const tags = /** @type {const} */ ({ strong: 'strong', em: 'em', del: 'del' });

/** @param {Token} token @param {number} depth @returns {Node | string} */
function toInline(token, depth) {
  const part = /** @type {AnyToken} */ (token);
  if (depth > maxDepth) return part.raw;
  switch (part.type) {
    case 'strong':
    case 'em':
    case 'del':
      return element(tags[part.type], {}, ...inline(part.tokens, depth));
    case 'codespan':
      return element('code', {}, part['text']);
    case 'math':
      return formula(part);
    case 'br':
      return element('br');
    case 'link':
    case 'image':
      return link(part, depth);
    case 'text':
      return part.tokens ? element('span', {}, ...inline(part.tokens, depth)) : unescaped(part['text']);
    case 'escape':
      return part['text'];
    default:
      return part.raw;
  }
}

/** LaTeX source, without Markdown inside. @param {AnyToken} part */
function formula(part) {
  return element('code', { class: 'formula' }, part['text']);
}

/** @param {AnyToken} part @param {number} depth */
function link(part, depth) {
  const children = part.type === 'link' ? inline(part.tokens, depth) : [part['text'] || part['href']];
  if (!/^(?:https?|mailto):/i.test(part['href'])) return element('span', {}, ...children);
  const attributes = { href: part['href'], rel: 'noopener noreferrer', target: '_blank' };
  return element('a', attributes, ...children);
}

const entities = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
]);

/** The lexer keeps entities, since its output is meant for HTML. @param {string} text */
function unescaped(text) {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities.get(entity) ?? entity);
}
