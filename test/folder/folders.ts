import type { ModelFolder } from '../../src/contracts/text-model.ts';

/** A model's small files, as little of them as a test needs. */
export function folderOf(parts: Partial<ModelFolder>): ModelFolder {
  return {
    path: '/models/test',
    config: {},
    generationConfig: {},
    tokenizer: {},
    tokenizerConfig: {},
    chatTemplate: undefined,
    created: 0,
    ...parts,
  };
}
