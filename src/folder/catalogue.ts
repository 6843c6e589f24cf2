import type { Dtype } from '../contracts/files.ts';

/** A well-known model on Hugging Face. */
export interface CatalogueEntry {
  readonly category: string;
  /** Id on Hugging Face, with an optional revision; its repository has the ONNX layout. */
  readonly source: string;
  /** Display name. */
  readonly name: string;
  /** The default dtype; `auto` if omitted. */
  readonly dtype?: Dtype | undefined;
  /** Identifier on Hugging Face. */
  readonly license: string;
  /** Number of parameters. */
  readonly parameters: number;
  /** Alternative names for `source`. */
  readonly aliases: readonly string[];
}

/** Creates the entries of a category. */
const entriesOf =
  <Category extends string>(category: Category) =>
  (
    source: string,
    name: string,
    license: string,
    parameters: number,
    { dtype, aliases = [] }: Partial<Pick<CatalogueEntry, 'dtype' | 'aliases'>> = {},
  ) => ({ category, source, name, ...(dtype && { dtype }), license, parameters, aliases });

const [chat, image, transcription] = [entriesOf('chat'), entriesOf('image'), entriesOf('transcription')];
const [speech, detection] = [entriesOf('speech'), entriesOf('detection')];
const [embedding, rerank] = [entriesOf('embedding'), entriesOf('rerank')];

/**
 * Well-known models by the ids that clients use. `source` accepts these ids, too.
 *
 * @example
 * ```ts
 * createInference({ models: { 'all-MiniLM-L6-v2': catalogue['all-MiniLM-L6-v2'] } });
 * createInference({ models: { recognizer: transcription({ source: 'whisper-medium' }) } });
 * ```
 */
