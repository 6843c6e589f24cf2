import { isHighSurrogate, isLowSurrogate } from '../aligned-text.ts';
import { characterOfByte } from '../byte-characters.ts';
import {
  readBoolean,
  byType,
  readInteger,
  readList,
  readSequence,
  readString,
  type Members,
  readMembers,
} from '../definition.ts';
import {
  concatenateEncodings,
  toConstantEncoding,
  withTypeId,
  type Encoding,
  type PartialEncoding,
} from '../encoding.ts';
import { classOf, space } from '../unicode/character-class.ts';

interface PostProcessOptions {
  readonly addSpecialTokens: boolean;
}

/** Adds a model's special tokens around texts, and trims offsets. */
export interface PostProcessor {
  /** Number of special tokens around one text, or around two. */
  addedTokens(texts: number): number;
  /** @returns encodings to concatenate */
  process(encodings: readonly PartialEncoding[], options: PostProcessOptions): readonly PartialEncoding[];
}

const blank = characterOfByte[0x20];

/** The index `count` characters before a position; the position itself if fewer precede it. */
function back(source: string, place: number, count: number): number {
  let at = place;
  for (let left = count; left > 0; left--) {
    if (at <= 0) return place;
    at -= isLowSurrogate(source.charCodeAt(at - 1)) ? 2 : 1;
  }
  return at;
}

function isSpace(unit: number): boolean {
  return unit === blank || (classOf(unit) & space) !== 0;
}

/** White-space units from `start` on, forwards or backwards. */
function countSpaces(token: string, start: number, step: 1 | -1): number {
  let count = 0;
  while (count < token.length && isSpace(token.charCodeAt(start + step * count))) count++;
  return count;
}

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export const readPostProcessor = byType<PostProcessor>({
  BertProcessing: readBertProcessing,
  ByteLevel: readByteLevelProcessing,
  RobertaProcessing: readRobertaProcessing,
  Sequence: readPostProcessors,
  TemplateProcessing: readTemplateProcessing,
});

function readPostProcessors(label: string, members: Members): PostProcessor {
  const steps = readSequence(label, members, 'processors', readPostProcessor);
  return {
    addedTokens: (texts) => steps.reduce((sum, step) => sum + step.addedTokens(texts), 0),
    process: (encodings, options) =>
      steps.reduce((processed, step) => step.process(processed, options), encodings),
  };
}

function readByteLevelProcessing(label: string, members: Members): PostProcessor {
  const trim = readTrimming(label, members);
  return { addedTokens: () => 0, process: (encodings) => encodings.map(trim) };
}

/** Reads `trim_offsets` and `add_prefix_space`. */
function readTrimming(label: string, members: Members): (encoding: PartialEncoding) => PartialEncoding {
  const trims = readBoolean(`${label}.trim_offsets`, members['trim_offsets'], true);
  const addPrefixSpace = readBoolean(`${label}.add_prefix_space`, members['add_prefix_space'], true);
  return trims ? trim : (encoding) => encoding;

  /**
   * Excludes white space from the spans of tokens, except a blank that was prepended to the text. It is counted in
   * characters, even if they came from several source characters.
   */
  function trim(encoding: PartialEncoding): PartialEncoding {
    const { source = '' } = encoding;
    const offsets = encoding.offsets.slice();
    for (const [index, token] of encoding.tokens.entries()) {
      let leading = countSpaces(token, 0, 1);
      let start = offsets[2 * index]!;
      const end = offsets[2 * index + 1]!;
      if (leading === 1 && addPrefixSpace && (index === 0 || start === 0)) leading = 0;
      for (; leading > 0 && start < end; leading--)
        start += isHighSurrogate(source.charCodeAt(start)) ? 2 : 1;
      offsets[2 * index] = start;
      offsets[2 * index + 1] = Math.max(start, back(source, end, countSpaces(token, token.length - 1, -1)));
    }
    return {
      ...encoding,
      offsets,
      overflowing: encoding.overflowing.map(trim),
    };
  }
}

