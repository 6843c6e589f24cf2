import { fieldError, type InferenceError } from '../errors.ts';
import { FetchRefusal, safeFetch, type FetchLimits } from './safe-fetch.ts';

export interface ImageSourceOptions {
  readonly fetch?: FetchLimits | undefined;
  readonly signal?: AbortSignal | undefined;
}

const base64Url = /^data:[^,]{0,200};base64,/i;

/**
 * Gets the bytes of an image that a client named or sent, without checking that they are an image.
 * @param image an http or https URL, a `data:` URL with base64, plain base64, or the bytes
 */
export async function readImageSource(
  image: string | Uint8Array,
  options: ImageSourceOptions = {},
): Promise<Uint8Array> {
  if (typeof image !== 'string') return image;
  if (/^https?:/i.test(image)) return fetchImage(image, options);
  if (/^data:/i.test(image)) {
    const prefix = base64Url.exec(image)?.[0];
    if (prefix === undefined) throw invalid('expected a data: URL with base64');
    return decodeBase64(image.slice(prefix.length));
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(image)) throw invalid('expected an http, https or data URL, or base64');
  return decodeBase64(image);
}

async function fetchImage(url: string, { fetch, signal }: ImageSourceOptions): Promise<Uint8Array> {
  return safeFetch(url, { ...fetch, signal }).catch((error: unknown) => {
    if (error instanceof FetchRefusal) throw invalid(`the URL was not fetched: ${error.message}`, error);
    throw error;
  });
}

/** Supports both alphabets, with or without padding, on one or many lines; `Buffer` would silently skip invalid characters. */
function decodeBase64(text: string): Uint8Array {
  const compact = text.replaceAll(/[ \t\r\n]+/g, '');
  const digits = compact.replace(/={1,2}$/, '');
  if (digits === '' || digits.length % 4 === 1 || /[^A-Za-z0-9+/_-]/.test(digits))
    throw invalid('expected base64 or a URL');
  return Buffer.from(digits, 'base64');
}

function invalid(reason: string, cause?: unknown): InferenceError {
  return fieldError('image', reason, { cause });
}