export const catalogue = {
  'smollm2-135m': chat('HuggingFaceTB/SmolLM2-135M-Instruct', 'SmolLM2 135M Instruct', 'apache-2.0', 135e6),
  'smollm2-360m': chat('HuggingFaceTB/SmolLM2-360M-Instruct', 'SmolLM2 360M Instruct', 'apache-2.0', 362e6),
  'smollm2-1.7b': chat('HuggingFaceTB/SmolLM2-1.7B-Instruct', 'SmolLM2 1.7B Instruct', 'apache-2.0', 1.71e9, {
    dtype: 'q4',
  }),
  'smollm3-3b': chat('HuggingFaceTB/SmolLM3-3B-ONNX', 'SmolLM3 3B', 'apache-2.0', 3.08e9, {
    dtype: 'q4',
    aliases: ['HuggingFaceTB/SmolLM3-3B'],
  }),
  'qwen2.5-0.5b': chat('onnx-community/Qwen2.5-0.5B-Instruct', 'Qwen2.5 0.5B Instruct', 'apache-2.0', 494e6, {
    dtype: 'q4',
    aliases: ['Qwen/Qwen2.5-0.5B-Instruct'],
  }),
  'qwen2.5-1.5b': chat(
    'onnx-community/Qwen2.5-1.5B-Instruct',
    'Qwen2.5 1.5B Instruct',
    'apache-2.0',
    1.54e9,
    { dtype: 'q4', aliases: ['Qwen/Qwen2.5-1.5B-Instruct'] },
  ),
  'qwen3-0.6b': chat('onnx-community/Qwen3-0.6B-ONNX', 'Qwen3 0.6B', 'apache-2.0', 596e6, {
    dtype: 'q4',
    aliases: ['Qwen/Qwen3-0.6B'],
  }),
  'qwen3-1.7b': chat('onnx-community/Qwen3-1.7B-ONNX', 'Qwen3 1.7B', 'apache-2.0', 1.72e9, {
    dtype: 'q4',
    aliases: ['Qwen/Qwen3-1.7B'],
  }),
  'qwen3-4b': chat('onnx-community/Qwen3-4B-ONNX', 'Qwen3 4B', 'apache-2.0', 4.02e9, {
    dtype: 'q4f16',
    aliases: ['Qwen/Qwen3-4B'],
  }),
  'llama-3.2-1b': chat('onnx-community/Llama-3.2-1B-Instruct', 'Llama 3.2 1B Instruct', 'llama3.2', 1.24e9, {
    dtype: 'q4',
    aliases: ['meta-llama/Llama-3.2-1B-Instruct'],
  }),
  'llama-3.2-3b': chat('onnx-community/Llama-3.2-3B-Instruct', 'Llama 3.2 3B Instruct', 'llama3.2', 3.21e9, {
    dtype: 'q4',
    aliases: ['meta-llama/Llama-3.2-3B-Instruct'],
  }),
  'gemma-3-270m': chat('onnx-community/gemma-3-270m-it-ONNX', 'Gemma 3 270M Instruct', 'gemma', 268e6, {
    aliases: ['google/gemma-3-270m-it'],
  }),
  'gemma-3-1b': chat('onnx-community/gemma-3-1b-it-ONNX', 'Gemma 3 1B Instruct', 'gemma', 1e9, {
    dtype: 'q4',
    aliases: ['google/gemma-3-1b-it'],
  }),
  'phi-3.5-mini': chat(
    'onnx-community/Phi-3.5-mini-instruct-onnx-web',
    'Phi 3.5 mini Instruct',
    'mit',
    3.82e9,
    { dtype: 'q4f16', aliases: ['microsoft/Phi-3.5-mini-instruct'] },
  ),
  'deepseek-r1-distill-qwen-1.5b': chat(
    'onnx-community/DeepSeek-R1-Distill-Qwen-1.5B-ONNX',
    'DeepSeek R1 Distill Qwen 1.5B',
    'mit',
    1.78e9,
    { dtype: 'q4', aliases: ['deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B'] },
  ),
  'sdxl-turbo': image('stabilityai/sdxl-turbo', 'SDXL Turbo', 'sai-nc-community', 3.47e9),
  'stable-diffusion-xl': image(
    'stabilityai/stable-diffusion-xl-base-1.0',
    'Stable Diffusion XL 1.0',
    'openrail++',
    3.47e9,
    { aliases: ['sdxl'] },
  ),
  'stable-diffusion-v1-4': image(
    'CompVis/stable-diffusion-v1-4@onnx',
    'Stable Diffusion 1.4',
    'creativeml-openrail-m',
    1.07e9,
  ),
  'whisper-tiny': transcription('onnx-community/whisper-tiny', 'Whisper tiny', 'apache-2.0', 38e6, {
    aliases: ['openai/whisper-tiny'],
  }),
  'whisper-base': transcription('onnx-community/whisper-base', 'Whisper base', 'apache-2.0', 73e6, {
    aliases: ['openai/whisper-base'],
  }),
  'whisper-small': transcription('onnx-community/whisper-small', 'Whisper small', 'apache-2.0', 242e6, {
    aliases: ['openai/whisper-small'],
  }),
  'whisper-medium': transcription('Xenova/whisper-medium', 'Whisper medium', 'apache-2.0', 764e6, {
    dtype: 'q8',
    aliases: ['openai/whisper-medium'],
  }),
  'whisper-large': transcription('Xenova/whisper-large-v2', 'Whisper large v2', 'apache-2.0', 1.54e9, {
    dtype: 'q8',
    aliases: ['whisper-large-v2', 'openai/whisper-large', 'openai/whisper-large-v2'],
  }),
  'whisper-large-v3': transcription('Xenova/whisper-large-v3', 'Whisper large v3', 'apache-2.0', 1.54e9, {
    dtype: 'q8',
    aliases: ['openai/whisper-large-v3'],
  }),
  'whisper-large-v3-turbo': transcription(
    'onnx-community/whisper-large-v3-turbo',
    'Whisper large v3 turbo',
    'mit',
    809e6,
    { dtype: 'q8', aliases: ['openai/whisper-large-v3-turbo'] },
  ),
  'kokoro-82m': speech('onnx-community/Kokoro-82M-v1.0-ONNX', 'Kokoro 82M', 'apache-2.0', 82e6, {
    aliases: ['kokoro', 'hexgrad/Kokoro-82M'],
  }),
  'rtdetr-v2-r18': detection('onnx-community/rtdetr_v2_r18vd-ONNX', 'RT-DETRv2 R18', 'apache-2.0', 20e6, {
    aliases: ['PekingU/rtdetr_v2_r18vd'],
  }),
  'rtdetr-v2-r50': detection('onnx-community/rtdetr_v2_r50vd-ONNX', 'RT-DETRv2 R50', 'apache-2.0', 43e6, {
    aliases: ['PekingU/rtdetr_v2_r50vd'],
  }),
  'dfine-s': detection('onnx-community/dfine_s_coco-ONNX', 'D-FINE S', 'apache-2.0', 10e6, {
    aliases: ['ustc-community/dfine-small-coco'],
  }),
  'all-MiniLM-L6-v2': embedding(
    'sentence-transformers/all-MiniLM-L6-v2',
    'all-MiniLM-L6-v2',
    'apache-2.0',
    23e6,
  ),
  'bge-small-en-v1.5': embedding('BAAI/bge-small-en-v1.5', 'bge-small-en-v1.5', 'mit', 33e6),
  'ms-marco-MiniLM-L6-v2': rerank(
    'Xenova/ms-marco-MiniLM-L-6-v2',
    'ms-marco-MiniLM-L6-v2',
    'apache-2.0',
    23e6,
    { aliases: ['cross-encoder/ms-marco-MiniLM-L6-v2', 'cross-encoder/ms-marco-MiniLM-L-6-v2'] },
  ),
  'bge-reranker-base': rerank('Xenova/bge-reranker-base', 'bge-reranker-base', 'mit', 278e6, {
    aliases: ['BAAI/bge-reranker-base'],
  }),
  'bge-reranker-v2-m3': rerank(
    'onnx-community/bge-reranker-v2-m3-ONNX',
    'bge-reranker-v2-m3',
    'apache-2.0',
    568e6,
    { dtype: 'q8', aliases: ['BAAI/bge-reranker-v2-m3'] },
  ),
  'gte-reranker-modernbert-base': rerank(
    'Alibaba-NLP/gte-reranker-modernbert-base',
    'gte-reranker-modernbert-base',
    'apache-2.0',
    150e6,
  ),
  'jina-reranker-v1-tiny-en': rerank(
    'jinaai/jina-reranker-v1-tiny-en',
    'jina-reranker-v1-tiny-en',
    'apache-2.0',
    33e6,
  ),
  'jina-reranker-v2-base-multilingual': rerank(
    'jinaai/jina-reranker-v2-base-multilingual',
    'jina-reranker-v2-base-multilingual',
    'cc-by-nc-4.0',
    278e6,
  ),
} satisfies Readonly<Record<string, CatalogueEntry>>;

