// Document search: an embedding model finds candidates, a rerank model orders them. Documents and vectors
// are stored in one SQLite file.
// Usage: node examples/search/search.js "a question" [file.txt …], each line of a file is a document
import { fileURLToPath } from 'node:url';
import { readFile } from 'node:fs/promises';
import sqlite from 'node-sqlite3-wasm';
import { createInference, embedding, rerank } from 'slashv1';

/** Number of documents to rerank: vector comparison is fast but coarse. */
const candidates = 20;

/**
 * Opens a store of documents.
 *
 * @param {import('slashv1').Inference} inference with the models `embedder` and `reranker`
 * @param {string} path of the database
 */
export function openSearch(inference, path) {
  const database = new sqlite.Database(path);
  database.exec(
    'CREATE TABLE IF NOT EXISTS documents (id INTEGER PRIMARY KEY, text TEXT UNIQUE, vector BLOB)',
  );

  /** @param {readonly string[]} texts */
  async function add(texts) {
    const { embeddings } = await inference.embed({ model: 'embedder', input: texts });
    for (const [index, text] of texts.entries()) {
      const { buffer, byteOffset, byteLength } = /** @type {Float32Array} */ (embeddings[index]);
      const vector = new Uint8Array(buffer, byteOffset, byteLength);
      database.run('INSERT OR REPLACE INTO documents (text, vector) VALUES (?, ?)', [text, vector]);
    }
  }

  /** @param {string} query @param {number} [count] @returns {Promise<{ text: string, score: number }[]>} best first */
  async function search(query, count = 3) {
    const { embeddings } = await inference.embed({ model: 'embedder', input: [query] });
    const wanted = /** @type {Float32Array} */ (embeddings[0]);
    const rows = /** @type {{ text: string, vector: Uint8Array }[]} */ (
      /** @type {unknown} */ (database.all('SELECT text, vector FROM documents'))
    );
    const near = rows
      .map(({ text, vector }) => ({
        text,
        similarity: dot(wanted, new Float32Array(Uint8Array.from(vector).buffer)),
      }))
      .toSorted((a, b) => b.similarity - a.similarity)
      .slice(0, candidates);
    if (near.length === 0) return [];
    const documents = near.map(({ text }) => text);
    const { results } = await inference.rerank({ model: 'reranker', query, documents, topN: count });
    return results.map(({ index, relevanceScore }) => ({
      text: /** @type {string} */ (documents[index]),
      score: relevanceScore,
    }));
  }

  return { add, search, close: () => database.close() };
}

/** Cosine similarity: the vectors have length 1. @param {Float32Array} a @param {Float32Array} b */
function dot(a, b) {
  return a.reduce((sum, value, index) => sum + value * /** @type {number} */ (b[index]), 0);
}

if (fileURLToPath(import.meta.url) === process.argv[1]) {
  const [query, ...files] = process.argv.slice(2);
  if (query === undefined) throw new Error('Usage: node examples/search/search.js "a question" [file.txt …]');
  const inference = createInference({
    models: { embedder: embedding({ source: 'tiny-embed' }), reranker: rerank({ source: 'tiny-rerank' }) },
  });
  const store = openSearch(inference, 'search.db');
  for (const file of files) {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
    await store.add(lines);
  }
  for (const { text, score } of await store.search(query)) console.log(score.toFixed(3), text);
  store.close();
  await inference.close();
}
