import { detectionParameters } from '../../parameters.ts';
import type { Size } from '../../../../core/vision/box.ts';
import { type EdgeLimits, fitEdges } from '../../../../core/vision/edge-limits.ts';
import type { DetectorFolder } from './detector-folder.ts';
import type { TensorSignature } from '../../../../contracts/graph.ts';
import type { ImageSizes } from '../../events.ts';
import { fieldError, type InferenceError } from '../../../../errors.ts';
import { abbreviate } from '../../../../core/text/quote.ts';
import type { Preprocessing } from '../../../../core/vision/heads/head.ts';
import { fittingInput, letterbox, stretch } from '../../../../core/vision/letterbox.ts';
import { builtInSize } from '../../../../runtime/tensors.ts';
import type { InputLayout } from '../../detector.ts';

type Json = Readonly<Record<string, unknown>>;

/** The input size in `preprocessor_config.json`: exact, or limits to an image's edges. */
type Resizing = { readonly exact: Size } | { readonly edges: EdgeLimits };

/** Default for files older than `longest_edge`. */
const defaultMaxEdge = 1333;
const yolosPatch = 16;

export function readResizing(preprocessor: Json): Resizing | undefined {
  if (isGiven(preprocessor['pad_size'])) throw invalid('pad_size', preprocessor['pad_size'], 'null');
  const size = preprocessor['size'];
  if (!isGiven(size)) return undefined;
  const stated = (typeof size === 'object' ? size : { shortest_edge: size }) as Json;
  const { height, width, shortest_edge: shortest } = stated;
  const longest = stated['longest_edge'] ?? preprocessor['max_size'] ?? defaultMaxEdge;
  if (isCount(height) && isCount(width)) return { exact: { width, height } };
  if (isCount(shortest) && isCount(longest))
    return { edges: { shortest, longest, multiple: multipleOf(preprocessor) } };
  throw invalid('size', size, 'height and width, or shortest_edge and longest_edge');
}

/** YOLOS reads whole patches. */
function multipleOf(preprocessor: Json): number {
  const type = String(preprocessor['image_processor_type'] ?? preprocessor['feature_extractor_type']);
  return type.startsWith('Yolos') ? yolosPatch : 1;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function invalid(name: string, value: unknown, expected: string): InferenceError {
  const stated = abbreviate(JSON.stringify(value));
  return fieldError('source', `preprocessor_config.json has ${name} ${stated}, expected ${expected}`);
}

export interface InputSizes extends ImageSizes {
  /** The only size, if built into the graph or if the files set a non-square size. */
  readonly fixed: Size | undefined;
  /** For models that keep an image's proportions without padding; `default` is then the longest edge. */
  readonly edges?: EdgeLimits | undefined;
}

const defaultStride = 32;

export function readInputSizes(
  { dims }: TensorSignature,
  { config, metadata, preprocessor }: DetectorFolder,
  resizing?: Resizing,
): InputSizes {
  const [, , height, width] = dims.map(builtInSize);
  if (height && width) return sizesOf({ width, height });
  const { min, max, default: defaultSize } = detectionParameters.imageSize;
  if (resizing && 'edges' in resizing) {
    const { edges } = resizing;
    return { fixed: undefined, edges, default: edges.longest, min, max, step: 1 };
  }
  if (resizing && resizing.exact.width !== resizing.exact.height) return sizesOf(resizing.exact);
  const step = greatest(config['stride']) ?? greatest(metadata.get('stride')) ?? defaultStride;
  const trained =
    greatest(config['image_size']) ??
    greatest(metadata.get('imgsz')) ??
    greatest((preprocessor['size'] as Record<string, unknown> | undefined)?.['height']) ??
    defaultSize;
  return {
    fixed: undefined,
    default: Math.max(1, Math.round(trained / step)) * step,
    min: Math.ceil(min / step) * step,
    max: Math.floor(max / step) * step,
    step,
  };
}

function sizesOf(fixed: Size): InputSizes {
  const longerSide = Math.max(fixed.width, fixed.height);
  return { fixed, default: longerSide, min: longerSide, max: longerSide, step: 1 };
}

/** Accepts `"[640, 480]"`, `32` and `[640, 480]`. */
function greatest(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const numbers = (text ?? '').match(/\d+/g)?.map(Number) ?? [];
  const number = Math.max(0, ...numbers);
  return number > 0 ? number : undefined;
}

type LayoutSizes = Pick<InputSizes, 'fixed' | 'edges' | 'step'>;

export function layOut(
  image: Size,
  fit: Preprocessing['fit'],
  { fixed, edges, step, longerSide }: LayoutSizes & { readonly longerSide: number },
): InputLayout {
  if (fit === 'stretch') {
    const free = edges
      ? fitEdges(image, scaled(edges, longerSide))
      : { width: longerSide, height: longerSide };
    const input = fixed ?? free;
    return { input, placement: stretch(input) };
  }
  const input = fixed ?? fittingInput(image, { longerSide, stride: step });
  return {
    input,
    placement: letterbox(image, input, { align: fit === 'letterbox-center' ? 'center' : 'start' }),
  };
}

function scaled({ shortest, longest, multiple }: EdgeLimits, longerSide: number): EdgeLimits {
  const side = Math.max(1, Math.round((shortest * longerSide) / longest));
  return { shortest: side, longest: longerSide, multiple };
}
