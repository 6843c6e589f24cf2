import { z } from 'zod';
import { expecting } from '../../../../validation/expecting.ts';
import { listOf } from '../../../../validation/list-schema.ts';
import { parameterSchema, flagField, textField } from '../../../../validation/parameter-schema.ts';
import { chatParameters } from '../../parameters.ts';
import { maxPrompts } from '../../request.ts';
import {
  answerHead,
  chatRequestSchema,
  finishReason,
  streamOptionsNeedStream,
  tokenId,
  usage,
} from '../chat/schema.ts';

/** Default of OpenAI's API. */
export const defaultMaxTokens = 16;

/** No default: only a number turns the list on. */
const { default: _none, ...listedTokens } = chatParameters.topLogprobs;

const prompt = z.union(
  [
    z.string(),
    listOf(z.string(), { min: 1 }),
    listOf(tokenId, { min: 1 }),
    listOf(listOf(tokenId, { min: 1 }), { min: 1 }),
  ],
  expecting(`a text, token ids, or a list of 1 to ${maxPrompts} texts or lists of token ids`),
);

export const completionRequestSchema = chatRequestSchema
  .omit({
    messages: true,
    max_completion_tokens: true,
    tools: true,
    tool_choice: true,
    parallel_tool_calls: true,
    documents: true,
    chat_template_kwargs: true,
    include_reasoning: true,
    enable_thinking: true,
    reasoning_effort: true,
    continue_final_message: true,
    add_generation_prompt: true,
    logprobs: true,
    top_logprobs: true,
  })
  .extend({
    prompt: prompt.meta({
      description: `Raw text or token ids to continue, or up to ${maxPrompts} of them; no chat template is applied.`,
    }),
    suffix: textField('Text after the completion; for models with fill-in-the-middle tokens.'),
    add_special_tokens: flagField("Add the tokenizer's special tokens to a text.", true),
    max_tokens: parameterSchema({
      ...chatParameters.maxTokens,
      min: 0,
      default: defaultMaxTokens,
      description:
        "Maximum number of tokens generated per completion; 0 only reads the prompt. Default: the model's `defaults: { maxTokens }`, else 16.",
    }),
    echo: flagField('Begin the text with the prompt.', false),
    logprobs: parameterSchema({
      ...listedTokens,
      description:
        'Return the log probability of every token before sampling, and of this many most likely tokens at each position; with `echo`, also for the prompt.',
    }),
    best_of: z.int().nullish().meta({ description: 'Must equal `n`.' }),
  })
  .meta({ allOf: [streamOptionsNeedStream] });

const logprobs = z.object({
  tokens: z.array(z.string()),
  token_logprobs: z
    .array(z.number().nullable())
    .meta({ description: '`null` for the first token of a prompt.' }),
  top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).meta({
    description: 'The most likely tokens at each position, and the actual token.',
  }),
  text_offset: z.array(z.int()).meta({ description: 'Number of code points before each token.' }),
});

export const completionSchema = z.object({
  ...answerHead('text_completion'),
  choices: z.array(
    z.object({
      index: z.int().meta({ description: 'With several prompts, `n` choices per prompt, in their order.' }),
      text: z.string(),
      logprobs: logprobs.nullable(),
      finish_reason: finishReason.exclude(['tool_calls']).nullable(),
    }),
  ),
  usage: usage.nullable().optional(),
});

export type Completion = z.infer<typeof completionSchema>;
/** `choices[].logprobs` of a completion. */
export type CompletionLogprobs = z.infer<typeof logprobs>;
