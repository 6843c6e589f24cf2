import { readBoolean, type Members } from '../definition.ts';
import { classOf, space } from '../unicode/character-class.ts';
import { combiningOrder } from '../unicode/combining-class.ts';
import { isInRanges, notNonspacingMarks } from '../unicode/newer-characters.ts';
import {
  createCharacterNormalizer,
  createCharacterRewriter,
  lowercase,
  lowercaseCharacter,
} from './character-rewriter.ts';
import type { Normalizer } from './normalizer.ts';
import { decompose, nfd } from './unicode-forms.ts';

/** The cleaning of BERT: control characters, white space, Chinese characters, accents, case. */
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

/** The replacement of one character that doesn't depend on its neighbours, and of a text. */
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
  const codePoint = character.codePointAt(0)!;
  if (codePoint === 0x09 || codePoint === 0x0a || codePoint === 0x0d) return ' ';
  if (isControl(codePoint)) return '';
  return (classOf(codePoint) & space) === 0 ? character : ' ';
});

const control = /^[\p{Cc}\p{Cf}\p{Co}]$/u;

/** Control characters that came after the table which decides here. */
const newerControls: ReadonlySet<number> = new Set([0x8_90, 0x8_91, 0x8_e2, 0x1_10_cd]);

function isControl(codePoint: number): boolean {
  if (codePoint === 0xff_fd) return true;
  if (newerControls.has(codePoint) || (codePoint >= 0x1_34_30 && codePoint <= 0x1_34_3f)) return false;
  return control.test(String.fromCodePoint(codePoint));
}

const isolation = toStep((character) =>
  isIdeograph(character.codePointAt(0)!) ? ` ${character} ` : character,
);

function isIdeograph(codePoint: number): boolean {
  return (
    codePoint >= 0x34_00 &&
    (codePoint <= 0x4d_bf ||
      (codePoint >= 0x4e_00 && codePoint <= 0x9f_ff) ||
      (codePoint >= 0xf9_00 && codePoint <= 0xfa_ff) ||
      (codePoint >= 0x2_00_00 && codePoint <= 0x2_a6_df) ||
      (codePoint >= 0x2_a7_00 && codePoint <= 0x2_b8_1f) ||
      (codePoint >= 0x2_b9_20 && codePoint <= 0x2_ce_af) ||
      (codePoint >= 0x2_f8_00 && codePoint <= 0x2_fa_1f))
  );
}

const decomposition: Step = {
  /** Marks are put in order. That makes no difference where they are removed afterwards. */
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

const nonspacingMark = /^\p{Mn}$/u;

function isNonspacingMark(character: string): boolean {
  const codePoint = character.codePointAt(0)!;
  if (codePoint === 0x17_34 || codePoint === 0x1_17_1e) return true; // marks of that kind until Unicode 14
  return nonspacingMark.test(character) && !isInRanges(codePoint, notNonspacingMarks);
}