/** Finds an entry by its id or an alias. */
export function findCatalogueEntry(name: string): CatalogueEntry | undefined {
  const entries: Readonly<Record<string, CatalogueEntry>> = catalogue;
  if (Object.hasOwn(entries, name)) return entries[name];
  return Object.values(entries).find(({ aliases }) => aliases.includes(name));
}

/** Average bytes per parameter of Hugging Face's exports: embeddings stay unquantized in q4 (fp32) and q4f16 (fp16). */
const bytesPerParameter = { fp32: 4, fp16: 2, q8: 1, q4: 1.2, q4f16: 0.8 } as const satisfies Record<
  Exclude<Dtype, 'auto'>,
  number
>;

/** Working memory relative to the weights, without the caches of long texts. */
const workingShare = 0.2;

/** Estimates the memory of a loaded model, in bytes, from its parameter count. */
export function estimateMemoryBytes({
  parameters,
  dtype = 'auto',
}: Pick<CatalogueEntry, 'parameters' | 'dtype'>): number {
  const stored = dtype === 'auto' ? 'fp32' : dtype;
  return memoryOfWeights(parameters * bytesPerParameter[stored]);
}

/** Estimates the memory of a loaded model, in bytes, from the size of its weights. */
export function memoryOfWeights(weightBytes: number): number {
  return Math.round(weightBytes * (1 + workingShare));
}
