import { toCardinal, toNumber } from './number-words.ts';
import { decimalNumber, oneOf, sticky, type Grammar, type Groups, type TokenClass } from './token.ts';
import { tableOf } from '../table-of.ts';

type Unit = readonly [one: string, many: string];

const prefixes = tableOf(
  `p:pico, n:nano, μ:micro, m:milli, c:centi, d:deci, h:hecto, k:kilo, K:kilo, M:mega, G:giga, T:tera, P:peta`,
);

/** Sign, name, and the prefixes that are used with it; a name that ends in `=` is its own plural. */
const prefixed = `m meter nμmck,g gram nμmk,l liter μmcd,L liter μmcd,s second pnμm,W watt mkMGT,Wh watt hour kMGT,V volt μmk,
A amp μm,Ah amp hour m,Hz hertz= kMGT,Ω ohm mM,J joule mkMG,Pa pascal hkMG,N newton mk,cal calorie k,B byte kKMGTP,bit bit kKMGT,
mol mole μmk,bar bar m,F farad pnμm`;

/** Sign, singular, and the plural if it adds more than an s. */
const others = `kΩ kilohm,mi mile,yd yard,lb pound,lbs pound,kgs kilogram,KG kilogram,oz ounce,fl oz fluid ounce,fl. oz fluid ounce,tbsp tablespoon,
tbs tablespoon,tsp teaspoon,sec second,secs second,min minute,mins minute,h hour,hr hour,hrs hour,wk week,wks week,mo month,mos month,
yr year,yrs year,pts point,pt pint,qt quart,gal gallon,° degree,KiB kibibyte,MiB mebibyte,GiB gibibyte,TiB tebibyte,
pp percentage point,px pixel,MP megapixel,sq mi square mile,sq. mi square mile,sq m square meter,sq km square kilometer,
sq yd square yard,cu m cubic meter,cu yd cubic yard,atm atmosphere,ha hectare,ac acre,t ton,Nm newton meter,ft foot/feet,in inch/inches,
inches inch/inches,doz dozen/dozen,°C degree Celsius/degrees Celsius,°F degree Fahrenheit/degrees Fahrenheit,K kelvin/kelvin,
kbps kilobit per second/kilobits per second,Kbps kilobit per second/kilobits per second,Mbps megabit per second/megabits per second,
mbps megabit per second/megabits per second,
Gbps gigabit per second/gigabits per second,bps basis point,mmHg millimeter of mercury/millimeters of mercury,
mph mile per hour/miles per hour,mpg mile per gallon/miles per gallon,kmh kilometer per hour/kilometers per hour,
kph kilometer per hour/kilometers per hour,fps frame per second/frames per second,rpm revolution per minute/revolutions per minute,
bpm beat per minute/beats per minute,dpi DPI/DPI,dB decibel,dBm DBM/DBM,dBA decibel,ppm part per million/parts per million,
ppb part per billion/parts per billion,sq ft square foot/square feet,sq. ft square foot/square feet,sq in square inch/square inches,
cu ft cubic foot/cubic feet,cu. ft cubic foot/cubic feet,cc cc/cc,psi PSI/PSI,% percent/percent,‰ per mille/per mille`;

/** Units by their signs. */
const units: ReadonlyMap<string, Unit> = readTable();

/** Billed things and periods, which only stand behind `per`. */
const divisors: ReadonlyMap<string, string> = new Map(
  'day week month year night person capita user head dose serving gallon hour minute second mile frame'
    .split(' ')
    .map((name) => [name, name]),
);

function readTable(): Map<string, Unit> {
  const table = new Map<string, Unit>();
  for (const entry of prefixed.split(/,\n?/)) {
    const [, sign = '', name = '', most = ''] = /^(\S+) (.*?)(?: (\S+))?$/.exec(entry)!;
    const one = name.replace('=', '');
    const plural = name.endsWith('=') ? one : `${one}s`;
    table.set(sign, [one, plural]);
    for (const prefix of most)
      table.set(prefix + sign, [prefixes[prefix]! + one, prefixes[prefix]! + plural]);
  }
  // Alone, these letters are no units: `7B`, `350 F`.
  for (const sign of ['B', 'F', 'N', 'bit']) table.delete(sign);
  for (const entry of others.split(/,\n?/)) {
    const [names = '', many] = entry.split('/');
    const [, sign = '', one = ''] = /^((?:fl\.?|sq\.?|cu\.?) \S+|\S+) (.*)$/.exec(names)!;
    table.set(sign, [one, many ?? `${one}s`]);
  }
  return table;
}

