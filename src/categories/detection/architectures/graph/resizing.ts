import type { Size } from '../../../../core/vision/box.ts';
import type { EdgeLimits } from '../../../../core/vision/edge-limits.ts';
import { fieldError, type InferenceError } from '../../../../errors.ts';
import { abbreviate } from '../../../../core/text/quote.ts';

type Json = Readonly<Record<string, unknown>>;

/** The input size in `preprocessor_config.json`: exactly one, or limits to an image's edges. */
export type Resizing = { readonly exact: Size } | { readonly edges: EdgeLimits };

/** Default for files that are older than `longest_edge`. */
const usualLongest = 1333;
const yolosPatch = 16;

/**
 * Reads how a model of the DETR family has its images resized.
 *
 * @returns `undefined` where the file doesn't say it
 * @throws InferenceError `invalid_request` for ways that are not known
 */
export function readResizing(preprocessor: Json): Resizing | undefined {
  if (isGiven(preprocessor['pad_size'])) throw invalid('pad_size', preprocessor['pad_size'], 'null');
  const size = preprocessor['size'];
  if (!isGiven(size)) return undefined;
  const stated = (typeof size === 'object' ? size : { shortest_edge: size }) as Json;
  const { height, width, shortest_edge: shortest } = stated;
  const longest = stated['longest_edge'] ?? preprocessor['max_size'] ?? usualLongest;
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
