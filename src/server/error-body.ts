import { z } from 'zod';

/** The body of every error response; all four keys are always there. */
export const errorBodySchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable().meta({ description: 'The field at fault.' }),
    code: z.string(),
  }),
});

/** The body of every error response; all four keys are always there. */
export type ErrorBody = z.infer<typeof errorBodySchema>;
