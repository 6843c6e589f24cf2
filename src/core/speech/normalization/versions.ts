import { toCardinal, toVersion } from './number-words.ts';
import { sticky, type TokenClass } from './token.ts';

const versioned =
  '[Vv]ersion|[Vv]er\\.|[Rr]elease|Python|Node(?:\\.js)?|Go|PHP|Ruby|Rust|Ubuntu|Debian|Swift|Julia|CUDA|TypeScript|iOS|macOS|Android|Java|Kotlin|Kubernetes|Angular|React|Vue|npm|Chrome|Firefox';

/** Numbers of versions: their last part isn't a decimal. */
export const versions: TokenClass = {
  words: ['v', 'V'],
  digits: [
    sticky`(?<=(?<!\p{L})(?:${versioned})(?: v)? |(?<!\p{L})[Vv]\.?)\d{1,3}\.\d{1,2}(?![\d.]\d|\d)`,
    (_, version) => toVersion(version),

    sticky`(?<![\d.])\d{1,9}(?:\.\d{1,9}){2,8}(?!\d)`,
    (_, version) => version.split('.').map(toCardinal).join(' point '),
  ],
  letters: [sticky`(?<![\p{L}\d/])(?:[vV]\.?(?=\d{1,4}\.\d)|v(?=\d{1,3}(?![\d.,:]\d|\p{L})))`, 'version '],
};
