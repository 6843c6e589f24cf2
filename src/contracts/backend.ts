import type { Architecture } from './architecture.ts';
import type { CategoryDefinition, Pipeline } from './category.ts';
import type { BackendDescriptor, ModelSpec } from './model.ts';
import type { SessionBackend } from './sessions.ts';
import type { ModelFiles } from './files.ts';

/** Loads a model into this process. */
export type LoadPipeline = (spec: ModelSpec) => Promise<Pipeline>;

/** Loads a model of one category over a backend that runs graphs, or architectures of its own. */
export type LoadOverSessions = (
  spec: ModelSpec,
  backend: SessionBackend,
  architecture: Architecture<never>,
) => Promise<Pipeline>;

/** A backend as it works: it runs graphs, or whole models. */
export type Backend =
  | {
      readonly sessions: SessionBackend;
      /** Adapts a pipeline that was loaded over the sessions. */
      wrap?(pipeline: Pipeline): Pipeline;
    }
  | { readonly loadPipeline: LoadPipeline };

/** The one object by which everything else finds a backend. It loads no native code. */
export interface BackendDefinition {
  readonly kind: string;
  /** Notation for users: `remote.openai({…})`. */
  readonly spelling: string;
  /** The process that it runs in: a worker, or the host where it computes nothing itself. */
  readonly place: 'worker' | 'host';
  /** Settings of a model that it can't honour. */
  readonly foreignSettings: readonly string[];
  /** The architectures that it opens in place of those of a category, by category. */
  readonly architectures?: Readonly<Record<string, readonly Architecture[]>>;
  /** The files of its models, where no architecture names them; default: those that the category names. */
  readonly files?: ModelFiles;
  /** Whether it runs a source where the settings name no backend. */
  ownsSource?(source: string): boolean;
  /** Whether it runs the models of a category. */
  runs(category: Pick<CategoryDefinition, 'name' | 'isStateless'>): boolean;
  /** Further reason why it doesn't run a category. */
  refusal?(category: Pick<CategoryDefinition, 'name'>): string;
  /** Checks that reach beyond one setting; `path` begins the name of a setting. @throws InferenceError `invalid_request` */
  assert?(descriptor: BackendDescriptor, path: string): void;
  /** Names of devices that its settings add. */
  devices?(descriptor: BackendDescriptor | undefined): readonly string[];
  /** Imported late: it may load native code. */
  open(spec: ModelSpec): Promise<Backend>;
}
