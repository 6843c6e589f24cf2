import type { TextBuilder } from '../aligned-text.ts';
import { readBoolean, type Members } from '../definition.ts';
import { classOf, space } from '../unicode/character-class.ts';
import { isInRanges, notNonspacingMarks } from '../unicode/newer-characters.ts';
import { lowercase } from './lowercase.ts';
import { rewriteCharacters, type Normalizer } from './normalizer.ts';
import { nfd } from './unicode-forms.ts';

/** The cleaning of BERT: control characters, white space, Chinese characters, accents, case. */
export function readBertNormalizer(label: string, members: Members): Normalizer {
  const flag = (name: string, fallback?: boolean): boolean =>
    readBoolean(`${label}.${name}`, members[name], fallback);
  const lowercases = flag('lowercase');
  const steps: Normalizer[] = [];
  if (flag('clean_text')) steps.push(cleanText);
  if (flag('handle_chinese_chars')) steps.push(isolateIdeographs);
  if (flag('strip_accents', lowercases)) steps.push(nfd, removeNonspacingMarks);
  if (lowercases) steps.push(lowercase);
  return (piece) => steps.reduce((rewritten, step) => step(rewritten), piece);
}

const cleanText: Normalizer = (piece) => rewriteCharacters(piece, isClean, writeClean);

function isClean(codePoint: number): boolean {
  if (codePoint < 0x7f) return codePoint >= 0x20;
  return !isControl(codePoint) && (classOf(codePoint) & space) === 0;
}

function writeClean(builder: TextBuilder, codePoint: number): void {
  if (codePoint === 0x09 || codePoint === 0x0a || codePoint === 0x0d) builder.replace(0x20);
  else if (isControl(codePoint)) builder.skip();
  else builder.replace(0x20);
}

const control = /^[\p{Cc}\p{Cf}\p{Co}]$/u;

/** Control characters that came after the table which decides here. */
const newerControls: ReadonlySet<number> = new Set([0x8_90, 0x8_91, 0x8_e2, 0x1_10_cd]);

function isControl(codePoint: number): boolean {
  if (codePoint < 0x80) return codePoint < 0x20 || codePoint === 0x7f;
  if (codePoint === 0xff_fd) return true;
  if (newerControls.has(codePoint) || (codePoint >= 0x1_34_30 && codePoint <= 0x1_34_3f)) return false;
  return control.test(String.fromCodePoint(codePoint));
}

const isolateIdeographs: Normalizer = (piece) =>
  rewriteCharacters(
    piece,
    (codePoint) => !isIdeograph(codePoint),
    (builder, codePoint) => {
      builder.replace(0x20);
      builder.insert(codePoint);
      builder.insert(0x20);
    },
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

const nonspacingMark = /^\p{Mn}$/u;

const removeNonspacingMarks: Normalizer = (piece) =>
  rewriteCharacters(
    piece,
    (codePoint) => codePoint < 0x3_00 || !isNonspacingMark(codePoint),
    (builder) => builder.skip(),
  );

function isNonspacingMark(codePoint: number): boolean {
  if (codePoint === 0x17_34 || codePoint === 0x1_17_1e) return true; // marks of that kind until Unicode 14
  return nonspacingMark.test(String.fromCodePoint(codePoint)) && !isInRanges(codePoint, notNonspacingMarks);
}
