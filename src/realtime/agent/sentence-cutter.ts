import { readMarkup } from '../../core/speech/markup/read-markup.ts';
import { normalizeEnglish } from '../../core/speech/normalization/normalize-english.ts';
import { splitSentences } from '../../core/speech/sentences.ts';

/** A text without a place to cut is spoken in pieces of at most this length. */
const maxPieceLength = 400;
/** Code is not spoken, but its fences have to stay in one piece. */
const maxCodeLength = 8000;
/** The first piece may end at a clause of this length, so that the voice begins early. */
const minClauseLength = 16;
/** A first piece without the end of a clause ends within this length: before a word that joins phrases, else at a space. */
const maxFirstLength = 56;
const phraseStart =
  /\s(?=(?:and|as|at|because|but|by|for|from|if|in|of|on|or|so|than|that|to|when|where|which|while|who|with)\s)/gi;
const clauseEnd = /[,;:—–](?=\s)|\s(?=[-—–]\s)/g;
/** `J. R. R. Tolkien` */
const initial = /(?:^|\s)\p{L}\.$/u;
const fence = /^ {0,3}(?:```|~~~)/gm;

/** Cuts a text that is being written into pieces that sound alone as they do in the whole text. */
export class SentenceCutter {
  #left = '';
  #isFirst = true;

  /** @returns the pieces that are complete, with the spaces after them */
  push(text: string): string[] {
    this.#left += text;
    const pieces: string[] = [];
    for (let end = this.#nextEnd(); end !== undefined; end = this.#nextEnd()) pieces.push(this.#take(end));
    return pieces;
  }

  flush(): string {
    return this.#take(this.#left.length);
  }

  #take(end: number): string {
    const spaces = /^\s*/.exec(this.#left.slice(end))![0].length;
    const piece = this.#left.slice(0, end + spaces);
    this.#left = this.#left.slice(end + spaces);
    if (/[\p{L}\p{N}]/u.test(piece)) this.#isFirst = false;
    return piece;
  }

  #nextEnd(): number | undefined {
    const left = this.#left;
    if (isInCode(left)) return left.length > maxCodeLength ? left.length : undefined;
    const end = [...this.#ends()].find((one) => isIndependent(left.slice(0, one), left.slice(one)));
    if (end !== undefined || left.length <= maxPieceLength) return end;
    return 1 + left.lastIndexOf(' ', maxPieceLength) || maxPieceLength;
  }

  /** The places at which a piece may end, the earliest first; the word behind each is whole. */
  *#ends(): Generator<number> {
    const left = this.#left;
    // The next token may continue the last word.
    const limit = left.search(/\S*$/);
    const clauses = this.#isFirst ? [...left.matchAll(clauseEnd)].map(({ index }) => index + 1) : [];
    yield* clauses.filter((end) => end >= minClauseLength && /\S/.test(left.slice(end, limit)));
    let end = 0;
    for (const sentence of splitSentences(left).slice(0, -1)) {
      const start = left.indexOf(sentence, end);
      if (start < 0) return;
      end = start + sentence.length;
      if (/\S/.test(left.slice(end, limit)) && !initial.test(sentence)) yield end;
    }
    if (!this.#isFirst || limit <= maxFirstLength) return;
    const first = left.slice(0, maxFirstLength);
    const phrases = [...first.matchAll(phraseStart)].map(({ index }) => index);
    yield* [first.lastIndexOf(' '), ...phrases].filter((start) => start >= minClauseLength).toReversed();
  }
}

function isInCode(text: string): boolean {
  return (text.match(fence)?.length ?? 0) % 2 === 1;
}

/** Whether a text and its continuation sound the same apart and together: `Dr.` before a name doesn't end a sentence. */
function isIndependent(text: string, behind: string): boolean {
  if (isInCode(text)) return false;
  return spoken(text + behind) === `${spoken(text)} ${spoken(behind)}`.trim();
}

function spoken(text: string): string {
  const words = readMarkup(text).spans.map((span) => normalizeEnglish(span.text));
  return words.join(' ').replaceAll(/\s+/g, ' ').trim();
}