function readTokenAndId(label: string, value: unknown): Encoding {
  const [token, id] = readList(label, value);
  return toConstantEncoding([readInteger(`${label}[1]`, id)], [readString(`${label}[0]`, token)], {
    typeId: 0,
  });
}

/** `[CLS] text [SEP]`, `[CLS] text [SEP] text [SEP]` */
function readBertProcessing(label: string, members: Members): PostProcessor {
  const begin = readTokenAndId(`${label}.cls`, members['cls']);
  const end = readTokenAndId(`${label}.sep`, members['sep']);
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
  const begin = readTokenAndId(`${label}.cls`, members['cls']);
  const end = readTokenAndId(`${label}.sep`, members['sep']);
  const trim = readTrimming(label, members);
  return {
    addedTokens: (texts) => 2 * texts,
    process: (encodings, { addSpecialTokens }) =>
      encodings.map((encoding, index) => {
        const first = withTypeId(trim(encoding), 0);
        const text = { ...first, overflowing: first.overflowing.map((part) => withTypeId(part, 0)) };
        return addSpecialTokens ? concatenateEncodings([index === 0 ? begin : end, text, end]) : text;
      }),
  };
}

interface SpecialTokens {
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
}

type Part =
  | { readonly text: number; readonly typeId: number }
  | { readonly text?: undefined; readonly encoding: Encoding };

/** Texts and special tokens in the order of a template, for one text and for two. */
function readTemplateProcessing(label: string, members: Members): PostProcessor {
  const special = new Map<string, SpecialTokens>();
  const definitions = readMembers(`${label}.special_tokens`, members['special_tokens']);
  for (const [name, value] of Object.entries(definitions)) {
    const at = `${label}.special_tokens[${JSON.stringify(name)}]`;
    const { ids, tokens } = readMembers(at, value);
    const read = {
      ids: readList(`${at}.ids`, ids).map((id) => readInteger(`${at}.ids`, id)),
      tokens: readList(`${at}.tokens`, tokens).map((token) => readString(`${at}.tokens`, token)),
    };
    if (read.ids.length !== read.tokens.length) throw new RangeError(`${at}: expected as many ids as tokens`);
    special.set(name, read);
  }
  const single = readTemplate('single', members['single'], 1);
  const pair = readTemplate('pair', members['pair'] ?? [], 2);
  const templateOf = (texts: number): readonly Part[] => {
    if (texts > 2) throw new RangeError(`${label}: can't follow another template`);
    return texts === 2 ? pair : single;
  };
  return {
    addedTokens: (texts) =>
      templateOf(texts).reduce(
        (sum, part) => sum + (part.text === undefined ? part.encoding.ids.length : 0),
        0,
      ),
    process: (encodings, { addSpecialTokens }) =>
      templateOf(encodings.length).flatMap((part) => {
        if (part.text !== undefined) return withTypeId(encodings[part.text]!, part.typeId);
        return addSpecialTokens ? part.encoding : [];
      }),
  };

  function readTemplate(name: string, value: unknown, texts: number): readonly Part[] {
    return readList(`${label}.${name}`, value).map((item, index) => {
      const at = `${label}.${name}[${index}]`;
      const { Sequence: sequence, SpecialToken: token } = readMembers(at, item);
      const kind = sequence === undefined ? 'SpecialToken' : 'Sequence';
      const { id, type_id: typeIdValue } = readMembers(`${at}.${kind}`, sequence ?? token);
      const typeId = readInteger(`${at}.${kind}.type_id`, typeIdValue);
      if (sequence !== undefined) {
        const text = ['A', 'B'].slice(0, texts).indexOf(readString(`${at}.Sequence.id`, id));
        if (text === -1) throw new RangeError(`${at}.Sequence.id: expected ${texts === 1 ? 'A' : 'A or B'}`);
        return { text, typeId };
      }
      const known = special.get(readString(`${at}.SpecialToken.id`, id));
      if (!known)
        throw new RangeError(`${at}.SpecialToken.id: ${JSON.stringify(id)} is not among the special tokens`);
      return { encoding: toConstantEncoding(known.ids, known.tokens, { typeId }) };
    });
  }
}
