import type { SessionBackend } from './sessions.ts';
import type { ModelSpec } from './model.ts';
import type { FileEvidence, ModelFiles } from './files.ts';

/**
 * One kind of model of a category, one line in a list of them: `architectures.ts` of the category for graphs that any
 * backend of sessions runs, `architectures.ts` of a backend for those that it opens in its own way. It loads no native
 * code before `open`.
 */
export interface Architecture<Opened = unknown, Settings extends object = object> {
  /** Name for users, such as `whisper`. */
  readonly name: string;
  /** Values of `model_type` in `config.json` that name it, and show the category of a model. */
  readonly modelTypes: readonly string[];
  /** Values of `model_type` that models of other categories have, too: they name it once the category is known. */
  readonly sharedModelTypes?: readonly string[];
  /** Further signs of it, such as the name of a class. */
  recognize?(evidence: FileEvidence): boolean;
  /** Whether it opens the models that no architecture of its list recognizes, once somebody has said their category. */
  readonly isDefault?: boolean;
  /** The files that such a model is made of. */
  readonly files: ModelFiles;
  /**
   * Opens a model for the pipeline of its category.
   *
   * @param spec of a model on this disk
   * @param sessions of the backend, by which graphs are opened
   * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
   */
  open(spec: ModelSpec<Settings>, sessions: SessionBackend): Promise<Opened>;
}
