import { z } from 'zod';
import { listOf } from '../../../validation/list-schema.ts';
import { parameterShape } from '../../../validation/parameter-schema.ts';
import { maxRerankDocuments, rerankParameters } from '../parameters.ts';

const document = z.union([z.string(), z.object({ text: z.string() })]);

/** The body of a rerank request. */
export const rerankRequestSchema = z.object({
  model: z.string().nullish().meta({ description: 'Id of a rerank model; default: the first one.' }),
  query: z.string().min(1),
  documents: listOf(document, { min: 1, max: maxRerankDocuments }).meta({
    description: 'Texts, or objects with a `text`.',
  }),
  ...parameterShape(rerankParameters),
});

/** A checked body of `POST /rerank`. */
export type RerankRequestBody = z.infer<typeof rerankRequestSchema>;

/** The body of an answer. */
export const rerankResponseSchema = z.object({
  id: z.string(),
  model: z.string(),
  results: z
    .array(
      z.object({
        index: z.int(),
        relevance_score: z.number().meta({ description: '0 to 1.' }),
        document: z.object({ text: z.string() }).optional(),
      }),
    )
    .meta({ description: 'Best first.' }),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
});

/** The body of an answer. */
export type RerankResponse = z.infer<typeof rerankResponseSchema>;