/** Units that need more around them than a number before. */
const doubtful = /^(?:in|A|K)$/;
const plainUnits = [...units.keys()].filter((sign) => !doubtful.test(sign));
/** The source of a regular expression for a unit's sign. */
export const unitNames = oneOf(plainUnits);
const lengths = 'km|m|cm|mm|ft|in|inches|yd|mi|px|"|\'';
const perNames = oneOf([...plainUnits.filter((sign) => /^\p{L}+$/u.test(sign)), ...divisors.keys()]);

const powers = tableOf(`^2:square , ^3:cubic , 2:square , 3:cubic `);
const powersOfTime: Readonly<Record<string, string>> = { '^2': ' squared', '^3': ' cubed' };

/** The words for a sign behind `per`: `lb` is a pound. */
export function nameOfDivisor(sign: string): string | undefined {
  return units.get(sign)?.[0] ?? divisors.get(sign);
}

const cans = 'can|jar|tin|bag|box|bottle|package|pack|carton';
const owners = 'the|an?|my|your|his|her|our|this';
const number = `(?<number>${decimalNumber})`;

const inches: Grammar = [
  // `a 9x13 in. dish`, `1-in. cubes`, `the 27" screen`

  sticky`(?<![\d.,])${number}(?:(?<=[x×] ?\d{1,3}) ?in\.(?= \p{Ll})|-in\.(?= ?\p{Ll}))`,
  ({ number: count = '' }) => `${toNumber(count)} inch`,

  sticky`(?<![\p{L}\d.,'/])(?<number>\d{1,3}(?:\.\d{1,2})?)"(?= (?:(?:AM)?OLED|LCD|TV|display|screen|monitor|tablet|phone|laptop|(?:or )?\d{1,3}(?:\.\d{1,2})?")(?!\p{L}))`,
  sticky`(?<=(?<!\p{L})(?:${owners}|${owners.toUpperCase()}|The|An?) )(?<number>\d{1,3}(?:\.\d)?)"(?= \p{L}[^"\n]{0,1000}(?:\n|$))`,
  ({ number: count = '' }) => `${toNumber(count)} inch`,
  // Both numbers of `8.5" x 11"` and `8.5 x 11 in`

  sticky`(?<![\p{L}\d.,])${number}"(?= ?[x×] ?\d{1,4}(?:\.\d{1,2})?")`,
  ({ number: count = '' }) => toNumber(count),

  sticky`(?<=\d"? ?[x×] ?)${number}(?:"| ?in(?=[,;)]|\.(?= \p{Lu}|$)|$|\n| (?!an?|the)\p{Ll}))`,
  ({ number: count = '' }) => `${toNumber(count)} inches`,

  sticky`(?<![\p{L}\d.,'])(?<feet>\d{1,2})['′] ?(?<inches>\d|1[01])(?:"|''|′′|″|(?=[\s,;.!?)]|$))`,
  ({ feet = '', inches: rest = '' }) => `${toNumber(feet)} foot${rest === '0' ? '' : ` ${toNumber(rest)}`}`,

  sticky`(?<=\d ?ft\.? ?)(?<number>\d{1,2}) ?in(?:\.(?=(?<end>$| \p{Lu}|\n)|[ ,;]\p{Ll}?)|(?!\p{L}| (?:an?|the|my|his|her|our|their) ))`,
  ({ number: count = '', end }) =>
    `${toNumber(count)} ${count === '1' ? 'inch' : 'inches'}${end === undefined ? '' : '.'}`,

  sticky`(?<![\p{L}\d.,])${number} ?in(?:\.(?=(?<end>$)|[ ,;]\p{Ll})|(?= (?:wide|long|tall|high|deep|thick|across|of rain|of snow)(?!\p{L})))`,
  ({ number: count = '', end }) =>
    `${toNumber(count)} ${count === '1' ? 'inch' : 'inches'}${end === undefined ? '' : '.'}`,
  // The only quotation mark of a line

  sticky`(?<![\p{L}\d.,'/])(?<number>\d{1,3}(?:\.\d)?)"(?=[^"\n]{0,1000}(?:\n|$))(?<=(?:^|\n)[^"\n]{0,1000}")`,
  ({ number: count = '' }) => `${toNumber(count)} inches`,
];

