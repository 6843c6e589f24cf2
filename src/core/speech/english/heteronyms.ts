import type { Pronunciation } from './arpabet-sounds.ts';
import type { LookUp } from './word-parts.ts';

/** The adjacent words in lower case; empty at the beginning or end of a sentence. */
export interface Neighbours {
  readonly before: string;
  readonly after: string;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Words before a verb in its base form. */
const beforeVerb = words(
  "to will would can could shall should may might must not don't doesn't didn't can't won't couldn't shouldn't wouldn't i you we they who please let's let helps help cannot",
);
const auxiliaries = words(
  "have has had having was were been being be is are haven't hasn't hadn't wasn't weren't i've we've they've you've",
);
const adverbTakers = words(
  'is are was were be been being very so too as quite get got stay stays came come comes go goes going went',
);
const determiners = words(
  'the a an this that these those my your his her its our their it all some any every each no one',
);
const liveThings = words(
  'music show shows stream streams streaming video audio broadcast event events concert chat demo data tv performance performances updates coverage session stage audience wire bait now on from',
);
const leadThings = words('pipe pipes paint poisoning acid pencil bullets battery batteries');

/** Words with the stress in front as a noun and at the end as a verb. */
const nounsAndVerbs = words(
  'record records present presents object objects project projects content contents contract contracts conflict conflicts contrast contrasts permit permits produce progress protest protests rebel rebels refuse reject rejects subject subjects suspect suspects increase increases decrease decreases export exports import imports insult insults convict convicts conduct desert deserts perfect transfer transfers update updates upset address addresses',
);
/** Words in -ate with a different final vowel as a verb. */
const verbsInAte = words(
  'separate estimate graduate moderate duplicate delegate alternate associate deliberate advocate appropriate approximate animate elaborate intimate articulate coordinate subordinate degenerate aggregate',
);

type Choose = (neighbours: Neighbours) => Pronunciation;

const isVerb = ({ before, after }: Neighbours): boolean =>
  beforeVerb.has(before) || (before === '' && determiners.has(after));

const heteronyms: Readonly<Record<string, Choose>> = {
  read: ({ before }) =>
    auxiliaries.has(before) || before === 'he' || before === 'she' ? 'R EH1 D' : 'R IY1 D',
  lead: ({ after }) => (leadThings.has(after) ? 'L EH1 D' : 'L IY1 D'),
  live: ({ before, after }) =>
    liveThings.has(after) && !beforeVerb.has(before)
      ? 'L AY1 V'
      : adverbTakers.has(before)
        ? 'L AY1 V'
        : 'L IH1 V',
  lives: ({ before }) => (determiners.has(before) ? 'L AY1 V Z' : 'L IH1 V Z'),
  wind: ({ before, after }) =>
    beforeVerb.has(before) || after === 'up' || after === 'down' ? 'W AY1 N D' : 'W IH1 N D',
  winds: () => 'W IH1 N D Z',
  tear: ({ before, after }) =>
    (determiners.has(before) && after !== 'in') || after === 'drops' ? 'T IH1 R' : 'T EH1 R',
  tears: ({ before }) => (before === 'he' || before === 'she' || before === 'it' ? 'T EH1 R Z' : 'T IH1 R Z'),
  close: (neighbours) =>
    isVerb(neighbours) || (determiners.has(neighbours.after) && !adverbTakers.has(neighbours.before))
      ? 'K L OW1 Z'
      : 'K L OW1 S',
  use: ({ before }) =>
    determiners.has(before) || /^(?:of|in|for|good|great|little)$/.test(before) ? 'Y UW1 S' : 'Y UW1 Z',
  house: (neighbours) => (isVerb(neighbours) ? 'HH AW1 Z' : 'HH AW1 S'),
  excuse: (neighbours) =>
    isVerb(neighbours) || neighbours.after === 'me' ? 'IH0 K S K Y UW1 Z' : 'IH0 K S K Y UW1 S',
  abuse: (neighbours) => (isVerb(neighbours) ? 'AH0 B Y UW1 Z' : 'AH0 B Y UW1 S'),
  does: () => 'D AH1 Z',
  minute: () => 'M IH1 N AH0 T',
  wound: ({ before, after }) => (after === 'up' || auxiliaries.has(before) ? 'W AW1 N D' : 'W UW1 N D'),
  row: () => 'R OW1',
  bass: ({ before, after }) => (before === 'sea' || after === 'fishing' ? 'B AE1 S' : 'B EY1 S'),
  bow: ({ before, after }) =>
    after === 'and' || after === 'tie' || before === 'a' || before === 'rain' ? 'B OW1' : 'B AW1',
};

/** Selects the pronunciation of a heteronym from the words around it. */
export function pronounceHeteronym(
  word: string,
  neighbours: Neighbours,
  lookUp: LookUp,
): Pronunciation | undefined {
  if (Object.hasOwn(heteronyms, word)) return heteronyms[word]!(neighbours);
  if (nounsAndVerbs.has(word)) {
    const wanted = isVerb(neighbours) ? /^[^\d]*[02]/ : /^[^\d]*1/;
    return variantsOf(word, lookUp).find((variant) => wanted.test(variant));
  }
  if (verbsInAte.has(word)) {
    const wanted = isVerb(neighbours) ? /EY[12] T$/ : /[AI]H0 T$/;
    return variantsOf(word, lookUp).find((variant) => wanted.test(variant));
  }
  return undefined;
}

function variantsOf(word: string, lookUp: LookUp): Pronunciation[] {
  return ['', '(2)', '(3)', '(4)'].flatMap((number) => lookUp(word + number) ?? []);
}
