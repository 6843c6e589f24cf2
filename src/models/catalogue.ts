/** A well-known model of the hub. */
export interface CatalogueEntry {
  readonly category: 'embedding';
  /** Id on the hub; its repository has the ONNX layout. */
  readonly source: string;
  /** Display name. */
  readonly name: string;
}

/**
 * Well-known models by the ids under which clients ask for them.
 *
 * @example
 * ```ts
 * createInference({ models: { 'all-MiniLM-L6-v2': catalogue['all-MiniLM-L6-v2'] } });
 * ```
 */
export const catalogue = {
  'all-MiniLM-L6-v2': {
    category: 'embedding',
    source: 'sentence-transformers/all-MiniLM-L6-v2',
    name: 'all-MiniLM-L6-v2',
  },
  'bge-small-en-v1.5': {
    category: 'embedding',
    source: 'BAAI/bge-small-en-v1.5',
    name: 'bge-small-en-v1.5',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
