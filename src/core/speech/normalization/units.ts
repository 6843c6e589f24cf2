import { toNumber } from './number-words.ts';
import { decimalNumber, globally, type Groups, type Rule } from './rule.ts';

type Unit = readonly [one: string, many: string];

const regular = (one: string): Unit => [one, `${one}s`];
const alike = (name: string): Unit => [name, name];

const units: Readonly<Record<string, Unit>> = {
  km: regular('kilometer'),
  m: regular('meter'),
  cm: regular('centimeter'),
  mm: regular('millimeter'),
  μm: regular('micrometer'),
  nm: regular('nanometer'),
  mi: regular('mile'),
  ft: ['foot', 'feet'],
  inches: ['inch', 'inches'],
  yd: regular('yard'),
  kg: regular('kilogram'),
  g: regular('gram'),
  mg: regular('milligram'),
  μg: regular('microgram'),
  lb: regular('pound'),
  lbs: regular('pound'),
  oz: regular('ounce'),
  'fl oz': regular('fluid ounce'),
  tbsp: regular('tablespoon'),
  tsp: regular('teaspoon'),
  doz: alike('dozen'),
  l: regular('liter'),
  L: regular('liter'),
  ml: regular('milliliter'),
  mL: regular('milliliter'),
  ns: regular('nanosecond'),
  μs: regular('microsecond'),
  ms: regular('millisecond'),
  s: regular('second'),
  sec: regular('second'),
  min: regular('minute'),
  mins: regular('minute'),
  h: regular('hour'),
  hr: regular('hour'),
  hrs: regular('hour'),
  yr: regular('year'),
  yrs: regular('year'),
  pts: regular('point'),
  gal: regular('gallon'),
  '°C': ['degree Celsius', 'degrees Celsius'],
  '°F': ['degree Fahrenheit', 'degrees Fahrenheit'],
  '°': regular('degree'),
  Hz: alike('hertz'),
  kHz: alike('kilohertz'),
  MHz: alike('megahertz'),
  GHz: alike('gigahertz'),
  kB: regular('kilobyte'),
  KB: regular('kilobyte'),
  MB: regular('megabyte'),
  GB: regular('gigabyte'),
  TB: regular('terabyte'),
  KiB: regular('kibibyte'),
  MiB: regular('mebibyte'),
  GiB: regular('gibibyte'),
  Mbit: regular('megabit'),
  Gbit: regular('gigabit'),
  kbps: ['kilobit per second', 'kilobits per second'],
  Mbps: ['megabit per second', 'megabits per second'],
  Gbps: ['gigabit per second', 'gigabits per second'],
  W: regular('watt'),
  kW: regular('kilowatt'),
  MW: regular('megawatt'),
  kWh: regular('kilowatt hour'),
  V: regular('volt'),
  mA: regular('milliamp'),
  Ω: regular('ohm'),
  kΩ: regular('kilohm'),
  J: regular('joule'),
  kJ: regular('kilojoule'),
  kcal: regular('kilocalorie'),
  Pa: regular('pascal'),
  kPa: regular('kilopascal'),
  hPa: regular('hectopascal'),
  mmHg: ['millimeter of mercury', 'millimeters of mercury'],
  dB: regular('decibel'),
  mph: ['mile per hour', 'miles per hour'],
  kmh: ['kilometer per hour', 'kilometers per hour'],
  fps: ['frame per second', 'frames per second'],
  rpm: ['revolution per minute', 'revolutions per minute'],
  bpm: ['beat per minute', 'beats per minute'],
  dpi: alike('DPI'),
  ppm: alike('parts per million'),
  pp: regular('percentage point'),
  px: regular('pixel'),
  MP: regular('megapixel'),
  PB: regular('petabyte'),
  'sq ft': ['square foot', 'square feet'],
  'sq. ft': ['square foot', 'square feet'],
  'sq in': ['square inch', 'square inches'],
  'sq mi': regular('square mile'),
  'sq. mi': regular('square mile'),
  'sq m': regular('square meter'),
  'sq km': regular('square kilometer'),
  'cu ft': ['cubic foot', 'cubic feet'],
  'cu. ft': ['cubic foot', 'cubic feet'],
  'cu m': regular('cubic meter'),
  secs: regular('second'),
  wk: regular('week'),
  wks: regular('week'),
  mos: regular('month'),
  psi: alike('PSI'),
  atm: regular('atmosphere'),
  mol: regular('mole'),
  mbar: regular('millibar'),
  kV: regular('kilovolt'),
  mV: regular('millivolt'),
  mW: regular('milliwatt'),
  GW: regular('gigawatt'),
  MWh: regular('megawatt hour'),
  GWh: regular('gigawatt hour'),
  Wh: regular('watt hour'),
  mAh: regular('milliamp hour'),
  kN: regular('kilonewton'),
  MPa: regular('megapascal'),
  ha: regular('hectare'),
  '%': alike('percent'),
  '‰': alike('per mille'),
};

/** One of a unit by its sign: `lb` → `pound`. */
export function nameOfUnit(sign: string): string | undefined {
  return Object.hasOwn(units, sign) ? units[sign]![0] : undefined;
}

const names = Object.keys(units)
  .sort((one, other) => other.length - one.length)
  .join('|')
  .replaceAll('.', String.raw`\.`);
const powers: Readonly<Record<string, string>> = { '^2': 'square ', '^3': 'cubic ' };
const powersOfTime: Readonly<Record<string, string>> = { '^2': ' squared', '^3': ' cubed' };

