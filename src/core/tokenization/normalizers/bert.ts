import { readBoolean, type Members } from '../definition.ts';
import { classOf, space } from '../unicode/character-class.ts';
import { combiningOrder } from '../unicode/combining-class.ts';
import { createMarkTest, notNonspacingMarks } from '../unicode/newer-characters.ts';
import {
  createCharacterNormalizer,
  createCharacterRewriter,
  lowercase,
  lowercaseCharacter,
} from './character-rewriter.ts';
import type { Normalizer } from './normalizer.ts';
import { decompose, nfd } from './unicode-forms.ts';

/** BERT's cleaning: control characters, white space, Chinese characters, accents, case. */
export function readBertNormalizer(label: string, members: Members): Normalizer {
  const flag = (name: string, fallback?: boolean): boolean =>
    readBoolean(`${label}.${name}`, members[name], fallback);
  const lowercases = flag('lowercase');
  const steps: Step[] = [];
  if (flag('clean_text')) steps.push(cleaning);
  if (flag('handle_chinese_chars')) steps.push(isolation);
  if (flag('strip_accents', lowercases)) steps.push(decomposition, removalOfMarks);
  if (lowercases) steps.push({ rewrite: lowercaseCharacter, normalize: lowercase });
  const allAtOnce = createCharacterRewriter((character) =>
    steps.reduce<string | undefined>(
      (text, { rewrite }) => (text === undefined ? undefined : rewriteAll(text, rewrite)),
      character,
    ),
  );
  return (piece) =>
    allAtOnce(piece) ?? steps.reduce((rewritten, { normalize }) => normalize(rewritten), piece);
}

/** The context-free replacement of a character, and of a whole text. */
interface Step {
  readonly rewrite: (character: string) => string | undefined;
  readonly normalize: Normalizer;
}

function toStep(rewrite: (character: string) => string): Step {
  return { rewrite, normalize: createCharacterNormalizer(rewrite) };
}

function rewriteAll(text: string, rewrite: Step['rewrite']): string | undefined {
  let rewritten = '';
  for (const character of text) {
    const part = rewrite(character);
    if (part === undefined) return undefined;
    rewritten += part;
  }
  return rewritten;
}

const cleaning = toStep((character) => {
  if (/^[\t\n\r]$/.test(character)) return ' ';
  if (control.test(character)) return '';
  return (classOf(character.codePointAt(0)!) & space) === 0 ? character : ' ';
});

/** Except control characters newer than the reference's Unicode table. */
const control = /^(?![\u0890\u0891\u08e2\u{110cd}\u{13430}-\u{1343f}])[\p{Cc}\p{Cf}\p{Co}\ufffd]$/u;

const ideograph =
  /^[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]$/u;

const isolation = toStep((character) => (ideograph.test(character) ? ` ${character} ` : character));

const decomposition: Step = {
  /** Sorts marks canonically, which has no effect if they are removed later. */
  rewrite(character) {
    const text = decompose(character, 'NFD');
    const isOrdered = Array.from(text).some(
      (part) => combiningOrder(part.codePointAt(0)!) > 0 && !isNonspacingMark(part),
    );
    return isOrdered ? undefined : text;
  },
  normalize: nfd,
};

const removalOfMarks = toStep((character) => (isNonspacingMark(character) ? '' : character));

/** Two characters were nonspacing marks until Unicode 14. */
const isNonspacingMark = createMarkTest(/^\p{Mn}$/u, [0x17_34, 0x1_17_1e], notNonspacingMarks);
