import { z } from 'zod';
import { describeValue } from '../core/text/quote.ts';
import type { ApiRequest, ApiResponse } from '../contracts/http.ts';
import { headerOf } from '../http/headers.ts';
import { numberSchema } from '../validation/number-schema.ts';
import type { InputsOf, SchemaOf } from '../validation/setting-table.ts';

const corsFields = {
  /** Origins as browsers write them, such as `https://app.example`; `'*'` for all. */
  origins: z.union([z.literal('*'), z.array(z.string())], { error: 'expected "*" or a list of origins' }),
  /** Request headers that pages may send; default: all that they request. */
  headers: z.array(z.string()).optional(),
  /** Seconds for which browsers may cache the permissions; default 7200, their maximum. */
  maxAgeSeconds: numberSchema({ type: 'int', min: 0 }).optional(),
};

/** Foreign origins with access to the API from a browser. */
export interface CorsOptions extends InputsOf<typeof corsFields> {}

export const corsSchema: SchemaOf<CorsOptions> = z.strictObject(corsFields);

const defaultMaxAgeSeconds = 7200;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Creates CORS headers and preflight responses (Fetch standard, section 3.3).
 * @throws TypeError for origins or header names that browsers would reject
 */
export function createCors({ origins, headers, maxAgeSeconds = defaultMaxAgeSeconds }: CorsOptions) {
  if (origins !== '*')
    assertEach('cors.origins', origins, isOrigin, '"*" or origins such as "https://app.example"');
  if (headers !== undefined) assertEach('cors.headers', headers, isHeaderName, 'names of headers');
  const known = origins === '*' ? undefined : new Set(origins);

  const allows = (origin: string): boolean => known?.has(origin) ?? true;

  function headersOf(request: ApiRequest): Record<string, string> {
    const origin = headerOf(request, 'origin');
    const vary: Record<string, string> = known === undefined ? {} : { vary: 'origin' };
    if (origin === undefined || !allows(origin)) return vary;
    return {
      ...vary,
      'access-control-allow-origin': known === undefined ? '*' : origin,
      'access-control-expose-headers': '*',
    };
  }

  /** Answers a preflight request, which has no key. */
  function preflight(request: ApiRequest, allow: string): ApiResponse | undefined {
    const isAsked = headerOf(request, 'access-control-request-method') !== undefined;
    if (request.method !== 'OPTIONS' || !isAsked) return undefined;
    const allowed = headersOf(request);
    if (!('access-control-allow-origin' in allowed)) return { status: 204, headers: {}, body: '' };
    const wanted = headerOf(request, 'access-control-request-headers')?.split(',') ?? [];
    return {
      status: 204,
      headers: {
        'access-control-allow-methods': allow,
        'access-control-allow-headers': (
          headers ?? wanted.map((name) => name.trim()).filter(isHeaderName)
        ).join(', '),
        'access-control-max-age': String(maxAgeSeconds),
      },
      body: '',
    };
  }

  return { headersOf, preflight, allows };
}

function isHeaderName(name: string): boolean {
  return headerName.test(name);
}

/** As browsers write it: no path, no default port, lower case. */
function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return URL.canParse(text) && new URL(text).origin === text;
  return /^[a-z][a-z\d+.-]*:\/\/[^/?#\s,]+$/.test(text);
}

function assertEach(
  label: string,
  values: readonly string[],
  isFine: (value: string) => boolean,
  expected: string,
): void {
  const wrong = values.find((value) => !isFine(value));
  if (values.length > 0 && wrong === undefined) return;
  throw new TypeError(
    `${label}: expected ${expected}, got ${wrong === undefined ? 'none' : describeValue(wrong)}`,
  );
}
