/** Patterns of the string formats of JSON Schema; each matches only valid values, though not always all of them. */
const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const label = '[A-Za-z0-9]{1,31}(-[A-Za-z0-9]{1,31})?';
const hostname = `${label}(\\.${label}){0,3}`;
const monthAndDay = '((0[1-9]|1[0-2])-(0[1-9]|1\\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)';
const date = `\\d{4}-${monthAndDay}`;
const time = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)';
const hex = '[0-9A-Fa-f]';
const timePart = 'T(\\d{1,3}H(\\d{1,3}M(\\d{1,3}S)?)?|\\d{1,3}M(\\d{1,3}S)?|\\d{1,3}S)';
const datePart = '(\\d{1,3}Y(\\d{1,3}M(\\d{1,3}D)?)?|\\d{1,3}M(\\d{1,3}D)?|\\d{1,3}D)';
const uri = `https?://${hostname}(:\\d{2,4})?(/[A-Za-z0-9._~-]{0,64}){0,8}(\\?[A-Za-z0-9._~=&-]{0,128})?(#[A-Za-z0-9._~-]{0,64})?`;

const formats: Readonly<Record<string, string>> = {
  date,
  time,
  'date-time': `${date}T${time}`,
  duration: `P(${datePart}(${timePart})?|${timePart}|\\d{1,3}W)`,
  email: `[A-Za-z0-9]{1,20}([._+-][A-Za-z0-9]{1,20}){0,2}@${label}(\\.${label}){0,2}\\.[A-Za-z]{2,12}`,
  hostname,
  ipv4: `${octet}(\\.${octet}){3}`,
  ipv6: `((${hex}{1,4}:){7}${hex}{1,4}|(${hex}{1,4}:){1,5}:${hex}{1,4}|::(${hex}{1,4})?)`,
  uuid: `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`,
  uri,
};

/** Formats that schemas may name, for messages. */
export const stringFormats = Object.keys(formats);

/** A pattern for `stringMatching`; `undefined` for a format that is not known. */
export function patternOfFormat(format: string): string | undefined {
  return Object.hasOwn(formats, format) ? `^${formats[format]!}$` : undefined;
}
