import type { Dtype } from '../contracts/files.ts';

/** A well-known model of the hub. */
export interface CatalogueEntry {
  readonly category: string;
  /** Id on Hugging Face, perhaps with a revision; its repository has the ONNX layout. */
  readonly source: string;
  /** Display name. */
  readonly name: string;
  /** The dtype that is loaded by default; `auto` if left out. */
  readonly dtype?: Dtype | undefined;
  /** Name on Hugging Face. */
  readonly license: string;
  /** Numbers that it has learnt. */
  readonly parameters: number;
  /** Other names under which it may be given as `source`. */
  readonly aliases: readonly string[];
}

/**
 * Well-known models by the ids under which clients ask for them. `source` takes these ids, too.
 *
 * @example
 * ```ts
 * createInference({ models: { 'all-MiniLM-L6-v2': catalogue['all-MiniLM-L6-v2'] } });
 * createInference({ models: { recognizer: transcription({ source: 'whisper-medium' }) } });
 * ```
 */
export const catalogue = {
  'smollm2-135m': {
    category: 'chat',
    source: 'HuggingFaceTB/SmolLM2-135M-Instruct',
    name: 'SmolLM2 135M Instruct',
    license: 'apache-2.0',
    parameters: 135e6,
    aliases: [],
  },
  'smollm2-360m': {
    category: 'chat',
    source: 'HuggingFaceTB/SmolLM2-360M-Instruct',
    name: 'SmolLM2 360M Instruct',
    license: 'apache-2.0',
    parameters: 362e6,
    aliases: [],
  },
  'smollm2-1.7b': {
    category: 'chat',
    source: 'HuggingFaceTB/SmolLM2-1.7B-Instruct',
    name: 'SmolLM2 1.7B Instruct',
    dtype: 'q4',
    license: 'apache-2.0',
    parameters: 1.71e9,
    aliases: [],
  },
  'smollm3-3b': {
    category: 'chat',
    source: 'HuggingFaceTB/SmolLM3-3B-ONNX',
    name: 'SmolLM3 3B',
    dtype: 'q4',
    license: 'apache-2.0',
    parameters: 3.08e9,
    aliases: ['HuggingFaceTB/SmolLM3-3B'],
  },
  'qwen2.5-0.5b': {
    category: 'chat',
    source: 'onnx-community/Qwen2.5-0.5B-Instruct',
    name: 'Qwen2.5 0.5B Instruct',
    dtype: 'q4',
    license: 'apache-2.0',
    parameters: 494e6,
    aliases: ['Qwen/Qwen2.5-0.5B-Instruct'],
  },
  'qwen2.5-1.5b': {
    category: 'chat',
    source: 'onnx-community/Qwen2.5-1.5B-Instruct',
    name: 'Qwen2.5 1.5B Instruct',
    dtype: 'q4',
    license: 'apache-2.0',
    parameters: 1.54e9,
    aliases: ['Qwen/Qwen2.5-1.5B-Instruct'],
  },
  'qwen3-0.6b': {
    category: 'chat',
    source: 'onnx-community/Qwen3-0.6B-ONNX',
    name: 'Qwen3 0.6B',
    dtype: 'q4',
    license: 'apache-2.0',
    parameters: 596e6,
    aliases: ['Qwen/Qwen3-0.6B'],
  },
  'qwen3-1.7b': {
    category: 'chat',
    source: 'onnx-community/Qwen3-1.7B-ONNX',
    name: 'Qwen3 1.7B',
    dtype: 'q4',
    license: 'apache-2.0',
    parameters: 1.72e9,
    aliases: ['Qwen/Qwen3-1.7B'],
  },
  'qwen3-4b': {
    category: 'chat',
    source: 'onnx-community/Qwen3-4B-ONNX',
    name: 'Qwen3 4B',
    dtype: 'q4f16',
    license: 'apache-2.0',
    parameters: 4.02e9,
    aliases: ['Qwen/Qwen3-4B'],
  },
  'llama-3.2-1b': {
    category: 'chat',
    source: 'onnx-community/Llama-3.2-1B-Instruct',
    name: 'Llama 3.2 1B Instruct',
    dtype: 'q4',
    license: 'llama3.2',
    parameters: 1.24e9,
    aliases: ['meta-llama/Llama-3.2-1B-Instruct'],
  },
  'llama-3.2-3b': {
    category: 'chat',
    source: 'onnx-community/Llama-3.2-3B-Instruct',
    name: 'Llama 3.2 3B Instruct',
    dtype: 'q4',
    license: 'llama3.2',
    parameters: 3.21e9,
    aliases: ['meta-llama/Llama-3.2-3B-Instruct'],
  },
  'gemma-3-270m': {
    category: 'chat',
    source: 'onnx-community/gemma-3-270m-it-ONNX',
    name: 'Gemma 3 270M Instruct',
    license: 'gemma',
    parameters: 268e6,
    aliases: ['google/gemma-3-270m-it'],
  },
  'gemma-3-1b': {
    category: 'chat',
    source: 'onnx-community/gemma-3-1b-it-ONNX',
    name: 'Gemma 3 1B Instruct',
    dtype: 'q4',
    license: 'gemma',
    parameters: 1e9,
    aliases: ['google/gemma-3-1b-it'],
  },
  'phi-3.5-mini': {
    category: 'chat',
    source: 'onnx-community/Phi-3.5-mini-instruct-onnx-web',
    name: 'Phi 3.5 mini Instruct',
    dtype: 'q4f16',
    license: 'mit',
    parameters: 3.82e9,
    aliases: ['microsoft/Phi-3.5-mini-instruct'],
  },
  'deepseek-r1-distill-qwen-1.5b': {
    category: 'chat',
    source: 'onnx-community/DeepSeek-R1-Distill-Qwen-1.5B-ONNX',
    name: 'DeepSeek R1 Distill Qwen 1.5B',
    dtype: 'q4',
    license: 'mit',
    parameters: 1.78e9,
    aliases: ['deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B'],
  },
  'sdxl-turbo': {
    category: 'image',
    source: 'stabilityai/sdxl-turbo',
    name: 'SDXL Turbo',
    license: 'sai-nc-community',
    parameters: 3.47e9,
    aliases: [],
  },
  'stable-diffusion-xl': {
    category: 'image',
    source: 'stabilityai/stable-diffusion-xl-base-1.0',
    name: 'Stable Diffusion XL 1.0',
    license: 'openrail++',
    parameters: 3.47e9,
    aliases: ['sdxl'],
  },
  'stable-diffusion-v1-4': {
    category: 'image',
    source: 'CompVis/stable-diffusion-v1-4@onnx',
    name: 'Stable Diffusion 1.4',
    license: 'creativeml-openrail-m',
    parameters: 1.07e9,
    aliases: [],
  },
  'whisper-tiny': {
    category: 'transcription',
    source: 'onnx-community/whisper-tiny',
    name: 'Whisper tiny',
    license: 'apache-2.0',
    parameters: 38e6,
    aliases: ['openai/whisper-tiny'],
  },
  'whisper-base': {
    category: 'transcription',
    source: 'onnx-community/whisper-base',
    name: 'Whisper base',
    license: 'apache-2.0',
    parameters: 73e6,
    aliases: ['openai/whisper-base'],
  },
  'whisper-small': {
    category: 'transcription',
    source: 'onnx-community/whisper-small',
    name: 'Whisper small',
    license: 'apache-2.0',
    parameters: 242e6,
    aliases: ['openai/whisper-small'],
  },
  'whisper-medium': {
    category: 'transcription',
    source: 'Xenova/whisper-medium',
    name: 'Whisper medium',
    dtype: 'q8',
    license: 'apache-2.0',
    parameters: 764e6,
    aliases: ['openai/whisper-medium'],
  },
  'whisper-large': {
    category: 'transcription',
    source: 'Xenova/whisper-large-v2',
    name: 'Whisper large v2',
    dtype: 'q8',
    license: 'apache-2.0',
    parameters: 1.54e9,
    aliases: ['whisper-large-v2', 'openai/whisper-large', 'openai/whisper-large-v2'],
  },
  'whisper-large-v3': {
    category: 'transcription',
    source: 'Xenova/whisper-large-v3',
    name: 'Whisper large v3',
    dtype: 'q8',
    license: 'apache-2.0',
    parameters: 1.54e9,
    aliases: ['openai/whisper-large-v3'],
  },
  'whisper-large-v3-turbo': {
    category: 'transcription',
    source: 'onnx-community/whisper-large-v3-turbo',
    name: 'Whisper large v3 turbo',
    dtype: 'q8',
    license: 'mit',
    parameters: 809e6,
    aliases: ['openai/whisper-large-v3-turbo'],
  },
  'kokoro-82m': {
    category: 'speech',
    source: 'onnx-community/Kokoro-82M-v1.0-ONNX',
    name: 'Kokoro 82M',
    license: 'apache-2.0',
    parameters: 82e6,
    aliases: ['kokoro', 'hexgrad/Kokoro-82M'],
  },
  'rtdetr-v2-r18': {
    category: 'detection',
    source: 'onnx-community/rtdetr_v2_r18vd-ONNX',
    name: 'RT-DETRv2 R18',
    license: 'apache-2.0',
    parameters: 20e6,
    aliases: ['PekingU/rtdetr_v2_r18vd'],
  },
  'rtdetr-v2-r50': {
    category: 'detection',
    source: 'onnx-community/rtdetr_v2_r50vd-ONNX',
    name: 'RT-DETRv2 R50',
    license: 'apache-2.0',
    parameters: 43e6,
    aliases: ['PekingU/rtdetr_v2_r50vd'],
  },
  'dfine-s': {
    category: 'detection',
    source: 'onnx-community/dfine_s_coco-ONNX',
    name: 'D-FINE S',
    license: 'apache-2.0',
    parameters: 10e6,
    aliases: ['ustc-community/dfine-small-coco'],
  },
  'all-MiniLM-L6-v2': {
    category: 'embedding',
    source: 'sentence-transformers/all-MiniLM-L6-v2',
    name: 'all-MiniLM-L6-v2',
    license: 'apache-2.0',
    parameters: 23e6,
    aliases: [],
  },
  'bge-small-en-v1.5': {
    category: 'embedding',
    source: 'BAAI/bge-small-en-v1.5',
    name: 'bge-small-en-v1.5',
    license: 'mit',
    parameters: 33e6,
    aliases: [],
  },
  'ms-marco-MiniLM-L6-v2': {
    category: 'rerank',
    source: 'Xenova/ms-marco-MiniLM-L-6-v2',
    name: 'ms-marco-MiniLM-L6-v2',
    license: 'apache-2.0',
    parameters: 23e6,
    aliases: ['cross-encoder/ms-marco-MiniLM-L6-v2', 'cross-encoder/ms-marco-MiniLM-L-6-v2'],
  },
  'bge-reranker-base': {
    category: 'rerank',
    source: 'Xenova/bge-reranker-base',
    name: 'bge-reranker-base',
    license: 'mit',
    parameters: 278e6,
    aliases: ['BAAI/bge-reranker-base'],
  },
  'bge-reranker-v2-m3': {
    category: 'rerank',
    source: 'onnx-community/bge-reranker-v2-m3-ONNX',
    name: 'bge-reranker-v2-m3',
    dtype: 'q8',
    license: 'apache-2.0',
    parameters: 568e6,
    aliases: ['BAAI/bge-reranker-v2-m3'],
  },
  'gte-reranker-modernbert-base': {
    category: 'rerank',
    source: 'Alibaba-NLP/gte-reranker-modernbert-base',
    name: 'gte-reranker-modernbert-base',
    license: 'apache-2.0',
    parameters: 150e6,
    aliases: [],
  },
  'jina-reranker-v1-tiny-en': {
    category: 'rerank',
    source: 'jinaai/jina-reranker-v1-tiny-en',
    name: 'jina-reranker-v1-tiny-en',
    license: 'apache-2.0',
    parameters: 33e6,
    aliases: [],
  },
  'jina-reranker-v2-base-multilingual': {
    category: 'rerank',
    source: 'jinaai/jina-reranker-v2-base-multilingual',
    name: 'jina-reranker-v2-base-multilingual',
    license: 'cc-by-nc-4.0',
    parameters: 278e6,
    aliases: [],
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** Finds an entry by its id or one of its aliases. */
export function findCatalogueEntry(name: string): CatalogueEntry | undefined {
  const entries: Readonly<Record<string, CatalogueEntry>> = catalogue;
  if (Object.hasOwn(entries, name)) return entries[name];
  return Object.values(entries).find(({ aliases }) => aliases.includes(name));
}

/**
 * Bytes of a parameter, as the hub's exports come to on average: embeddings stay as they are in q4 (fp32) and q4f16
 * (fp16).
 */
const bytesPerParameter = { fp32: 4, fp16: 2, q8: 1, q4: 1.2, q4f16: 0.8 } as const satisfies Record<
  Exclude<Dtype, 'auto'>,
  number
>;

/** Beside the weights: what is computed with them, caches of long texts not included. */
const workingShare = 0.2;

/** Estimates the memory that a loaded model takes, in bytes, from the number of its parameters. */
export function estimateMemoryBytes({
  parameters,
  dtype = 'auto',
}: Pick<CatalogueEntry, 'parameters' | 'dtype'>): number {
  const stored = dtype === 'auto' ? 'fp32' : dtype;
  return memoryOfWeights(parameters * bytesPerParameter[stored]);
}

/** Estimates the memory that a loaded model takes, in bytes, from the size of its weights. */
export function memoryOfWeights(weightBytes: number): number {
  return Math.round(weightBytes * (1 + workingShare));
}
