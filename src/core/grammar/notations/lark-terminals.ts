const integer = '[0-9]+';
const decimal = String.raw`(?:[0-9]+\.[0-9]*|\.[0-9]+)`;
const exponent = '[eE][+-]?[0-9]+';
const float = `(?:${integer}${exponent}|${decimal}(?:${exponent})?)`;
const number = `(?:${float}|${integer})`;
const sign = '[+-]?';

/**
 * Regular expressions of the terminals in Lark's `common` grammar. If Lark matches up to the nearest delimiter, as for
 * comments, they exclude the delimiter from the text before it.
 */
export const larkTerminals: Readonly<Record<string, string>> = {
  DIGIT: '[0-9]',
  HEXDIGIT: '[0-9A-Fa-f]',
  INT: integer,
  SIGNED_INT: sign + integer,
  DECIMAL: decimal,
  _EXP: exponent,
  FLOAT: float,
  SIGNED_FLOAT: sign + float,
  NUMBER: number,
  SIGNED_NUMBER: sign + number,
  LCASE_LETTER: '[a-z]',
  UCASE_LETTER: '[A-Z]',
  LETTER: '[A-Za-z]',
  WORD: '[A-Za-z]+',
  CNAME: '[A-Za-z_][A-Za-z_0-9]*',
  ESCAPED_STRING: String.raw`"(?:[^"\\\n]|\\[^\n])*"`,
  WS_INLINE: '[ \\t]+',
  WS: '[ \\t\\f\\r\\n]+',
  CR: '\\r',
  LF: '\\n',
  NEWLINE: '(?:\\r?\\n)+',
  SH_COMMENT: '#[^\\n]*',
  CPP_COMMENT: '//[^\\n]*',
  C_COMMENT: String.raw`/\*[^*]*\*+(?:[^/*][^*]*\*+)*/`,
  SQL_COMMENT: '--[^\\n]*',
};
