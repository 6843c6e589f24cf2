import { toNumber } from './number-words.ts';
import { decimalNumber, globally, type Groups, type Rule } from './rule.ts';

type Unit = readonly [one: string, many: string];

/** Units with a regular plural. */
const regular = {
  km: 'kilometer',
  m: 'meter',
  cm: 'centimeter',
  mm: 'millimeter',
  μm: 'micrometer',
  nm: 'nanometer',
  mi: 'mile',
  yd: 'yard',
  kg: 'kilogram',
  g: 'gram',
  mg: 'milligram',
  μg: 'microgram',
  lb: 'pound',
  lbs: 'pound',
  oz: 'ounce',
  'fl oz': 'fluid ounce',
  tbsp: 'tablespoon',
  tsp: 'teaspoon',
  l: 'liter',
  L: 'liter',
  ml: 'milliliter',
  mL: 'milliliter',
  ns: 'nanosecond',
  μs: 'microsecond',
  ms: 'millisecond',
  s: 'second',
  sec: 'second',
  min: 'minute',
  mins: 'minute',
  h: 'hour',
  hr: 'hour',
  hrs: 'hour',
  yr: 'year',
  yrs: 'year',
  pts: 'point',
  gal: 'gallon',
  '°': 'degree',
  kB: 'kilobyte',
  KB: 'kilobyte',
  MB: 'megabyte',
  GB: 'gigabyte',
  TB: 'terabyte',
  KiB: 'kibibyte',
  MiB: 'mebibyte',
  GiB: 'gibibyte',
  Mbit: 'megabit',
  Gbit: 'gigabit',
  W: 'watt',
  kW: 'kilowatt',
  MW: 'megawatt',
  kWh: 'kilowatt hour',
  V: 'volt',
  mA: 'milliamp',
  Ω: 'ohm',
  kΩ: 'kilohm',
  J: 'joule',
  kJ: 'kilojoule',
  kcal: 'kilocalorie',
  Pa: 'pascal',
  kPa: 'kilopascal',
  hPa: 'hectopascal',
  dB: 'decibel',
  pp: 'percentage point',
  px: 'pixel',
  MP: 'megapixel',
  PB: 'petabyte',
  'sq mi': 'square mile',
  'sq. mi': 'square mile',
  'sq m': 'square meter',
  'sq km': 'square kilometer',
  'cu m': 'cubic meter',
  secs: 'second',
  wk: 'week',
  wks: 'week',
  mos: 'month',
  atm: 'atmosphere',
  mol: 'mole',
  mbar: 'millibar',
  kV: 'kilovolt',
  mV: 'millivolt',
  mW: 'milliwatt',
  GW: 'gigawatt',
  MWh: 'megawatt hour',
  GWh: 'gigawatt hour',
  Wh: 'watt hour',
  mAh: 'milliamp hour',
  Ah: 'amp hour',
  kN: 'kilonewton',
  MPa: 'megapascal',
  ha: 'hectare',
} as const;

const others = {
  ft: ['foot', 'feet'],
  inches: ['inch', 'inches'],
  doz: ['dozen', 'dozen'],
  '°C': ['degree Celsius', 'degrees Celsius'],
  '°F': ['degree Fahrenheit', 'degrees Fahrenheit'],
  Hz: ['hertz', 'hertz'],
  kHz: ['kilohertz', 'kilohertz'],
  MHz: ['megahertz', 'megahertz'],
  GHz: ['gigahertz', 'gigahertz'],
  kbps: ['kilobit per second', 'kilobits per second'],
  Mbps: ['megabit per second', 'megabits per second'],
  Gbps: ['gigabit per second', 'gigabits per second'],
  mmHg: ['millimeter of mercury', 'millimeters of mercury'],
  mph: ['mile per hour', 'miles per hour'],
  kmh: ['kilometer per hour', 'kilometers per hour'],
  fps: ['frame per second', 'frames per second'],
  rpm: ['revolution per minute', 'revolutions per minute'],
  bpm: ['beat per minute', 'beats per minute'],
  dpi: ['DPI', 'DPI'],
  dBm: ['DBM', 'DBM'],
  ppm: ['parts per million', 'parts per million'],
  'sq ft': ['square foot', 'square feet'],
  'sq. ft': ['square foot', 'square feet'],
  'sq in': ['square inch', 'square inches'],
  'cu ft': ['cubic foot', 'cubic feet'],
  'cu. ft': ['cubic foot', 'cubic feet'],
  psi: ['PSI', 'PSI'],
  '%': ['percent', 'percent'],
  '‰': ['per mille', 'per mille'],
} as const;

const units: Readonly<Record<string, Unit>> = {
  ...Object.fromEntries(Object.entries(regular).map(([sign, one]) => [sign, [one, `${one}s`] as const])),
  ...others,
};

