/** Turns the texts of tokens into parts of a text. */
export type Decoder = (tokens: readonly string[]) => readonly string[];
