/** Patterns of JSON Schema's string formats; each matches only valid values, but not always all of them. */
const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = `${octet}(\\.${octet}){3}`;
const hostLabel = '[A-Za-z0-9]{1,31}(-[A-Za-z0-9]{1,31})?';
const hostname = `${hostLabel}(\\.${hostLabel}){0,6}`;
const monthAndDay = '((0[1-9]|1[0-2])-(0[1-9]|1\\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)';
const leapYear = '(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
const date = `(\\d{4}-${monthAndDay}|${leapYear}-02-29)`;
const time = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)';
const hex = '[0-9A-Fa-f]';
const piece = `${hex}{1,4}`;
const ipv6 = [
  `(${piece}:){7}${piece}`,
  ...Array.from({ length: 7 }, (_, before) => {
    const head = before === 0 ? '' : `${piece}(:${piece}){${before - 1}}`;
    const most = 6 - before;
    return `${head}::(${most < 0 ? '' : `(${piece}:){0,${most}}${piece}`})?`;
  }),
  `(${piece}:){6}${ipv4}`,
  `::(${piece}:){0,5}${ipv4}`,
].join('|');
const timePart = 'T(\\d{1,9}H(\\d{1,9}M(\\d{1,9}S)?)?|\\d{1,9}M(\\d{1,9}S)?|\\d{1,9}S)';
const datePart = '(\\d{1,9}Y(\\d{1,9}M(\\d{1,9}D)?)?|\\d{1,9}M(\\d{1,9}D)?|\\d{1,9}D)';
const unreserved = "A-Za-z0-9._~!$&'()*+,;=:@-";
const pathCharacter = `([${unreserved}]|%${hex}{2})`;
const segments = `(/${pathCharacter}*)*`;
const suffix = `(\\?(${pathCharacter}|[/?])*)?(#(${pathCharacter}|[/?])*)?`;
const authority = `//([A-Za-z0-9._~-]+(:[A-Za-z0-9._~-]*)?@)?(${hostname}|${ipv4})(:\\d{1,5})?${segments}`;
const uri = `[A-Za-z][A-Za-z0-9+.-]*:(${authority}|/?${pathCharacter}+${segments})${suffix}`;
const relative = `(${segments}|[A-Za-z0-9._~!$&'()*+,;=@-]+${segments})${suffix}`;
const mailbox = "[A-Za-z0-9_%+'-]{1,20}(\\.[A-Za-z0-9_%+'-]{1,20}){0,2}";
const email = `${mailbox}@(${hostLabel}\\.){1,3}[A-Za-z]{2,24}`;
const pointer = '(/([^~/]|~[01])*)*';

const formats: Readonly<Record<string, string>> = {
  date,
  time,
  'date-time': `${date}[Tt]${time}`,
  duration: `P(${datePart}(${timePart})?|${timePart}|\\d{1,9}W)`,
  email,
  'idn-email': email,
  hostname,
  'idn-hostname': hostname,
  ipv4,
  ipv6,
  uuid: `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`,
  uri,
  iri: uri,
  'uri-reference': `${uri}|${relative}`,
  'iri-reference': `${uri}|${relative}`,
  'uri-template': `([A-Za-z0-9._~:/?#@!$&()*+,;=-]|\\{[A-Za-z0-9_]{1,64}\\})*`,
  'json-pointer': pointer,
  'relative-json-pointer': `(0|[1-9]\\d{0,8})(#|${pointer})`,
  regex: '\\^?([A-Za-z0-9 _,:;=@#%&<>/~"\'!-]|\\\\[dwsDWS.]|\\[[A-Za-z0-9_]+\\][+*?]?|\\.[+*?]?)*\\$?',
};

/** The pattern of a string format; `undefined` for an unknown format. */
export function patternOfFormat(format: string): string | undefined {
  return Object.hasOwn(formats, format) ? `^(${formats[format]!})$` : undefined;
}

/**
 * Patterns that match all values of a format and more: a text without a match certainly lacks the format. Formats with
 * an exact pattern are repeated here.
 */
const wideFormats: Readonly<Record<string, string>> = {
  date: formats['date']!,
  uuid: formats['uuid']!,
  ipv4,
  'json-pointer': pointer,
  ipv6: '[0-9A-Fa-f:.]*',
  email: '[^]+@[^]*',
  hostname: '[A-Za-z0-9.-]*',
  uri: '[A-Za-z][A-Za-z0-9+.-]*:[^]*',
  time: '[0-9][^]*',
  'date-time': '[0-9][^]*',
};

/** A pattern that every value of the format matches; `undefined` if unknown. */
export function widePatternOfFormat(format: string): string | undefined {
  return Object.hasOwn(wideFormats, format) ? `^(${wideFormats[format]!})$` : undefined;
}
