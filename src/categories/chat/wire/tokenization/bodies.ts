import { z } from 'zod';
import { flagField, textField } from '../../../../validation/parameter-schema.ts';
import { listOf } from '../../../../validation/list-schema.ts';
import { chatRequestSchema, tokenId } from '../chat/schema.ts';
import { fieldError } from '../../../../errors.ts';
import { parseBody } from '../../../../validation/issues.ts';
import {
  harmless,
  ignoredFields,
  readForeign,
  type ForeignFields,
} from '../../../../validation/foreign-fields.ts';
import { foreignFields } from '../chat/foreign-fields.ts';
import { toChatRequest } from '../chat/read.ts';
import { valueOfBoth } from '../request-parts.ts';

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

export type TokenizeCall = ReturnType<typeof fromTokenizeRequest>;

const { think, thinking, reasoning } = foreignFields;

export const tokenizeForeignFields: ForeignFields = {
  think,
  thinking,
  reasoning,
  ...ignoredFields('user priority'),
  parse_special: {
    ...harmless(true),
    advice: 'special tokens that are spelled out in a text become their ids',
  },
  chat_template: { advice: 'use `chatTemplate`, a setting of the model' },
};

/** Fields that require `messages`. */
const messageFields = [
  'tools',
  'tool_choice',
  'documents',
  'chat_template_kwargs',
  'enable_thinking',
  'reasoning_effort',
  'add_generation_prompt',
  'continue_final_message',
] as const;

export function fromTokenizeRequest(body: unknown) {
  return readForeign(tokenizeForeignFields, body, (own) => {
    const parsed = parseBody(tokenizeRequestSchema, own);
    const { model: id, prompt, content, messages } = parsed;
    const places = (['prompt', 'content', 'messages'] as const).filter((name) => parsed[name] != null);
    const [place, second] = places;
    if (place === undefined) throw fieldError('prompt', 'expected a text, or `messages`');
    if (second !== undefined) throw fieldError(second, `not allowed with ${place}`);
    const added = valueOfBoth(parsed, 'add_special_tokens', 'add_special');
    const addSpecialTokens = added ?? place === 'prompt';
    const hasNames = parsed.return_token_strs ?? false;
    const hasPieces = parsed.with_pieces ?? false;
    const preview = { addSpecialTokens, echo: hasNames || hasPieces ? 'spelling' : 'text' } as const;
    const call = { model: id, place, hasNames, hasPieces };
    if (place === 'messages') {
      const rendered = Object.fromEntries(messageFields.map((name) => [name, parsed[name]]));
      const { request } = toChatRequest({ ...rendered, model: id, messages: messages! });
      return { ...call, request: { ...request, ...preview } };
    }
    const misplaced = messageFields.find((name) => parsed[name] != null);
    if (misplaced !== undefined) throw fieldError(misplaced, `not allowed with ${place}`);
    return { ...call, request: { model: id, messages: [], prompts: [(prompt ?? content)!], ...preview } };
  });
}

export type DetokenizeCall = z.infer<typeof detokenizeRequestSchema>;

/** @throws InferenceError `invalid_request` with the first invalid field as `param` */
export function fromDetokenizeRequest(body: unknown): DetokenizeCall {
  return parseBody(detokenizeRequestSchema, body);
}
