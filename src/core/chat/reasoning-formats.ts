import { createReasoningSplitter, type ReasoningMarkers } from './reasoning.ts';
import type { ReasoningFormat } from './reasoning-format.ts';
import { harmonyReasoningFormat } from './reasoning-harmony.ts';
import type { ModelTraits } from './tool-calls/format.ts';
import { museGlimmerFormat, museGlimmerStart } from './tool-calls/muse-glimmer.ts';

/** The most common format, and the one of any model that shows no other. */
export const thinkFormat = createBlockFormat({
  name: 'think',
  models: [
    'Qwen3',
    'QwQ',
    'DeepSeek R1',
    'DeepSeek V3.1',
    'GLM-4.5',
    'MiniMax M2',
    'SmolLM3',
    'Nemotron',
    'LFM2',
  ],
  open: '<think>',
  close: '</think>',
  detect: ({ template }) => template.includes('<think>'),
});

/** Every format of reasoning. The first that recognizes a model is its format, so the more special comes first. */
export const reasoningFormats: readonly ReasoningFormat[] = [
  harmonyReasoningFormat,
  createBlockFormat({
    name: 'gemma-4',
    models: ['Gemma 4'],
    open: ['<|channel>thought', '<|channel>'],
    close: '<channel|>',
    tokens: ['<|channel>', '<channel|>'],
    detect: ({ template }) => template.includes('<|channel>'),
  }),
  createBlockFormat({
    name: 'command-r',
    models: ['Command R7B', 'Command A Reasoning'],
    open: '<|START_THINKING|>',
    close: '<|END_THINKING|>',
    frame: { open: '<|START_RESPONSE|>', close: '<|END_RESPONSE|>' },
    detect: ({ template }) => template.includes('<|START_THINKING|>') && !template.includes('<|START_TEXT|>'),
  }),
  createBlockFormat({
    name: 'command-a-plus',
    models: ['Command A+'],
    open: '<|START_THINKING|>',
    close: '<|END_THINKING|>',
    frame: { open: '<|START_TEXT|>', close: '<|END_TEXT|>' },
    detect: ({ template }) => template.includes('<|START_THINKING|>'),
  }),
  createBlockFormat({
    name: 'magistral',
    models: ['Magistral Small 1.1', 'Magistral Small 1.2', 'Magistral Medium', 'Ministral 3 Reasoning'],
    open: '[THINK]',
    close: '[/THINK]',
    detect: ({ template, hasToken }) => template.includes('[THINK]') || hasToken('[THINK]'),
  }),
  createBlockFormat({
    name: 'seed-oss',
    models: ['Seed-OSS 36B'],
    open: '<seed:think>',
    close: '</seed:think>',
    detect: ({ template }) => template.includes('<seed:think>'),
  }),
  createBlockFormat({
    name: 'granite-3.2',
    models: ['Granite 3.2'],
    open: ['Here is my thought process:', "Here's my thought process:"],
    close: ['Here is my response:', "Here's my response:"],
    detect: ({ template }) => template.includes('Here is my thought process:'),
  }),
  createBlockFormat({
    name: 'granite-3.3',
    models: ['Granite 3.3'],
    open: '<think>',
    close: '</think>',
    frame: { open: '<response>', close: '</response>' },
    detect: ({ template }) => template.includes('<|start_of_role|>') && template.includes('<response>'),
  }),
  createBlockFormat({
    name: 'hunyuan',
    models: ['Hunyuan A13B', 'Hunyuan 7B'],
    open: '<think>',
    close: '</think>',
    frame: { open: '<answer>', close: '</answer>' },
    detect: ({ template }) => template.includes('<answer>') && /<[|｜]hy_|<\|extra_0\|>/.test(template),
  }),
  createBlockFormat({
    name: 'ernie-4.5',
    models: ['ERNIE 4.5 21B-A3B Thinking'],
    open: '<think>',
    close: '</think>',
    frame: { open: '<response>', close: '</response>' },
    detect: ({ template }) => template.includes('<think>') && template.includes('<response>\\n'),
  }),
  createBlockFormat({
    name: 'minicpm-3',
    models: ['MiniCPM3 4B'],
    open: '<|thought_start|>',
    close: '<|thought_end|>',
    detect: ({ template }) => template.includes('<|thought_start|>'),
  }),
  createBlockFormat({
    name: 'longcat',
    models: ['LongCat Flash Thinking'],
    open: '<longcat_think>',
    close: '</longcat_think>',
    detect: ({ template }) => template.includes('<longcat_think>'),
  }),
  createBlockFormat({
    name: 'minimax-m3',
    models: ['MiniMax M3'],
    open: '<mm:think>',
    close: '</mm:think>',
    detect: ({ template }) => template.includes('<mm:think>'),
  }),
  createBlockFormat({
    name: 'kimi-k3',
    models: ['Kimi K3'],
    open: '<|open|>think<|sep|>',
    close: '<|close|>think<|sep|>',
    tokens: ['<|open|>', '<|close|>', '<|sep|>'],
    frame: { open: '<|open|>response<|sep|>', close: '<|close|>response<|sep|>' },
    detect: ({ template }) => template.includes('<|open|>') && template.includes('<|sep|>'),
  }),
  createBlockFormat({
    name: 'k2-horizon',
    models: ['K2-Horizon'],
    open: ['<ifm|think>', '<ifm|think_fast>', '<ifm|think_faster>'],
    close: ['</ifm|think>', '</ifm|think_fast>', '</ifm|think_faster>'],
    detect: ({ template }) => template.includes('<ifm|think'),
  }),
  createBlockFormat({
    name: 'hy-3',
    models: ['Hy3'],
    open: '<think:opensource>',
    close: '</think:opensource>',
    detect: ({ template, hasToken }) =>
      template.includes('<think:opensource>') || hasToken('<think:opensource>'),
  }),
  createBlockFormat({
    name: 'hy-4',
    models: ['Hy4-preview'],
    open: '<think:6124c78e>',
    close: '</think:6124c78e>',
    detect: ({ template, hasToken }) => template.includes('<think:6124c78e>') || hasToken('<think:6124c78e>'),
  }),
  createBlockFormat({
    name: 'inkling',
    models: ['Inkling', 'Inkling Small'],
    open: ['<|message_model|><|content_thinking|>', '<|content_thinking|>'],
    close: '<|end_message|>',
    tokens: ['<|message_model|>', '<|content_thinking|>', '<|content_text|>', '<|end_message|>'],
    frame: {
      open: ['<|message_model|><|content_text|>', '<|content_text|>'],
      close: '<|end_message|>',
    },
    detect: ({ template, hasToken }) =>
      template.includes('<|content_thinking|>') || hasToken('<|content_thinking|>'),
  }),
  createBlockFormat({
    name: 'muse-glimmer',
    models: ['Muse Glimmer'],
    open: ['to=self<|message|>', `${museGlimmerStart} to=self<|message|>`],
    close: ['<|eom|>', museGlimmerStart],
    tokens: ['<|start|>', '<|message|>', '<|eom|>', '<|eot|>'],
    frame: {
      open: [
        `${museGlimmerStart} to=user<|message|>`,
        'to=user<|message|>',
        `${museGlimmerStart}<|message|>`,
      ],
      close: ['<|eot|>', '<|eom|>'],
    },
    detect: museGlimmerFormat.detect,
  }),
  createBlockFormat({
    name: 'exaone-deep',
    models: ['EXAONE Deep'],
    open: '<thought>',
    close: '</thought>',
    detect: ({ template }) => template.includes('<thought>'),
  }),
  createBlockFormat({
    name: 'apertus',
    models: ['Apertus'],
    open: '<|inner_prefix|>',
    close: '<|inner_suffix|>',
    detect: ({ template }) => template.includes('<|inner_prefix|>'),
  }),
  thinkFormat,
];

