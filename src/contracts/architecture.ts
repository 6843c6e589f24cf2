import type { SessionBackend } from './sessions.ts';
import type { ModelSpec } from './model.ts';
import type { FileEvidence, ModelFiles } from './files.ts';

/**
 * A kind of model of a category, listed in `architectures.ts` of the category (graphs for any session backend) or of a backend
 * that opens it in its own way. Loads no native code before `open`.
 */
export interface Architecture<Opened = unknown, Settings extends object = object> {
  /** Name for users, such as `whisper`. */
  readonly name: string;
  /** Values of `model_type` in `config.json` that identify it and its category. */
  readonly modelTypes: readonly string[];
  /** Values of `model_type` shared with different categories: they identify it once the category is known. */
  readonly sharedModelTypes?: readonly string[];
  /** More evidence, such as a class name. */
  recognize?(evidence: FileEvidence): boolean;
  /** Opens models that no architecture of its list recognizes, if their category is configured. */
  readonly isDefault?: boolean;
  readonly files: ModelFiles;
  /**
   * Opens a model for the pipeline of its category.
   *
   * @param spec of a model on this disk
   * @param sessions of the backend, to open graphs
   * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
   */
  open(spec: ModelSpec<Settings>, sessions: SessionBackend): Promise<Opened>;
}
