import { createReasoningSplitter, type ReasoningFormat, type ReasoningMarkers } from './reasoning.ts';
import { tokensIn } from './tool-calls/edges.ts';
import { recognizes, type Evidence } from './tool-calls/format.ts';
import { harmonyReasoningFormat } from './reasoning-harmony.ts';

const museStart = '<|start|>assistant';
const think = { open: '<think>', close: '</think>' };
const response = { open: '<response>', close: '</response>' };

const rows: readonly BlockFormatRow[] = [
  { name: 'gemma-4', open: ['<|channel>thought', '<|channel>'], close: '<channel|>', evidence: '<|channel>' },
  {
    name: 'command-r',
    open: '<|START_THINKING|>',
    close: '<|END_THINKING|>',
    frame: { open: '<|START_RESPONSE|>', close: '<|END_RESPONSE|>' },
  },
  { name: 'magistral', open: '[THINK]', close: '[/THINK]', ownToken: '[THINK]' },
  {
    name: 'granite-3.2',
    open: ['Here is my thought process:', "Here's my thought process:"],
    close: ['Here is my response:', "Here's my response:"],
  },
  { name: 'granite-3.3', ...think, frame: response, evidence: ['<|start_of_role|>', '<response>'] },
  {
    name: 'hunyuan',
    ...think,
    frame: { open: '<answer>', close: '</answer>' },
    evidence: ['<answer>', /<[|｜]hy_|<\|extra_0\|>/],
  },
  { name: 'ernie-4.5', ...think, frame: response, evidence: ['<think>', '<response>\\n'] },
  { name: 'minicpm-3', open: '<|thought_start|>', close: '<|thought_end|>' },
  { name: 'longcat', open: '<longcat_think>', close: '</longcat_think>' },
  {
    name: 'k2-horizon',
    open: ['<ifm|think>', '<ifm|think_fast>', '<ifm|think_faster>'],
    close: ['</ifm|think>', '</ifm|think_fast>', '</ifm|think_faster>'],
    evidence: '<ifm|think',
  },
  {
    name: 'inkling',
    open: ['<|message_model|><|content_thinking|>', '<|content_thinking|>'],
    close: '<|end_message|>',
    frame: { open: ['<|message_model|><|content_text|>', '<|content_text|>'], close: '<|end_message|>' },
    evidence: '<|content_thinking|>',
    ownToken: '<|content_thinking|>',
  },
  {
    name: 'muse-glimmer',
    open: ['to=self<|message|>', `${museStart} to=self<|message|>`],
    close: ['<|eom|>', museStart],
    frame: {
      open: [`${museStart} to=user<|message|>`, 'to=user<|message|>', `${museStart}<|message|>`],
      close: ['<|eot|>', '<|eom|>'],
    },
    evidence: '<atem:function_calls>',
  },
  { name: 'exaone-deep', open: '<thought>', close: '</thought>' },
  { name: 'apertus', open: '<|inner_prefix|>', close: '<|inner_suffix|>' },
];

/** The most common format, and the default. */
export const thinkFormat = createBlockFormat({ name: 'think', ...think });

/** Every format of reasoning. The first that recognizes a model is its format, so specific formats precede general ones. */
export const reasoningFormats: readonly ReasoningFormat[] = [
  harmonyReasoningFormat,
  ...rows.map(createBlockFormat),
  thinkFormat,
];

interface BlockFormatRow extends Omit<ReasoningMarkers, 'startsOpen'> {
  readonly name: string;
  /** Evidence of the format; default: the first open marker. */
  readonly evidence?: Evidence;
  /** A token that only tokenizers of the format's models have. */
  readonly ownToken?: string;
}

/** Makes a format of marks around the thinking. */
export function createBlockFormat(row: BlockFormatRow): ReasoningFormat {
  const { name, evidence, ownToken, ...block } = row;
  const [open, close] = [[block.open].flat(), [block.close].flat()];
  const frame = { open: [block.frame?.open ?? []].flat(), close: [block.frame?.close ?? []].flat() };
  const marks = [...open, ...close, ...frame.open, ...frame.close];
  const marksFor = (prompt: string) => {
    const end = prompt.trimEnd();
    let startsOpen = false;
    for (const mark of open) startsOpen ||= end.endsWith(mark);
    return { open, close, startsOpen, frame: block.frame };
  };
  return {
    name,
    example: `${open[0]!}\nThey ask for …\n${close[0]!}\n${frame.open[0] ?? ''}The answer is …${frame.close[0] ?? ''}`,
    markers: [...marks, ...marks.flatMap(tokensIn)],
    createSplitter: (prompt, calls) => createReasoningSplitter({ ...marksFor(prompt), ...block }, calls),
    constraint: marksFor,
    detect: recognizes(evidence ?? open[0]!, ownToken),
  };
}