interface BlockFormatOptions extends Omit<ReasoningMarkers, 'startsOpen'> {
  readonly name: string;
  readonly models: readonly string[];
  /** The tokens that the markers hold, where they are not tokens themselves. */
  readonly tokens?: readonly string[];
  readonly detect: (model: ModelTraits) => boolean;
}

function createBlockFormat({ name, models, tokens, detect, ...block }: BlockFormatOptions): ReasoningFormat {
  const opens = [block.open].flat();
  const closes = [block.close].flat();
  const [before = [], after = []] = block.frame
    ? [[block.frame.open].flat(), [block.frame.close].flat()]
    : [];
  const startsOpen = (prompt: string): boolean => {
    const end = prompt.trimEnd();
    return opens.some((open) => end.endsWith(open));
  };
  return {
    name,
    example: `${opens[0]!}\nThey ask for …\n${closes[0]!}\n${before[0] ?? ''}The answer is …${after[0] ?? ''}`,
    models,
    markers: tokens ?? [...opens, ...closes, ...before, ...after],
    createSplitter: (prompt, calls) =>
      createReasoningSplitter({ ...block, startsOpen: startsOpen(prompt) }, calls),
    constraint: (prompt) => ({
      open: opens,
      close: closes,
      startsOpen: startsOpen(prompt),
      frame: block.frame && { ...block.frame, isRequired: false },
    }),
    detect,
  };
}