const feet: Grammar = [
  sticky`(?<![\p{L}\d.,'])(?<one>\d{1,3})['′](?: ?[x×] ?(?<other>\d{1,3})['′](?!\d))`,
  ({ one = '', other = '' }) => `${toNumber(one)} foot by ${toNumber(other)} foot`,
];

const winds = tableOf(`N:north, S:south, E:east, W:west`);
const angles: Grammar = [
  sticky`(?<![\p{L}\d.,])(?<degrees>\d{1,3}(?:\.\d{1,6})?)°(?: ?(?<minutes>\d{1,2})(?:\.\d{1,3})?[′'](?: ?(?<seconds>\d{1,2}(?:\.\d{1,3})?)(?:′′|''|[″"]))?)? ?(?<direction>[NSEW])(?![\p{L}\d])`,
  ({ direction = '', ...parts }) => {
    const spoken = ['degree', 'minute', 'second'].flatMap((unit) => {
      const count = parts[`${unit}s`];
      return count === undefined
        ? []
        : [`${toNumber(String(Number(count)))} ${unit}${Number(count) === 1 ? '' : 's'}`];
    });
    return [...spoken, winds[direction]].join(' ');
  },
];

/** Words behind a measure that aren't what has it. */
const notNouns =
  'a|an|the|in|on|at|of|to|for|from|by|and|or|but|is|was|per|with|away|long|tall|wide|high|deep|old|later|ago|each';
const article = String.raw`(?:(?<=(?<article>(?<!\p{L})(?:[Aa]n?|\d [x×]) |\dx)|(?<article2>(?<!\p{L})[Aa]n? \d{1,6}[–-]))|)`;
const measure: Grammar = [
  // People aren't counted in meters.

  sticky`(?<![\p{L}\d.,])${number}m(?= (?:people|adults|users|jobs|homes|workers|children|customers|households|voters|votes|visitors|passengers|tonnes|tons|barrels)(?!\p{L}))`,
  ({ number: count = '' }) => `${toNumber(count)} million`,

  sticky`(?<=\((?:\d{1,3}[–-])?)(?<number>\d{1,3}(?:\.\d)?) ?-?oz\.?(?=\) (?:${cans})s?(?!\p{L}))`,
  ({ number: count = '' }) => `${toNumber(count)} ounce`,

  sticky`(?<![\p{L}\d.,])(?<number>\d{1,2}) ?st(?:(?= ?\d{1,2} ?lbs?(?!\p{L}))|\.(?= \d{1,2}(?!\d|[.,]\d)))`,
  ({ number: count = '' }) => `${toCardinal(count)} stone`,

  sticky`(?<![\p{L}\d,])${number} ?K(?![\p{L}\d]| an? )(?<= K)`,
  ({ number: count = '' }) => `${toNumber(count)} kelvin`,

  sticky`(?<![\p{L}\d.,]|\p{Lu}\p{Ll}{1,20} )${number} ?A(?![\p{L}\d-]|[ .]\p{L})(?<= A|\dA(?=[.,;)]))`,
  ({ number: count = '' }) => `${toNumber(count)} ${count === '1' ? 'amp' : 'amps'}`,

  sticky`${article}(?<![\d.,]|\p{L}(?<!\dx))${number}(?<hyphen>-)? ?(?<unit>${unitNames})(?<!\dac)(?<power>\^[23]|(?<=[ \d](?:[kcm]?m|ft|yd))[23])?(?:/(?<per>${perNames})(?<perPower>\^[23])?)?(?![\p{L}\d^%]|/\p{L}|/$)(?<period>(?<=\p{L}{2})\.(?= \p{Ll}|, |\)| ?\d{1,2} ?in(?!\p{L})))?(?=(?<noun>-\p{L}| (?!(?:${notNouns})(?!\p{L}))(?<thing>(?:film|lens|screen|display|monitor|battery|engine|pipe|hose|cable|drill)(?!\p{L}))?)?)`,
  readMeasure,
];

