import { z } from 'zod';
import { flagField, textField } from '../../../../validation/body-fields.ts';
import { listOf } from '../../../../validation/list-schema.ts';
import { chatRequestSchema, tokenId } from '../chat/schema.ts';

const { model, tools, tool_choice, documents, chat_template_kwargs } = chatRequestSchema.shape;
const { enable_thinking, reasoning_effort, add_generation_prompt, continue_final_message } =
  chatRequestSchema.shape;

export const tokenizeRequestSchema = z
  .object({
    model,
    prompt: textField('The text; either this or `messages`.'),
    content: textField('Alias of `prompt`.'),
    messages: chatRequestSchema.shape.messages
      .nullish()
      .meta({ description: "A conversation, which the model's chat template turns into a text." }),
    tools,
    tool_choice,
    documents,
    chat_template_kwargs,
    enable_thinking,
    reasoning_effort,
    add_generation_prompt,
    continue_final_message,
    add_special_tokens: flagField(
      "Add the tokenizer's special tokens; default: true for `prompt`, false for `content` and `messages`.",
    ),
    add_special: flagField('Alias of `add_special_tokens`.'),
    return_token_strs: flagField(
      'Return the spelling of each token in the vocabulary as `token_strs`.',
      false,
    ),
    with_pieces: flagField('Return objects with the text of each token in `tokens`, in place of ids.', false),
  })
  .meta({
    allOf: [
      {
        oneOf: Object.entries({ prompt: 'string', content: 'string', messages: 'array' }).map(
          ([name, type]) => ({ properties: { [name]: { type } }, required: [name] }),
        ),
      },
    ],
  });

export const tokenizationSchema = z.object({
  count: z.int(),
  max_model_len: z.int().meta({ description: 'Tokens of prompt and answer together.' }),
  tokens: z.union([
    z.array(z.int()),
    z.array(
      z.object({
        id: z.int(),
        piece: z.union([z.string(), z.array(z.int())]).meta({
          description: "A text, or bytes if the token isn't a whole character.",
        }),
      }),
    ),
  ]),
  token_strs: z.array(z.string()).nullable(),
});

export type Tokenization = z.infer<typeof tokenizationSchema>;

export const detokenizeRequestSchema = z.object({ model, tokens: listOf(tokenId) });

/** The text, under both names in use. */
export const detokenizationSchema = z.object({ prompt: z.string(), content: z.string() });
