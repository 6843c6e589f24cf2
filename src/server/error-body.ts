import { z } from 'zod';
import type { ErrorBody } from '../contracts/endpoint.ts';

/** The body of every error response; all four keys are always there. */
export const errorBodySchema: z.ZodType<ErrorBody> = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable().meta({ description: 'The field at fault.' }),
    code: z.string(),
  }),
});