/** The singular of a unit: `lb` → `pound`. */
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
  [/(?<=\d)" ?[x×] ?(?=\d{1,4}(?:\.\d{1,2})?")/gu, ' by '],
  [
    /(?<=\d)['′] ?[x×] ?(?<other>\d{1,3})['′](?!\d)/gu,
    ({ other = '' }) => ` foot by ${toNumber(other)} foot`,
  ],
  // `a 9x13 in. dish`, `1-in. cubes`, `the 27" screen`, `1 (14 oz.) can`
  [/(?<=\d ?[x×] ?\d{1,3}) ?in\.(?= \p{Ll})|(?<=\d)-in\.(?= ?\p{Ll})/gu, ' inch'],
  [
    /(?<=(?<!\p{L})(?:the|an?|my|your|his|her|our|this) \d{1,3}(?:\.\d)?)"(?= \p{Ll}[^"\n]*(?:\n|$))/giu,
    ' inch',
  ],
  [
    /(?<=\(\d{1,3}(?:\.\d)?) ?-?oz\.?(?=\) (?:can|jar|tin|bag|box|bottle|package|pack|carton)s?(?!\p{L}))/gu,
    ' ounce',
  ],
  [/(?<=\d)\/(?=\d+(?:\.\d+)? ?[KMGTP]i?B(?!\p{L}))/gu, ' of '],
  // Inches have the only quotation mark of a line. The mark is first in the pattern, so that text without one costs nothing.
  [/"(?<=(?:^|\n)[^"\n]*(?<![\p{L}\d.,'])\d{1,3}(?:\.\d|\/\d{1,2})?")(?=[^"\n]*(?:\n|$))/gu, ' inches'],
  [
    /(?<=\d) ?[x×] ?(?<other>\d{1,4}(?:\.\d{1,2})?) in(?=[.,;)]|$|\n)/gu,
    ({ other = '' }) => ` by ${toNumber(other)} inches`,
  ],
  // People aren't counted in meters.
  [
    /(?<=\d)m(?= (?:people|adults|users|jobs|homes|workers|children|customers|households|voters|votes|visitors|passengers|tonnes|tons|barrels)(?!\p{L}))/gu,
    ' million',
  ],
  [/(?<=\d)\/(?=\d+ ?mmHg)/g, ' over '],
  [
    globally`(?<![\p{L}\d./])(?<whole>\d{1,3} )?(?<part>\d{1,2}/\d{1,2}) ?(?<unit>${names})(?![\p{L}\d^/])`,
    ({ whole, part = '', unit = '' }) => `${whole ?? ''}${part} ${units[unit]![whole === undefined ? 0 : 1]}`,
  ],
  [/(?<=\d ?ft)\.(?= ?\d{1,2} ?in(?!\p{L}))/gu, ''],
  [/(?<=\d) ?in\.(?=(?<end>$)|[ ,;]\p{Ll})/gu, ({ end }) => ` inches${end === undefined ? '' : '.'}`],
  [globally`(?<=\d) ?[x×] ?(?=${decimalNumber} ?(?:${names})(?![\p{L}\d^]))`, ' by '],
  [/(?<=\d ?ft \d{1,2}) ?in(?!\p{L}| (?:an?|the|my|his|her|our|their) )/gu, ' inches'],
  [
    globally`(?<=(?:hundred|thousand|[mbtr]illion) )(?<unit>${names})(?![\p{L}\d^/'])`,
    ({ unit = '' }) => (unit.length === 1 ? undefined : units[unit]![1]),
  ],
  [
    globally`(?<![\p{L}\d,])(?<number>\d+\.\d+) K(?![\p{L}\d])`,
    ({ number = '' }) => `${toNumber(number)} kelvin`,
  ],
  [
    /(?<![\p{L}\d.,'])(?<feet>\d{1,2})['′] ?(?<inches>\d|1[01])(?:"|''|′′|″|(?=[\s,;.!?)]|$))/gu,
    ({ feet = '', inches = '' }) => `${toNumber(feet)} foot${inches === '0' ? '' : ` ${toNumber(inches)}`}`,
  ],
  [
    /(?<![\p{L}\d/.])(?<unit>km|mi|m|ft|kB|KB|MB|GB|kg|g|mg|W|J)\/(?<per>h|hr|s|sec|min|L|l|mL|ml|kg|(?:k|c|m)?m(?=\^[23]))(?<power>\^[23])?(?![\p{L}\d^/])/gu,
    ({ unit = '', per = '', power = '' }) => `${units[unit]![1]} per ${toDivisor(per, power)}`,
  ],
  // Areas and volumes without a number: `people/km²`
  [
    /(?:(?<slash>(?<=\p{L}{3})\/)|(?<=(?<per>(?<!\p{L})[Pp]er ))|)(?<![\p{L}\d]|\d )(?<unit>[kcm]?m|mi|ft|yd)(?<power>\^[23])(?![\p{L}\d^/])/gu,
    ({ slash, per, unit = '', power = '' }) =>
      (slash ? ' per ' : '') + powers[power]! + units[unit]![slash || per ? 0 : 1],
  ],
  [
    globally`(?<article>(?<!\p{L})[Aa]n? )?(?<![\p{L}\d.,/])(?<number>${decimalNumber})(?<hyphen>-)? ?(?<unit>${names})(?<power>\^[23])?(?:/(?<per>${names})(?<perPower>\^[23])?)?(?![\p{L}\d^/%])(?:(?<=\p{L}{2})\.(?= \p{Ll}))?(?=(?<noun>[ -]\p{L})?)`,
    readMeasure,
  ],
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
