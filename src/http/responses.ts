import { writeExact } from '../core/text/exact-json.ts';
import { orElse } from '../core/text/or-else.ts';
import { Buffer } from 'node:buffer';
import type { ApiResponse } from '../contracts/http.ts';

/** A JSON response with its length, so that adapters need no chunked encoding. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return jsonTextResponse(status, orElse(() => JSON.stringify(body), undefined) ?? writeExact(body), headers);
}

/** `jsonResponse` for JSON text. */
export function jsonTextResponse(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return { status, headers: { ...textHeaders('application/json', body), ...headers }, body };
}

export function textResponse(mediaType: string, body: string): ApiResponse {
  return { status: 200, headers: textHeaders(mediaType, body), body };
}

function textHeaders(mediaType: string, body: string): Record<string, string> {
  return {
    'content-type': `${mediaType}; charset=utf-8`,
    'content-length': String(Buffer.byteLength(body)),
  };
}
