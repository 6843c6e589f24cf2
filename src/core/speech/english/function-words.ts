/** Words that carry no stress within a sentence. */
export const functionWords: ReadonlySet<string> = new Set(
  (
    'a an the and or but nor of to in on at by for from with as into is are was were be been am has have had do does ' +
    'did will would can could shall should may might must it its he she him his her they them their we us our you ' +
    'your my me that than if this'
  ).split(' '),
);

/** The function words without stress also at the end of a sentence: `I saw it.` */
export const unstressedAtEnd: ReadonlySet<string> = new Set('it him her them us me you'.split(' '));
