/** An optional peer without types. */
declare module 'piper-phonemize';