/** Numbers with a unit, dimensions, and units that stand alone. */
export const measures: TokenClass = {
  when: /(?=\p{L}|\d[\d.,]{0,60}[ -]?[\p{L}"'′°%‰])/uy,
  words: ['x', ...plainUnits.map((sign) => /^\p{L}*/u.exec(sign)![0])],
  digits: [...inches, ...feet, ...angles, ...measure],
  letters: [
    // Behind a number in words: `4.5 billion km`

    sticky`(?<=(?:hundred|thousand|[mbtr]illion) )(?<unit>${unitNames})(?![\p{L}\d^/'])`,
    ({ unit = '' }) => (unit.length === 1 ? undefined : units.get(unit)![1]),
    // Without a number: `km/h`, `people/km²`

    sticky`(?<![\p{L}\d/.])(?<unit>km|mi|m|ft|kB|KB|MB|GB|kg|g|mg|μg|W|J|kcal|kWh|lbs?)/(?<per>${perNames})(?<power>\^[23])?(?![\p{L}\d^/])`,
    ({ unit = '', per = '', power = '' }) => `${units.get(unit)![1]} per ${toDivisor(per, power)}`,

    sticky`(?:(?<=(?<per>(?<!\p{L})[Pp]er ))|)(?<![\p{L}\d]|\d )(?<unit>[kcm]?m|mi|ft|yd)(?<power>\^[23])(?![\p{L}\d^/])`,
    ({ per, unit = '', power = '' }) => powers[power]! + units.get(unit)![per === undefined ? 1 : 0],
    // Behind a fraction: `1/4 tsp`

    sticky`(?<=(?<whole>\d[ -])?(?<![\d/])\d{1,2}/\d{1,2} ?)(?<unit>${oneOf([...plainUnits, 'in'])})(?![\p{L}\d^/])(?:(?<=\p{L}{2})\.(?= \p{Ll}))?`,
    ({ whole, unit = '' }) => units.get(unit)![whole === undefined ? 0 : 1],

    sticky`(?<=\bper )(?<unit>kWh|km|kg|lb|oz|ml|mL|sq ft|GB|MB|hr|yr)(?![\p{L}\d^/])`,
    ({ unit = '' }) => units.get(unit)![0],
    // `3 x 4 m`

    sticky`(?<=\d ?(?:${lengths})? ?)x(?= ?${decimalNumber}(?: ?[x×] ?${decimalNumber})? ?(?:${lengths})(?![\p{L}\d^]))`,
    'by',
  ],
  marks: {
    '× ': [
      sticky`(?<=\d ?(?:${lengths})?) ?×(?= ?${decimalNumber}(?: ?[x×] ?${decimalNumber})? ?(?:${lengths})(?![\p{L}\d^]))`,
      ' by ',
    ],
    '/': [
      sticky`(?<=\p{L}{3})/(?<unit>[kcm]?m|mi|ft|yd)(?<power>\^[23])(?![\p{L}\d^/])`,
      ({ unit = '', power = '' }) => ` per ${powers[power]!}${units.get(unit)![0]}`,
      sticky`(?<=°[CF])/(?=\d)`,
      ', ',
      sticky`(?<=(?<![\p{L}\d/.,-])\d{1,6})/(?<unit>${perNames})(?<=\p{L}{2})(?![\p{L}\d/])`,
      ({ unit = '' }) => ` per ${toDivisor(unit, '')}`,
      sticky`(?<=\d ?(?:${unitNames}))/(?=\d{1,5}(?:\.\d{1,2})? ?(?!G?Hz|[KMGT]i?B)(?:${unitNames})(?!\p{L}))`,
      ' per ',
      sticky`(?<=\d)/(?=\d{1,9}(?:\.\d{1,9})? ?[KMGTP]i?B(?!\p{L}))`,
      ' of ',
      sticky`(?<=\d)/(?=\d{1,9} ?mmHg)`,
      ' over ',
    ],
    '"': [sticky`"(?<=\d/\d{1,2}")(?=[^"\n]{0,1000}(?:\n|$))(?<=(?:^|\n)[^"\n]{0,1000}")`, ' inch'],
  },
};

function readMeasure({ number: count = '', unit = '', power = '', ...around }: Groups): string {
  const { article: determiner, article2, hyphen, thing, noun, per, perPower = '' } = around;
  const isAttribute = noun !== undefined && (determiner ?? article2 ?? hyphen ?? thing) !== undefined;
  const isOne = isAttribute || count === '1';
  const sign = unit === 'bps' && Number(count.replaceAll(',', '')) > 1000 ? 'bit per second' : undefined;
  const name = sign ? 'bits per second' : (powers[power] ?? '') + units.get(unit)![isOne ? 0 : 1];
  return `${toNumber(count)} ${name}${per === undefined ? '' : ` per ${toDivisor(per, perPower)}`}`;
}

function toDivisor(sign: string, power: string): string {
  const one = nameOfDivisor(sign)!;
  return sign === 's' ? one + (powersOfTime[power] ?? '') : (powers[power] ?? '') + one;
}
