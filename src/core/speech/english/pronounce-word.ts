import { tableOf } from '../table-of.ts';
import { withoutStress, withS, type Pronunciation } from './arpabet-sounds.ts';
import { pronounceHeteronym } from './heteronyms.ts';
import type { LetterToSoundModel } from './letter-to-sound-model.ts';
import { pronounceParts, type LookUp } from './word-parts.ts';

/** Words that the dictionary lacks, or has only as a name with a different pronunciation. */
const knownWords = tableOf(
  `ai:EY1 AY1, app:AE1 P, apps:AE1 P S, blog:B L AA1 G, blogs:B L AA1 G Z, emoji:IH0 M OW1 JH IY0,
ffmpeg:EH1 F EH1 F EH1 M P EH2 G, gif:G IH1 F, google:G UW1 G AH0 L, jpeg:JH EY1 P EH2 G, json:JH EY1 S AH0 N,
kokoro:K OW1 K AH0 R OW2, kubernetes:K UW2 B ER0 N EH1 T IY0 Z, kyiv:K IY1 IH0 V, latex:L EY1 T EH2 K,
linux:L IH1 N AH0 K S, nginx:EH1 N JH AH0 N EH1 K S, ok:OW2 K EY1, onnx:AA1 N IH0 K S, png:P IY1 EH1 N JH IY1,
python:P AY1 TH AA0 N, readme:R IY1 D M IY2, regex:R EH1 JH EH2 K S, runtime:R AH1 N T AY2 M, sudo:S UW1 D UW0,
tuple:T AH1 P AH0 L, ubuntu:UH0 B UH1 N T UW0, volodymyr:V AA2 L AH0 D IH1 M IH0 R, wifi:W AY1 F AY2,
youtube:Y UW1 T UW2 B`,
);

/** Initials to spell although a dictionary has them as words. */
const spelledCapitals: ReadonlySet<string> = new Set(
  (
    'US UK EU UN UAE AI AM PM AD BC PC TV ID OS UI UX IP IO DJ MC CD DVD LED LCD USB GPU CPU TPU API URL PDF SQL CSS ' +
    'HTML XML HTTP HTTPS GPS FBI CIA IRS NBA NFL ATM DNA RNA CEO CTO CFO HR PR QA VIP FAQ DIY ETA AC DC EV VR AR ML ' +
    'SDK CLI IDE LLM TTS STT OCR RGB HD PS'
  ).split(' '),
);

const namesOfLetters =
  'EY1,B IY1,S IY1,D IY1,IY1,EH1 F,JH IY1,EY1 CH,AY1,JH EY1,K EY1,EH1 L,EH1 M,EH1 N,OW1,P IY1,K Y UW1,AA1 R,EH1 S,T IY1,Y UW1,V IY1,D AH1 B AH0 L Y UW0,EH1 K S,W AY1,Z IY1';

/** Lower-case letter → its American name. */
const letterNames: ReadonlyMap<string, Pronunciation> = new Map(
  namesOfLetters.split(',').map((name, at) => [String.fromCodePoint(0x61 + at), name]),
);

/** Words without stress within a sentence. */
const functionWords: ReadonlySet<string> = new Set(
  (
    'a an the and or but nor of to in on at by for from with as into is are was were be been am has have had do does ' +
    'did will would can could shall should may might must it its he she him his her they them their we us our you ' +
    'your my me that than if this'
  ).split(' '),
);

/** The function words without stress even at the end of a sentence: `I saw it.` */
const unstressedAtEnd: ReadonlySet<string> = new Set('it him her them us me you'.split(' '));

export interface WordContext {
  /** The adjacent words as written; empty at the edge of a phrase. */
  readonly before: string;
  readonly after: string;
  readonly endsSentence: boolean;
  readonly nextBeginsWithVowel: boolean;
  readonly lookUp: LookUp;
  /** Pronounces words that `lookUp` lacks; without it, they are composed from known words or spelled. */
  readonly letterToSound?: LetterToSoundModel | undefined;
}

/** Letters outside a to z that Unicode doesn't decompose. */
const plainLetters = tableOf(`ß:ss, æ:ae, œ:oe, ø:o, ł:l, đ:d, ð:th, þ:th, ı:i`);

