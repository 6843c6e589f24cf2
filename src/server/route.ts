import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Call } from './call.ts';
import type { ApiResponse } from './contract.ts';

/** A schema with the name that it has in the OpenAPI document. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodType;
}

/** The body of a request. */
export interface RequestBody extends NamedSchema {
  /** Default `application/json`. */
  readonly mediaType?: 'multipart/form-data' | undefined;
}

/** One endpoint: how it is found, how it is documented and what it does. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** `/models/{model_id}/parameters`; a placeholder also stands for several segments. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Runs a model, so it counts against rate limits. */
  readonly isInference: boolean;
  /** Descriptions of the parameters in the query, by name; all are optional text. */
  readonly queryParameters?: Readonly<Record<string, string>> | undefined;
  readonly requestBody?: RequestBody | undefined;
  /** Content of the 200 response by media type. */
  readonly responses: Readonly<Record<string, NamedSchema>>;
  readonly errors: readonly ErrorCode[];
  readonly handle: (call: Call) => Promise<ApiResponse>;
}
