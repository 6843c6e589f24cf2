import { concatenateEncodings, toConstantEncoding, type Encoding } from './encoding.ts';
import type { PostProcessor } from './post-processors/read-post-processor.ts';

/** A text pair as input of a cross-encoder. Both lists have one entry per token. */
export interface EncodedPair {
  readonly ids: Uint32Array;
  /** 0 for the first text, 1 for the second, or as the post-processor defines. */
  readonly typeIds: Uint32Array;
}

/** Encodes one text together with many second texts. */
export interface PairEncoder {
  /** Length of the pair of the text and an empty text, special tokens included. */
  readonly length: number;
  /**
   * @param maxLength maximum tokens of the pair; the second text is truncated at its end. Default: no limit
   * @throws RangeError for a `maxLength` below `length`
   */
  encode(second: string, maxLength?: number): EncodedPair;
}

/** Placeholders for the two texts in a template: no token has these ids. */
export const placeholders = [0xff_ff_ff_ff, 0xff_ff_ff_fe] as const;

/**
 * The special tokens around one text or two, with a placeholder per text; `undefined` if a placeholder is missing or repeated.
 */
export function readTemplate(postProcessor: PostProcessor | undefined, count: 1 | 2): Encoding | undefined {
  const marks = placeholders.slice(0, count);
  const texts = marks.map((id, typeId) => toConstantEncoding([id], [''], { typeId }));
  const template = concatenateEncodings(postProcessor?.process(texts, { addSpecialTokens: true }) ?? texts);
  const isOnce = (wanted: number): boolean => template.ids.filter((id) => id === wanted).length === 1;
  return marks.every(isOnce) ? template : undefined;
}

/**
 * Encodes the first text once; `encode` of the tokenizer would repeat that for every second text, and keep the
 * truncated tokens.
 */
export function createPairEncoder(
  template: Pick<Encoding, 'ids' | 'typeIds'>,
  first: string,
  toIds: (text: string) => Uint32Array,
): PairEncoder {
  const firstIds = toIds(first);
  const length = template.ids.length - placeholders.length + firstIds.length;
  return {
    length,
    encode(second, maxLength = Infinity) {
      if (maxLength < length) {
        throw new RangeError(
          `maxLength: expected at least the ${length} tokens beside the second text, got ${maxLength}`,
        );
      }
      const all = toIds(second);
      const secondIds = all.subarray(0, Math.min(all.length, maxLength - length));
      const ids = new Uint32Array(length + secondIds.length);
      const typeIds = new Uint32Array(ids.length);
      let at = 0;
      for (const [index, id] of template.ids.entries()) {
        const text = id === placeholders[0] ? firstIds : id === placeholders[1] ? secondIds : undefined;
        const end = at + (text?.length ?? 1);
        if (text) ids.set(text, at);
        else ids[at] = id;
        typeIds.fill(template.typeIds[index]!, at, end);
        at = end;
      }
      return { ids, typeIds };
    },
  };
}
