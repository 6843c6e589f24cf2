// Structured extraction: turns a text into an object described by a zod schema. The schema is enforced during
// generation, so the answer always parses.
// Usage: node examples/extraction/extract.js "There is a red circle above a blue square."
import { fileURLToPath } from 'node:url';
import { chat, createInference } from 'slashv1';
import { z } from 'zod';

export const scene = z.object({
  shapes: z
    .array(
      z.object({
        color: z.enum(['red', 'green', 'blue', 'yellow', 'orange', 'purple', 'pink', 'black']),
        shape: z.enum(['circle', 'square', 'triangle', 'diamond', 'cross', 'star']),
      }),
    )
    .min(1)
    .max(4),
});

/**
 * @template {z.ZodType} Schema
 * @param {import('slashv1').Inference} inference
 * @param {{ model: string, schema: Schema, text: string, instruction: string }} options
 * @returns {Promise<z.infer<Schema>>}
 */
export async function extract(inference, { model, schema, text, instruction }) {
  let answer = '';
  const events = inference.chat({
    model,
    messages: [{ role: 'user', content: `${instruction}\n${text}` }],
    responseFormat: { type: 'json-schema', schema: z.toJSONSchema(schema) },
    temperature: 0,
  });
  for await (const event of events) {
    if (event.type === 'text-delta') answer += event.text;
    // A truncated answer isn't valid JSON: report the cause.
    if (event.type === 'choice-end' && event.finishReason === 'length')
      throw new Error('max_tokens is too small');
  }
  return schema.parse(JSON.parse(answer));
}

if (fileURLToPath(import.meta.url) === process.argv[1]) {
  const text = process.argv[2] ?? 'There is a red circle above a blue square.';
  const inference = createInference({ models: { assistant: chat({ source: 'tiny-chat' }) } });
  const found = await extract(inference, {
    model: 'assistant',
    schema: scene,
    text,
    instruction: 'List the shapes of this scene as JSON.',
  });
  console.log(JSON.stringify(found, null, 2));
  await inference.close();
}
