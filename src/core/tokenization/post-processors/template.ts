import { readInteger, readList, readMembers, readString, type Members } from '../definition.ts';
import { toConstantEncoding, withTypeId, type Encoding } from '../encoding.ts';
import type { PostProcessor } from './post-processor.ts';

interface SpecialTokens {
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
}

type Part =
  | { readonly text: number; readonly typeId: number }
  | { readonly text?: undefined; readonly encoding: Encoding };

/** Texts and special tokens in the order of a template, one for a single text and one for two. */
export function readTemplateProcessing(label: string, members: Members): PostProcessor {
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
  const single = readTemplate(`${label}.single`, members['single'], special, 1);
  const pair = readTemplate(`${label}.pair`, members['pair'] ?? [], special, 2);
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
}

function readTemplate(
  label: string,
  value: unknown,
  special: ReadonlyMap<string, SpecialTokens>,
  texts: number,
): readonly Part[] {
  return readList(label, value).map((item, index) => {
    const at = `${label}[${index}]`;
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