/** Numbers with a unit after them, heights in feet and inches, and speeds without a number. */
export const unitRules: readonly Rule[] = [
  { pattern: /(?<=\d)" ?[x×] ?(?=\d{1,4}(?:\.\d{1,2})?")/gu, speak: ' by ' },
  // Inches have the only quotation mark of a line; it comes first in the pattern, so that nothing is searched without one.
  {
    pattern: /"(?<=(?:^|\n)[^"\n]*(?<![\p{L}\d.,'])\d{1,3}(?:\.\d|\/\d{1,2})?")(?=[^"\n]*(?:\n|$))/gu,
    speak: ' inches',
  },
  {
    pattern: /(?<=\d) ?[x×] ?(?<other>\d{1,4}(?:\.\d{1,2})?) in(?=[.,;)]|$|\n)/gu,
    speak: ({ other = '' }) => ` by ${toNumber(other)} inches`,
  },
  { pattern: /(?<=\d)\/(?=\d+ ?mmHg)/g, speak: ' over ' },
  {
    pattern: globally(
      String.raw`(?<![\p{L}\d./])(?<whole>\d{1,3} )?(?<part>\d{1,2}/\d{1,2}) ?(?<unit>${names})(?![\p{L}\d^/])`,
    ),
    speak: ({ whole, part = '', unit = '' }) =>
      `${whole ?? ''}${part} ${units[unit]![whole === undefined ? 0 : 1]}`,
  },
  { pattern: /(?<=\d ?ft)\.(?= ?\d{1,2} ?in(?!\p{L}))/gu, speak: '' },
  {
    pattern: /(?<=\d) ?in\.(?=(?<end>$)|[ ,;]\p{Ll})/gu,
    speak: ({ end }) => ` inches${end === undefined ? '' : '.'}`,
  },
  {
    pattern: globally(String.raw`(?<=\d) ?[x×] ?(?=${decimalNumber} ?(?:${names})(?![\p{L}\d^]))`),
    speak: ' by ',
  },
  { pattern: /(?<=\d ?ft \d{1,2}) ?in(?!\p{L}| (?:an?|the|my|his|her|our|their) )/gu, speak: ' inches' },
  {
    pattern: globally(String.raw`(?<=(?:hundred|thousand|[mbtr]illion) )(?<unit>${names})(?![\p{L}\d^/'])`),
    speak: ({ unit = '' }) => (unit.length === 1 ? undefined : units[unit]![1]),
  },
  {
    pattern: globally(String.raw`(?<![\p{L}\d,])(?<number>\d+\.\d+) K(?![\p{L}\d])`),
    speak: ({ number = '' }) => `${toNumber(number)} kelvin`,
  },
  {
    pattern: /(?<![\p{L}\d.,'])(?<feet>\d{1,2})['′] ?(?<inches>\d|1[01])(?:"|''|′′|″|(?=[\s,;.!?)]|$))/gu,
    speak: ({ feet = '', inches = '' }) =>
      `${toNumber(feet)} foot${inches === '0' ? '' : ` ${toNumber(inches)}`}`,
  },
  {
    pattern:
      /(?<![\p{L}\d/.])(?<unit>km|mi|m|ft|kB|KB|MB|GB|kg|g|mg|W|J)\/(?<per>h|hr|s|sec|min|L|l|mL|ml|kg|(?:k|c|m)?m(?=\^[23]))(?<power>\^[23])?(?![\p{L}\d^/])/gu,
    speak: ({ unit = '', per = '', power = '' }) => `${units[unit]![1]} per ${toDivisor(per, power)}`,
  },
  // Areas and volumes without a number: `people/km²`
  {
    pattern:
      /(?:(?<slash>(?<=\p{L}{3})\/)|(?<=(?<per>(?<!\p{L})[Pp]er ))|)(?<![\p{L}\d]|\d )(?<unit>[kcm]?m|mi|ft|yd)(?<power>\^[23])(?![\p{L}\d^/])/gu,
    speak: ({ slash, per, unit = '', power = '' }) =>
      (slash ? ' per ' : '') + powers[power]! + units[unit]![slash || per ? 0 : 1],
  },
  {
    pattern: globally(
      String.raw`(?<article>(?<!\p{L})[Aa]n? )?(?<![\p{L}\d.,/])(?<number>${decimalNumber})(?<hyphen>-)? ?(?<unit>${names})(?<power>\^[23])?(?:/(?<per>${names})(?<perPower>\^[23])?)?(?![\p{L}\d^/%])(?:(?<=\p{L}{2})\.(?= \p{Ll}))?(?=(?<noun>[ -]\p{L})?)`,
    ),
    speak: readMeasure,
  },
];

function readMeasure(groups: Groups): string {
  const { article = '', number = '', hyphen, unit = '', power = '', per, perPower = '', noun } = groups;
  const isAttribute = noun !== undefined && (article !== '' || hyphen !== undefined);
  const name = (powers[power] ?? '') + units[unit]![number === '1' || isAttribute ? 0 : 1];
  return `${article}${toNumber(number)} ${name}${per === undefined ? '' : ` per ${toDivisor(per, perPower)}`}`;
}

function toDivisor(unit: string, power: string): string {
  const [one] = units[unit]!;
  return unit === 's' ? one + (powersOfTime[power] ?? '') : (powers[power] ?? '') + one;
}