/** Longer runs of capitals are words. */
const maxInitials = 5;
/** Longer tokens aren't words. */
const maxWordLength = 40;

const initials = /^(?<letters>\p{Lu}{2,})(?<plural>'?s)?$/u;
const capital = /^\p{Lu}$/u;
/** Between the words of `JavaScript` and `OpenAI`. */
const humps = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

export function pronounceWord(word: string, context: WordContext): Pronunciation[] {
  const { before, after, lookUp } = context;
  if (capital.test(word) && !isArticle(word, before, after)) return spell(word, lookUp);
  const { letters, plural } = initials.exec(word)?.groups ?? {};
  if (letters !== undefined && isSpelled(letters, lookUp)) {
    const names = spell(letters, lookUp);
    return plural === undefined ? names : [...names.slice(0, -1), ...names.slice(-1).map(withS)];
  }
  const plain = toPlainLetters(word);
  if (plain === '') return [];
  const known = pronounceKnown(plain, context);
  if (known !== undefined) return [withFullUn(known, plain)];
  const parts = word.split(humps);
  if (parts.length > 1)
    return parts.flatMap((part) => pronounceWord(part, { ...context, before: '', after: '' }));
  return pronounceUnknown(plain, context);
}

/** Pronounces a dictionary word as its neighbours require. */
function pronounceKnown(word: string, context: WordContext): Pronunciation | undefined {
  const { endsSentence, nextBeginsWithVowel, lookUp } = context;
  const before = context.before.toLowerCase();
  const after = context.after.toLowerCase();
  if (word === 'the') return nextBeginsWithVowel ? 'DH IY0' : 'DH AH0';
  if (word === 'a') return 'AH0';
  if (word === 'an') return 'AH0 N';
  if (word === 'to' && !endsSentence) return nextBeginsWithVowel ? 'T UW0' : 'T AH0';
  if (Object.hasOwn(knownWords, word)) return knownWords[word];
  const found = pronounceHeteronym(word, { before, after }, lookUp) ?? lookUp(word);
  const isWeak = endsSentence ? before !== '' && unstressedAtEnd.has(word) : functionWords.has(word);
  return found !== undefined && isWeak ? withoutStress(found) : found;
}

function pronounceUnknown(word: string, { lookUp, letterToSound }: WordContext): Pronunciation[] {
  if (word.length > maxWordLength || spelledCapitals.has(word.toUpperCase())) return spell(word, lookUp);
  const fromParts = pronounceParts(word, (part) => knownPart(part, lookUp));
  const letters = word.replaceAll("'", '');
  const found = letterToSound ? letterToSound.pronounce(letters, fromParts) : (fromParts.next().value ?? '');
  return found === '' ? spell(word, lookUp) : [withFullUn(found, word)];
}

/** The vowel of `un-` isn't the weak vowel of `about`, although the dictionary writes it so. */
function withFullUn(pronunciation: Pronunciation, word: string): Pronunciation {
  return word.startsWith('un') ? pronunciation.replace(/^AH0(?= N)/, 'AH2') : pronunciation;
}

function knownPart(word: string, lookUp: LookUp): Pronunciation | undefined {
  return Object.hasOwn(knownWords, word) ? knownWords[word] : lookUp(word);
}

function spell(word: string, lookUp: LookUp): Pronunciation[] {
  return Array.from(toPlainLetters(word), (letter) => lookUp(`${letter}.`) ?? letterNames.get(letter)).filter(
    (name) => name !== undefined,
  );
}

/** `A` is the article only at the beginning of a sentence, and not before a single letter: `A B C`. */
function isArticle(letter: string, before: string, after: string): boolean {
  return letter === 'A' && before === '' && after !== '' && !capital.test(after);
}

function isSpelled(letters: string, lookUp: LookUp): boolean {
  if (spelledCapitals.has(letters)) return true;
  return letters.length <= maxInitials && knownPart(letters.toLowerCase(), lookUp) === undefined;
}

/** In lower case, with a to z and apostrophes only; letters of non-Latin scripts are dropped. */
function toPlainLetters(word: string): string {
  return Array.from(word.toLowerCase().normalize('NFD'), (letter) => plainLetters[letter] ?? letter)
    .join('')
    .replace(/[^a-z']/g, '');
}
