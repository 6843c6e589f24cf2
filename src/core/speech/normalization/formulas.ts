import { toCardinal } from './number-words.ts';
import { sticky, type TokenClass } from './token.ts';

const elements =
  'He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Ti|Cr|Mn|Fe|Ni|Cu|Zn|Br|Ag|Sn|Ba|Au|Hg|Pb|H|B|C|N|O|F|P|S|K|I';

/** Chemical formulas, letter by letter: `CO2` isn't the word "co". */
export const formulas: TokenClass = {
  letters: [
    sticky`(?<![\p{L}\d/#@.-])(?=[A-Za-z]{1,12}\d)(?:(?:${elements})\d{0,2}){2,12}(?:\((?:(?:${elements})\d{0,2}){1,6}\)\d{1,2})?(?<charge>[+-](?![\p{L}\d]))?(?![\p{L}\d]|-\d)`,
    ({ charge }, formula) => {
      if (/^\D+\d{2}$/.test(formula)) return undefined;
      const spoken = formula.replace(/\d+|\p{L}|\p{P}|\+/gu, (sign) =>
        /\d/.test(sign) ? `${toCardinal(sign)} ` : /\p{L}/u.test(sign) ? `${sign.toUpperCase()} ` : ' ',
      );
      return spoken.trim() + (charge === undefined ? '' : charge === '+' ? ' plus' : ' minus');
    },
  ],
};
