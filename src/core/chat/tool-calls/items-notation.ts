import { getOrCreate } from '../../get-or-create.ts';
import {
  empty,
  never,
  refer,
  rule,
  sequence,
  text,
  type Expression,
} from '../../grammar/languages/expression.ts';
import { bracketed, comma } from '../../grammar/languages/json-text.ts';
import {
  containing,
  jsonNotation,
  jsonWithout,
  looseText,
  namesOf,
  rawString,
  type ArgumentsNotation,
  type Notation,
} from '../../grammar/schemas/notation.ts';
import type { TextLanguages } from '../../grammar/schemas/texts.ts';
import { writeExact } from '../../text/exact-json.ts';
import { equalsOf, fill, tagsOf } from './edges.ts';
import { markedNotation, pythonNotation } from './literal-notation.ts';
import { styleOf, type ItemsNotation } from './notation.ts';
import { framed, otherValues, type Frame } from './framed-notation.ts';
import { areText, memberSchema, typesOf, type Types } from './schema-types.ts';
import { valueText } from './mend-json.ts';
import { toPython } from './write-values.ts';

/** Names of parameters that can be written, and the pattern of names that the schema doesn't define. */
const nameRules = {
  tagged: [/^[^<>"\n{}]+$/, '^[^<>"{}\\s]{1,64}$'],
  elements: [/^[^<>/\s]+$/, undefined],
  python: [/^[^\s=,()[\]{}"'#]+$/, '^[A-Za-z_][A-Za-z0-9_]{0,63}$'],
  marked: [/^[^\s:,{}[\]"<>|]+$/, '^[A-Za-z_][A-Za-z0-9_]{0,63}$'],
} as const;

/**
 * The parameters of a call, one by one, up to the end of the last: literals in brackets, values between tags, or elements, with
 * elements inside of them for objects and lists. Values without names or items in the schema are JSON there.
 */
export function itemsArguments(notation: ItemsNotation): (schema: unknown) => ArgumentsNotation {
  return (root) => (texts) => new ItemsGrammar(notation, root, texts).whole();
}

class ItemsGrammar {
  readonly #notation: ItemsNotation;
  readonly #root: unknown;
  readonly #texts: TextLanguages;
  readonly #isLiteral: boolean;
  /** Whether values are elements. */
  readonly #isNested: boolean;
  readonly #line: Expression;
  /** Notation of everything inside of values. */
  readonly #inner: Notation;
  readonly #members = new Map<unknown, Notation>();
  readonly #items = new Map<unknown, Notation>();

  constructor(notation: ItemsNotation, root: unknown, texts: TextLanguages) {
    const { mark, values } = notation;
    this.#notation = notation;
    this.#root = root;
    this.#texts = texts;
    this.#isLiteral = styleOf(notation) === 'literal';
    this.#isNested = values.string === 'elements';
    this.#line = this.#isLiteral ? empty : text('\n', '');
    if (this.#isNested) this.#inner = jsonWithout(mark!, texts);
    else if (this.#isLiteral && mark !== undefined) this.#inner = markedNotation(mark, texts);
    else this.#inner = this.#isLiteral || values.object === 'python' ? pythonNotation : jsonNotation;
  }

  /** The notation of the arguments, which follow the function's name. */
  whole(): Notation {
    const nothing = (): Expression => never;
    const start = this.#isLiteral ? this.#notation.first : this.#notation.none.trim();
    return {
      id: 'items',
      anyValue: never,
      constants: nothing,
      number: nothing,
      string: nothing,
      array: nothing,
      object: (content) => sequence(looseText(start), this.#line, content),
      ofItem: () => this.#inner,
      ...this.#membersOf(this.#root),
    };
  }

  #membersOf(schema: unknown): Pick<Notation, 'comma' | 'member' | 'members' | 'ofMember'> {
    const literal = this.#notation.mark === undefined ? 'python' : 'marked';
    const [canName, others] = nameRules[this.#isLiteral ? literal : this.#isNested ? 'elements' : 'tagged'];
    return {
      comma: this.#isLiteral ? text(this.#notation.next) : empty,
      member: (name, value) =>
        canName.test(name) ? refer(rule(name, this.#item(text(name), value, name))) : undefined,
      members: (names, value, texts, path) => {
        const name = others && namesOf(names, others, texts, path);
        return name && refer(rule('other', this.#item(name, value)));
      },
      ofMember: (name = '\n') => this.#valueOf(memberSchema(schema, name, this.#root), this.#members),
    };
  }

  #item(name: Expression, value: Expression, key = ''): Expression {
    const { next, close: behind } = this.#notation;
    const open = looseText(this.#isLiteral ? '' : next.trim());
    const lineBreak = text(behind.startsWith('\n') ? '\n' : '');
    const close = looseText(fill(behind.trim(), { key }));
    return sequence(open, name, value, lineBreak, close, this.#line);
  }

  #valueOf(schema: unknown, kept: Map<unknown, Notation>): Notation {
    const types = this.#isLiteral ? [] : typesOf(schema, this.#root);
    const id = `element ${this.#members.size} ${this.#items.size}`;
    return getOrCreate(kept, this.#isNested ? schema : types.join(), () => {
      const frame: Frame = (type, value) => {
        const start = text(this.#notation.equals.string.endsWith('\n') ? '\n' : '');
        const own = sequence(looseText(this.#notation.equals[type].trimEnd()), start, value);
        return kept === this.#items ? this.#item(text('item'), own, 'item') : own;
      };
      const isQuoted = this.#isLiteral || !['raw', 'elements'].includes(this.#notation.values.string);
      const plain = isQuoted ? this.#inner : this.#raw(types);
      const value = framed(plain, { types, texts: this.#texts }, frame);
      return this.#isNested ? { ...value, ...this.#elements(schema, types, frame), id } : value;
    });
  }

  /**
   * Strings as they are. Strings that would be read as a different type are skipped, except constants that are known to be
   * harmless.
   */
  #raw(types: Types): Notation {
    const { mark = '', values: styles, close } = this.#notation;
    const marker = this.#isNested ? mark : close.trim();
    const isText = equalsOf(this.#notation).length > 1 || areText(types);
    const canWrite = (value: string): boolean => {
      if (this.#isNested ? value.includes(mark) : endsEarly(value, this.#notation)) return false;
      return isText || (!/^\s*<!\[CDATA\[/.test(value) && valueText(value, types).startsWith('"'));
    };
    return {
      ...this.#inner,
      constants: (values) => {
        const strings = values.filter((value) => typeof value === 'string');
        if (strings.length > 0) return text(...strings.filter(canWrite));
        const areWords = values.every((value) => typeof value === 'boolean' || value === null);
        if (styles.boolean !== 'python' || !areWords) return this.#inner.constants(values);
        return text(...values.flatMap((value) => [writeExact(value), toPython(value)]));
      },
      string: (strings) => {
        const others = isText ? [] : [this.#texts.pattern(otherValues(types), strings.path)];
        return rawString(strings, [containing(marker, this.#texts), ...others]);
      },
    };
  }

  #elements(schema: unknown, types: Types, frame: Frame): Partial<Notation> {
    const inLines = (content: Expression): Expression => sequence(this.#line, content);
    return {
      ...this.#membersOf(schema),
      // The schema names every further member.
      anyMember: refer(rule('other', never)),
      anyArray: undefined,
      object: (content) => (types.includes('object') ? frame('object', inLines(content)) : never),
      array: (content) => {
        if (!types.includes('array') || types.includes('object')) return never;
        return frame('array', content.type === 'distinct' ? this.#differing(content) : inLines(content));
      },
      ofItem: () => this.#valueOf(memberSchema(schema, 'item', this.#root), this.#items),
    };
  }

  /** Distinct texts are a JSON list. */
  #differing(content: Extract<Expression, { type: 'distinct' }>): Expression {
    if (content.item.type !== 'mark') return never;
    const { of } = content.item;
    const { store } = of;
    const excluded = containing(this.#notation.mark!, this.#texts);
    const language = store.intersection(of.language, store.complement(excluded));
    const item: Expression = { type: 'mark', of: { ...of, language } };
    return bracketed('[', { ...content, item, separator: comma }, ']');
  }
}

/** Whether a value contains its close tag before a further tag of the call, which would end it. */
function endsEarly(value: string, { next, close, end }: ItemsNotation): boolean {
  const rests = value.split(close.trim()).slice(1);
  return rests.some((rest) =>
    [next.trim(), tagsOf(end)[0] ?? ''].some((tag) => rest.trimStart().startsWith(tag)),
  );
}
