import { assertText } from '../../assert-values.ts';
import { readLatex } from './latex.ts';
import { decodeEntity, entity, pauseOf, sayAs } from './ssml.ts';

/** A part of a text between two breaks. */
export interface MarkedSpan {
  /** The text to speak; {@link phonemeMark} replaces a word with given phonemes. */
  readonly text: string;
  /** Phonemes of the marked words, in order. */
  readonly phonemes: readonly string[];
  /** Seconds of silence after the span; `undefined` leaves it to the punctuation. */
  readonly pauseSeconds: number | undefined;
}

/** A text without its markup. */
export interface MarkedText {
  readonly spans: readonly MarkedSpan[];
  /** The text with its markup blanked, of equal length: offsets in it are offsets in the text. */
  readonly shown: string;
}

/** An obsolete letter as a placeholder: the rules for numbers and symbols treat it as a word. */
export const phonemeMark = 'ꙮ';

/** A source text may not inject the placeholder. */
const withoutMarks = (text: string): string => text.replaceAll(phonemeMark, ' ');

/** Maximum total of all breaks in a text. */
const maxPauseSeconds = 60;
/** Joins its neighbours, and is removed before the text is spoken. */
const joiner = '\u2060';

const attribute = String.raw`\s+[\w:-]{1,40}\s*=\s*(?:"[^"<>]{0,500}"|'[^'<>]{0,500}')`;
const markup = new RegExp(
  [
    '(?<fence>(?<=^|\\n)(?:`{3}|~{3})[^\\n]*(?:\\n(?!`{3}|~{3})[^\\n]*)*(?:\\n(?:`{3}|~{3})[^\\n]*|$))',
    String.raw`(?<table>(?<=^|\n)[^\n|]*\|[^\n]*\n[ \t|]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*(?:\n[^\n|]*\|[^\n]*)*)`,
    String.raw`(?<row>(?<=^|\n)[ \t]*\|[^\n]*\|[ \t]*(?=\n|$))`,
    String.raw`(?<rule>(?<=^|\n)[ \t]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|={3,}[ \t]*)(?=\n|$))`,
    String.raw`(?<title>(?<=^|\n)[ \t]{0,3}(?:#{1,6}[ \t]+(?:#+[ \t]+)*(?<heading>[^\n]+)|(?:\*\*|__)(?<bold>[^*_\n]{1,200})(?:\*\*|__)[ \t]*(?=\n|$)))`,
    String.raw`(?<quote>(?<=^|\n)[ \t]{0,3}>(?![=\d])[ \t]?)`,
    String.raw`(?<bullet>(?<=^|\n)[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)`,
    String.raw`(?<math>\$\$(?<display>[^$]{1,1000})\$\$|\\\((?<round>[^\n]{1,500}?)\\\)|\\\[(?<square>[^]{1,1000}?)\\\]|\$(?=\S)(?<inner>[^$\n]{0,300}[^$\s\\])\$(?!\d))`,
    String.raw`(?<escape>\\(?=[!-\/:-@\x5b-\x60\x7b-~]))`,
    String.raw`(?<power>(?<=\d|\b[A-Za-z]|\))<sup>(?=[-−+]?\d))`,
    String.raw`(?<highlight>==(?=[^\s=])(?<highlighted>[^=\n]{0,300}[^\s=])==(?!=))`,
    String.raw`(?<note>\[\^[^\]\s]{1,40}\]:?)`,
    String.raw`(?<definition>(?<=^|\n)[ \t]{0,3}\[[^\]\n^][^\]\n]{0,200}\]:[ \t]+\S[^\n]*)`,
    String.raw`(?<reference>\[(?<labeled>[^[\]\n]{1,500})\]\[(?<key>[^[\]\n]{0,200})\])`,
    String.raw`(?<comment><!--(?:(?!-->)[^])*(?:-->|$))`,
    String.raw`(?<link>!?\[(?<label>[^[\]\n]{1,500})\]\((?<target>[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?)(?: "[^"\n]{0,200}")?\))`,
    String.raw`(?<tag><(?<slash>/?)(?<name>[A-Za-z][\w:-]{0,30})(?<attributes>(?:${attribute}){0,20})\s*/?>)`,
    String.raw`(?<entity>${entity})`,
  ].join('|'),
  'gu',
);

/** Elements that end the preceding sentence. */
const block =
  /^(?:speak|p|s|br|hr|div|h[1-6]|li|ul|ol|table|tr|blockquote|pre|article|section|header|footer|voice|audio)$/i;
/** Elements within a word or a phrase. */
const inline =
  /^(?:a|abbr|b|cite|code|del|em|emphasis|i|img|ins|kbd|lang|mark|prosody|q|small|span|strong|sub|sup|tt|u|w|token|say-as|phoneme|break)$/i;
