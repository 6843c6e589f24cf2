import { tableOf } from '../table-of.ts';
import { toLabel } from './number-words.ts';
import { oneOf, sticky, type TokenClass } from './token.ts';

const street =
  'St|Ave|Blvd|Rd|Ln|Dr|Pl|Ct|Sq|Pkwy|Expy|Hwy|Expressway|Highway|Parkway|Street|Avenue|Boulevard|Road|Lane|Drive|Place|Court|Square|Way|Terrace';
const directions = tableOf('N:North, S:South, E:East, W:West');

const states =
  tableOf(`AL:Alabama, AK:Alaska, AZ:Arizona, AR:Arkansas, CA:California, CO:Colorado, CT:Connecticut,
DE:Delaware, FL:Florida, GA:Georgia, HI:Hawaii, ID:Idaho, IL:Illinois, IN:Indiana, IA:Iowa, KS:Kansas, KY:Kentucky,
LA:Louisiana, ME:Maine, MD:Maryland, MA:Massachusetts, MI:Michigan, MN:Minnesota, MS:Mississippi, MO:Missouri, MT:Montana,
NE:Nebraska, NV:Nevada, NH:New Hampshire, NJ:New Jersey, NM:New Mexico, NY:New York, NC:North Carolina, ND:North Dakota,
OH:Ohio, OK:Oklahoma, OR:Oregon, PA:Pennsylvania, RI:Rhode Island, SC:South Carolina, SD:South Dakota, TN:Tennessee,
TX:Texas, UT:Utah, VT:Vermont, VA:Virginia, WA:Washington, WV:West Virginia, WI:Wisconsin, WY:Wyoming`);
/** State abbreviations that are also words count as states only before a ZIP code. */
const sure = oneOf(Object.keys(states).filter((sign) => !/^(?:HI|ID|IN|LA|ME|OH|OK|OR|PA)$/.test(sign)));

/** Numbers of houses, and towns with their states. */
export const postal: TokenClass = {
  words: Object.keys(states),
  digits: [
    sticky`(?<![\p{L}\d.,$€£-])(?<number>\d{1,5})(?<letter>\p{Lu})?(?: (?<direction>[NSEW])\.?)?(?= (?:(?:\p{Lu}[\p{Ll}']{1,20}\.?|\d{1,3}(?:st|nd|rd|th)) ){1,4}(?:${street})(?!\p{L}))`,
    ({ number = '', letter = '', direction = '' }) =>
      [toLabel(number), letter, directions[direction]].filter(Boolean).join(' '),
  ],
  letters: [
    sticky`(?<=\p{Lu}\p{Ll}{1,40}, )(?:(?<state>${oneOf(Object.keys(states))}),? (?<zip>\d{5})(?:-(?<plus>\d{4}))?(?![\d.,]\d|\d)|(?<alone>${sure})(?![\p{L}\d-]))`,
    ({ state, zip, plus, alone = '' }) =>
      [states[state ?? alone], zip && toLabel(zip), plus && toLabel(plus)].filter(Boolean).join(' '),
  ],
};
