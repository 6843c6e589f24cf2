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
  yd: regular('yard'),
  kg: regular('kilogram'),
  g: regular('gram'),
  mg: regular('milligram'),
  μg: regular('microgram'),
  lb: regular('pound'),
  lbs: regular('pound'),
  oz: regular('ounce'),
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
  h: regular('hour'),
  hr: regular('hour'),
  hrs: regular('hour'),
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
  kbps: ['kilobit per second', 'kilobits per second'],
  Mbps: ['megabit per second', 'megabits per second'],
  Gbps: ['gigabit per second', 'gigabits per second'],
  W: regular('watt'),
  kW: regular('kilowatt'),
  MW: regular('megawatt'),
  kWh: regular('kilowatt hour'),
  V: regular('volt'),
  mA: regular('milliamp'),
  J: regular('joule'),
  kJ: regular('kilojoule'),
  kcal: regular('kilocalorie'),
  Pa: regular('pascal'),
  kPa: regular('kilopascal'),
  hPa: regular('hectopascal'),
  dB: regular('decibel'),
  mph: ['mile per hour', 'miles per hour'],
  kmh: ['kilometer per hour', 'kilometers per hour'],
  fps: ['frame per second', 'frames per second'],
  rpm: ['revolution per minute', 'revolutions per minute'],
  px: regular('pixel'),
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
  .join('|');
const powers: Readonly<Record<string, string>> = { '^2': 'square ', '^3': 'cubic ' };
const powersOfTime: Readonly<Record<string, string>> = { '^2': ' squared', '^3': ' cubed' };

/** Numbers with a unit after them, heights in feet and inches, and speeds without a number. */
export const unitRules: readonly Rule[] = [
  {
    pattern: /(?<![\p{L}\d.,'])(?<feet>\d{1,2})['′] ?(?<inches>\d|1[01])(?:"|''|′′|″|(?=[\s,;.!?)]|$))/gu,
    speak: ({ feet = '', inches = '' }) =>
      `${toNumber(feet)} foot${inches === '0' ? '' : ` ${toNumber(inches)}`}`,
  },
  {
    pattern:
      /(?<![\p{L}\d/.])(?<unit>km|mi|m|ft|kB|KB|MB|GB|kg|g|mg)\/(?<per>h|hr|s|sec|min|L|l|mL|ml|kg)(?![\p{L}\d/])/gu,
    speak: ({ unit = '', per = '' }) => `${units[unit]![1]} per ${units[per]![0]}`,
  },
  {
    pattern: globally(
      String.raw`(?<![\p{L}\d.,])(?<number>${decimalNumber}) ?(?<unit>${names})(?<power>\^[23])?(?:/(?<per>${names})(?<perPower>\^[23])?)?(?![\p{L}\d^/%])`,
    ),
    speak: readMeasure,
  },
];

function readMeasure({ number = '', unit = '', power = '', per, perPower = '' }: Groups): string {
  const name = (powers[power] ?? '') + units[unit]![number === '1' ? 0 : 1];
  return `${toNumber(number)} ${name}${per === undefined ? '' : ` per ${toDivisor(per, perPower)}`}`;
}

function toDivisor(unit: string, power: string): string {
  const [one] = units[unit]!;
  return unit === 's' ? one + (powersOfTime[power] ?? '') : (powers[power] ?? '') + one;
}