const definitions = /^[ \t]{0,3}\[([^\]\n^][^\]\n]{0,200})\]:[ \t]+\S/gm;
const closingTag = /<\/(?<name>[A-Za-z][\w:-]{0,30})/g;
/** Elements that replace or hide their text. */
const spokenOtherwise = /^(?:sub|say-as|phoneme|script|style)$/;
const cell = /(?:\\\||[^|])+/g;

/**
 * Converts SSML, HTML, Markdown and entities to speakable text: `break` is a pause, `sub`, `say-as` and `phoneme`
 * define how their text is spoken, any other tag is replaced by its text, a link by its label, a table by its rows, and
 * a code block is dropped.
 *
 * @see https://www.w3.org/TR/speech-synthesis11/
 * @example
 * ```ts
 * readMarkup('Wait<break time="1s"/>for [it](https://a.b).').spans.map(({ text }) => text); // ['Wait', 'for it.']
 * ```
 */
export function readMarkup(source: string): MarkedText {
  assertText('text', source);
  return new MarkupReader(source).whole();
}

class MarkupReader {
  readonly #source: string;
  /** Offset of each element's last closing tag, by name. */
  readonly #ends = new Map<string, number>();
  /** Names of the link targets that the text defines. */
  readonly #targets: ReadonlySet<string>;
  readonly #spans: MarkedSpan[] = [];
  #shown = '';
  #said = '';
  /** Whether any word has been said. */
  #hasSaid = false;
  #given: string[] = [];
  #pausedSeconds = 0;
  /** The open element whose text is replaced; `text` and `phonemes` are the lengths at its beginning. */
  #instead: { name: string; speak: (text: string) => string; text: number; phonemes: number } | undefined;

  constructor(source: string) {
    this.#source = source;
    this.#targets = new Set(Array.from(source.matchAll(definitions), ([, name]) => name!.toLowerCase()));
    for (const { groups, index } of source.matchAll(closingTag))
      this.#ends.set(groups!['name']!.toLowerCase(), index);
  }

  whole(): MarkedText {
    this.#read(this.#source);
    if (this.#said.trim() !== '') this.#endSpan(undefined);
    return { spans: this.#spans, shown: this.#shown };
  }

  #read(text: string): void {
    let at = 0;
    for (const match of text.matchAll(markup)) {
      this.#say(text.slice(at, match.index));
      at = match.index + match[0].length;
      this.#mark(match[0], match.groups!);
    }
    this.#say(text.slice(at));
  }

  #mark(match: string, groups: Readonly<Record<string, string | undefined>>): void {
    const { table, row, escape, power, rule, bullet } = groups;
    const { link, label = '', target = '', tag, entity: sign } = groups;
    const { heading, bold, highlighted, display, round, square, inner, labeled } = groups;
    const words = heading ?? bold ?? highlighted ?? display ?? round ?? square ?? inner ?? labeled;
    if (words !== undefined) this.#readWords(match, words, groups);
    else if (table !== undefined) this.#readTable(table);
    else if (row !== undefined) this.#readRow(row);
    else if (escape !== undefined) this.#join(escape);
    else if (power !== undefined) {
      this.#join(power);
      this.#said += '^';
    } else if (rule !== undefined) this.#blank(rule, '\n\n');
    else if (bullet !== undefined) this.#blank(bullet, this.#hasSaid ? '- ' : '');
    else if (link !== undefined) this.#readLink(link, label, target);
    else if (tag !== undefined) this.#readTag(tag, groups);
    else if (sign !== undefined) this.#readEntity(sign);
    else this.#blank(match, groups['fence'] === undefined ? '' : '\n');
  }

