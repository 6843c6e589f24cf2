import { createCharacterNormalizer } from './character-rewriter.ts';

/** Lower case of one character: a final sigma is like any other. */
export const lowercaseCharacter = (character: string): string => character.toLowerCase();

export const lowercase = createCharacterNormalizer(lowercaseCharacter);
