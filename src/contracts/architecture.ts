import type { SessionBackend } from './sessions.ts';
import type { ModelSpec } from './model.ts';
import type { FileEvidence, ModelFiles } from './files.ts';

/**
 * A kind of model, listed in `models.ts` of its category (graphs for any session backend) or in `architectures.ts` of a backend that opens
 * it in its own way. Loads no native code before `open`.
 */
export interface Architecture<Opened = unknown, Settings extends object = object> {
  /** Name for users, such as `whisper`. */
  readonly name: string;
  /** Values of `model_type` in `config.json` that identify it and its category. */
  readonly modelTypes: readonly string[];
  /** Values of `model_type` shared with different categories: valid once the category is known. */
  readonly sharedModelTypes?: readonly string[];
  recognize?(evidence: FileEvidence): boolean;
  /** Opens unrecognized models, if their category is configured. */
  readonly isDefault?: boolean;
  readonly files: ModelFiles;
  /** @param spec of a model on this disk @throws InferenceError `invalid_request` naming the file or setting that doesn't fit */
  open(spec: ModelSpec<Settings>, sessions: SessionBackend): Promise<Opened>;
}
