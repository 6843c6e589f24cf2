/** For how many entries working memory keeps room between texts; what longer ones need is given back. */
export const keptCapacity = 2 ** 16;
