import { codePointAt, sourceStart } from '../aligned-text.ts';
import { readBoolean, readCharacter, readChoice, type Members } from '../definition.ts';
import { writePrefix } from '../normalizers/normalizer.ts';
import { createCharacterPattern } from '../patterns/pattern.ts';
import { type PreTokenizer, rewritePieces, splitPieces } from '../pieces.ts';

/** Which pieces get the replacement as a prefix: all pieces, only the text's first, or no piece. */
export type PrependScheme = 'always' | 'first' | 'never';

/** The settings shared by the pre-tokenizer and the decoder of the type `Metaspace`. */
export function readMetaspaceOptions(
  label: string,
  members: Members,
): { replacement: string; prependScheme: PrependScheme } {
  const replacement = String.fromCodePoint(readCharacter(`${label}.replacement`, members['replacement']));
  const prependScheme = readChoice(`${label}.prepend_scheme`, members['prepend_scheme'] ?? 'always', [
    'always',
    'first',
    'never',
  ]);
  if (readBoolean(`${label}.add_prefix_space`, members['add_prefix_space'], true))
    return { replacement, prependScheme };
  if (members['prepend_scheme'] !== undefined && prependScheme !== 'never')
    throw new RangeError(`${label}.add_prefix_space: expected true beside prepend_scheme ${prependScheme}`);
  return { replacement, prependScheme: 'never' };
}

const blank = 0x20;

/** Replaces blanks by `▁`, and splits before each. */
export function readMetaspace(label: string, members: Members): PreTokenizer {
  const { replacement, prependScheme } = readMetaspaceOptions(label, members);
  const split = readBoolean(`${label}.split`, members['split'], true);
  const mark = replacement.codePointAt(0)!;
  const pattern = createCharacterPattern((codePoint) => codePoint === mark);
  return (given) => {
    const { text } = given;
    const { units } = text;
    const pieces = rewritePieces(given, (builder, end) => {
      const wants =
        prependScheme === 'always' || (prependScheme === 'first' && sourceStart(text, builder.at) === 0);
      const first = codePointAt(units, builder.at);
      if (wants && first !== blank && first !== mark) writePrefix(builder, units, replacement);
      while (builder.at < end) {
        let next = builder.at;
        while (next < end && units[next] !== blank) next++;
        builder.copyTo(next);
        if (next < end) builder.replace(mark);
      }
    });
    return split ? splitPieces(pieces, pattern, { behavior: 'MergedWithNext' }) : pieces;
  };
}

/** Whether a pre-tokenizer prepends something to the text's first piece, and so needs source positions. */
export function needsSource(definition: unknown): boolean {
  return JSON.stringify(definition ?? null).includes('"prepend_scheme":"first"');
}
