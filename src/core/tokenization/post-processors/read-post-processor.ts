import {
  type Members,
  type Readers,
  assertDepth,
  readBoolean,
  readByType,
  readList,
  readInteger,
  readString,
} from '../definition.ts';
import type { PostProcessor } from './post-processor.ts';
import { readTemplateProcessing } from './template.ts';
import { trimOffsets } from './trim-offsets.ts';
import { concatenateEncodings, toConstantEncoding, withTypeId, type Encoding } from '../encoding.ts';

const readers: Readers<PostProcessor> = {
  BertProcessing: readBertProcessing,
  ByteLevel: readByteLevelProcessing,
  RobertaProcessing: readRobertaProcessing,
  Sequence: readSequence,
  TemplateProcessing: readTemplateProcessing,
};

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export function readPostProcessor(label: string, value: unknown): PostProcessor {
  return readByType(label, value, readers);
}

function readSequence(label: string, members: Members): PostProcessor {
  assertDepth(label);
  const steps = readList(`${label}.processors`, members['processors']).map((item, index) =>
    readPostProcessor(`${label}.processors[${index}]`, item),
  );
  return {
    addedTokens: (texts) => steps.reduce((sum, step) => sum + step.addedTokens(texts), 0),
    process: (encodings, options) =>
      steps.reduce((processed, step) => step.process(processed, options), encodings),
  };
}

function readByteLevelProcessing(label: string, members: Members): PostProcessor {
  const trims = readBoolean(`${label}.trim_offsets`, members['trim_offsets'], true);
  const addPrefixSpace = readBoolean(`${label}.add_prefix_space`, members['add_prefix_space'], true);
  return {
    addedTokens: () => 0,
    process: (encodings) =>
      trims ? encodings.map((encoding) => trimOffsets(encoding, { addPrefixSpace })) : encodings,
  };
}

/** Reads `[token, id]`. */
function readTokenAndId(label: string, value: unknown, typeId: number): Encoding {
  const [token, id] = readList(label, value);
  return toConstantEncoding([readInteger(`${label}[1]`, id)], [readString(`${label}[0]`, token)], { typeId });
}

/** `[CLS] text [SEP]`, `[CLS] text [SEP] text [SEP]` */
function readBertProcessing(label: string, members: Members): PostProcessor {
  const begin = readTokenAndId(`${label}.cls`, members['cls'], 0);
  const end = readTokenAndId(`${label}.sep`, members['sep'], 0);
  return {
    addedTokens: (texts) => texts + 1,
    process: (encodings, { addSpecialTokens }) =>
      addSpecialTokens
        ? encodings.map((encoding, index) =>
            concatenateEncodings(index === 0 ? [begin, encoding, end] : [encoding, withTypeId(end, 1)]),
          )
        : encodings,
  };
}

/** `<s> text </s>`, `<s> text </s></s> text </s>` */
function readRobertaProcessing(label: string, members: Members): PostProcessor {
  const begin = readTokenAndId(`${label}.cls`, members['cls'], 0);
  const end = readTokenAndId(`${label}.sep`, members['sep'], 0);
  const trims = readBoolean(`${label}.trim_offsets`, members['trim_offsets'], true);
  const addPrefixSpace = readBoolean(`${label}.add_prefix_space`, members['add_prefix_space'], true);
  return {
    addedTokens: (texts) => 2 * texts,
    process: (encodings, { addSpecialTokens }) =>
      encodings.map((encoding, index) => {
        const trimmed = trims ? trimOffsets(encoding, { addPrefixSpace }) : encoding;
        const first = withTypeId(trimmed, 0);
        const text = { ...first, overflowing: first.overflowing.map((part) => withTypeId(part, 0)) };
        return addSpecialTokens ? concatenateEncodings([index === 0 ? begin : end, text, end]) : text;
      }),
  };
}
