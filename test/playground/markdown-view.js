// A module for tests in a browser: the page itself exports nothing.
export { Lexer } from 'marked';
export { createMarkdownView } from '../../src/playground/page/scripts/dom/markdown.js';