  /** Reads words between marks: a title or heading, a highlight, a formula, or the label of a reference. */
  #readWords(
    match: string,
    words: string,
    { title, math, reference, key }: Readonly<Record<string, string | undefined>>,
  ): void {
    if (reference !== undefined && !this.#targets.has((key || words).toLowerCase())) return this.#say(match);
    const isTitle = title !== undefined;
    const lead = match.indexOf(words, isTitle ? 0 : 1);
    const [before, after] = [match.slice(0, lead), match.slice(lead + words.length)];
    if (isTitle) this.#blank(before, '');
    else this.#join(before);
    if (math === undefined) this.#read(words);
    else {
      this.#shown += words;
      this.#said += withoutMarks(readLatex(words));
    }
    if (isTitle) this.#blank(after, '\n\n');
    else this.#join(after);
  }

  #readTable(table: string): void {
    for (const [index, row] of table.split('\n').entries()) {
      if (index > 0) this.#say('\n');
      this.#readRow(row);
    }
  }

  /** Reads a table row: its cells, with pauses between them. */
  #readRow(row: string): void {
    if (/^[\s|:-]+$/.test(row)) return this.#blank(row, '');
    const cells = [...row.matchAll(cell)].filter(([content]) => content.trim() !== '');
    let at = 0;
    for (const [index, match] of cells.entries()) {
      this.#blank(row.slice(at, match.index), index === 0 ? '' : ', ');
      this.#read(
        match[0].replace(/^\s+|\s+$/g, (spaces) => joiner.repeat(spaces.length)).replace('\\|', '| '),
      );
      at = match.index + match[0].length;
    }
    this.#blank(row.slice(at), '\n');
  }

  #readLink(link: string, label: string, target: string): void {
    const [, phonemes] = /^\/([^/]{1,200})\/$/.exec(target) ?? [];
    const lead = link.indexOf('[') + 1;
    this.#join(link.slice(0, lead));
    if (phonemes === undefined || link.startsWith('!')) this.#read(label);
    else {
      this.#shown += label;
      this.#said += this.#markOf(phonemes);
    }
    this.#join(link.slice(lead + label.length));
  }

  #readTag(
    tag: string,
    { slash, name = '', attributes = '' }: Readonly<Record<string, string | undefined>>,
  ): void {
    const element = name.toLowerCase();
    const hasEnd = (this.#ends.get(element) ?? -1) > this.#shown.length;
    const isKnown = block.test(element) || inline.test(element);
    if (!isKnown && slash === '' && attributes === '' && !hasEnd) {
      // `<your-name>` isn't an element.
      this.#join('<');
      this.#say(name);
      return this.#join(tag.slice(1 + name.length));
    }
    if (slash === '/' && this.#instead?.name === element) this.#endInstead();
    else if (slash === '' && element === 'break') return this.#pauseFor(tag, attributes);
    else if (slash === '' && !this.#instead && hasEnd && spokenOtherwise.test(element))
      this.#begin(element, attributes);
    if (block.test(element)) this.#blank(tag, slash === '/' || /^[bh]r$/.test(element) ? '\n\n' : ' ');
    else if (inline.test(element)) this.#join(tag);
    else this.#blank(tag, ' ');
  }

  #begin(name: string, attributes: string): void {
    const value = (of: string): string | undefined =>
      new RegExp(`\\s${of}\\s*=\\s*["']([^"']*)`, 'i').exec(attributes)?.[1];
    const alias = name === 'sub' ? value('alias') : undefined;
    const phonemes = name === 'phoneme' ? value('ph') : undefined;
    const kind = name === 'say-as' ? value('interpret-as') : undefined;
    let speak: ((text: string) => string) | undefined;
    if (alias !== undefined) speak = () => withoutMarks(alias);
    else if (kind !== undefined) speak = (text) => sayAs(text, kind);
    else if (phonemes !== undefined && phonemes.trim() !== '') speak = () => this.#markOf(phonemes);
    else if (/^(?:script|style)$/.test(name)) speak = () => ' ';
    if (speak) this.#instead = { name, speak, text: this.#said.length, phonemes: this.#given.length };
  }

  #endInstead(): void {
    const { speak, text, phonemes } = this.#instead!;
    this.#instead = undefined;
    this.#given.length = phonemes;
    this.#said = this.#said.slice(0, text) + speak(withoutMarks(this.#said.slice(text)));
  }

  #pauseFor(tag: string, attributes: string): void {
    const seconds = Math.min(pauseOf(attributes), maxPauseSeconds - this.#pausedSeconds);
    this.#shown += ' '.repeat(tag.length);
    if (this.#instead || this.#said.trim() === '') return;
    this.#pausedSeconds += seconds;
    this.#endSpan(seconds);
  }

  #endSpan(pauseSeconds: number | undefined): void {
    this.#spans.push({ text: this.#said, phonemes: this.#given, pauseSeconds });
    this.#said = '';
    this.#given = [];
  }

  #readEntity(sign: string): void {
    const decoded = decodeEntity(sign);
    if (decoded === undefined) return this.#say(sign);
    this.#shown += decoded + joiner.repeat(sign.length - decoded.length);
    this.#said += withoutMarks(decoded);
  }

  #markOf(phonemes: string): string {
    this.#given.push(phonemes.trim());
    return phonemeMark;
  }

  #say(text: string): void {
    const own = withoutMarks(text);
    this.#hasSaid ||= /\S/.test(own);
    this.#shown += own;
    this.#said += own;
  }

  /** Markup within a word: the text around it stays together. */
  #join(text: string): void {
    this.#shown += joiner.repeat(text.length);
  }

  /** Markup between words. */
  #blank(text: string, spoken: string): void {
    this.#shown += text.replace(/[^\n]/gu, (character) => ' '.repeat(character.length));
    this.#said += spoken;
  }
}
