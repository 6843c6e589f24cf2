import {
  booleanSetting,
  integerSetting,
  textSetting,
  type SettingsOf,
  type SettingTable,
} from '../../validation/setting-table.ts';
import { imageInputSettings } from '../image-input.ts';

/** Settings of a chat model. */
export const chatSettings = {
  contextLength: integerSetting("Tokens of prompt and answer together; default: the model's config."),
  maxBatchSize: integerSetting('Most sequences that are generated together in one batch; default 8.'),
  optimize: booleanSetting(
    'Whether the graph is rewritten for speed when it is loaded; default: those of 16 MB and more are.',
  ),
  speculation: booleanSetting(
    'Whether tokens that repeat earlier ones are guessed and verified several at a step, where one sequence runs alone and guesses come true; default true.',
  ),
  toolCallFormat: textSetting(
    'How the model writes tool calls, such as `hermes`; default: its chat template shows it.',
  ),
  toolPrompt: textSetting(
    'The instruction about tools, in Jinja that is given `tools`; default: the chat template has one, else a general one.',
  ),
  tools: booleanSetting('`false` refuses tools; default true.'),
  reasoningFormat: textSetting(
    'How the model marks its thinking, such as `think`; default: its chat template shows it.',
  ),
  ...imageInputSettings,
  maxImages: integerSetting('Most pictures in the messages of one request; default 16.'),
} satisfies SettingTable;

/** The values of `chatSettings`. */
export type ChatSettings = SettingsOf<typeof chatSettings>;
