/** A JSON object in a file. */
export type Json = Readonly<Record<string, unknown>>;

/** The weights of a model to load. */
export type Dtype = 'auto' | 'fp32' | 'fp16' | 'q8' | 'q4' | 'q4f16';

export interface FileTree {
  /** For messages: a path or the id of a repository. */
  readonly name: string;
  has(path: string): boolean;
  /** Names of the files in one folder, `''` for the root; empty if the folder is missing. */
  list(folder: string): readonly string[];
}

export interface ModelFiles {
  /** Small files, including optional ones; `*` matches any name in a folder. */
  readonly small: readonly string[];
  /** Default names of its graphs, without the dtype's suffix and `.onnx`. */
  readonly stems: readonly string[];
  /** Paths of the graphs. @throws InferenceError `invalid_request` if one is missing */
  graphs(files: FileTree, dtype?: Dtype): readonly string[];
}

export interface FileEvidence {
  readonly files: readonly { readonly path: string }[];
  /** `config.json`; empty if missing. */
  readonly config: Json;
}

export interface DescribedFile {
  /** Relative to the model, separated by `/`. */
  readonly path: string;
  /** `undefined` if the server doesn't report it. */
  readonly sizeBytes: number | undefined;
}

export interface ModelPlace {
  readonly kind: 'bundled' | 'folder' | 'file' | 'address' | 'hub';
  readonly folder: string | undefined;
  readonly files: readonly DescribedFile[];
  /** `undefined` if missing. */
  readText(path: string): Promise<string | undefined>;
  /** Absent if the small files have to determine it. */
  readonly category?: string | undefined;
}
