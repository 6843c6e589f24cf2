import { tableOf } from '../table-of.ts';
type Unit = readonly [one: string, many: string];

const prefixes = tableOf(
  `p:pico, n:nano, μ:micro, m:milli, c:centi, d:deci, h:hecto, k:kilo, K:kilo, M:mega, G:giga, T:tera, P:peta`,
);

/** Sign, name, and the prefixes that are used with it; a name that ends in `=` is its own plural. */
const prefixed = `m meter nμmck,g gram nμmk,l liter μmcd,L liter μmcd,s second pnμm,W watt mkMGT,Wh watt hour kMGT,V volt μmk,
A amp μm,Ah amp hour m,Hz hertz= kMGT,Ω ohm mM,J joule mkMG,Pa pascal hkMG,N newton mk,cal calorie k,B byte kKMGTP,bit bit kKMGT,
mol mole μmk,bar bar m,F farad pnμm`;

/** Sign, singular and, where it isn't that with an s, plural. */
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
export const units: ReadonlyMap<string, Unit> = readTable();

/** Billed things and periods, which only stand behind `per`. */
export const divisors: ReadonlyMap<string, string> = new Map(
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
