/** An optional peer without types of its own. */
declare module 'piper-phonemize';
