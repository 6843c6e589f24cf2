/** @type {import('node:module').ResolveHook} */
export const resolve = (specifier, context, next) => next(specifier, context);
