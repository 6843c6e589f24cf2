/** @typedef {import('./client.js').ApiRequest} ApiRequest */

/** The name that the line takes the key from, so that no key lands in a shell's history. */
export const keyVariable = 'SLASHV1_API_KEY';

/**
 * A request as a line for a POSIX shell.
 *
 * @param {string} base
 * @param {ApiRequest} request
 * @param {{ name: string, file: string }} [upload] a property of the body that is read from a file, as base64
 * @returns {string}
 */
export function toCurl(base, request, upload) {
  const parts = [`curl ${quoted(base + request.path)}`, `-H "Authorization: Bearer $${keyVariable}"`];
  for (const [name, value] of request.form ?? []) {
    const text = typeof value === 'string' ? `${name}=${value}` : `${name}=@${formFile(value.name)}`;
    parts.push(`${typeof value === 'string' ? '--form-string' : '-F'} ${quoted(text)}`);
  }
  if (!request.json) return parts.join(' \\\n  ');
  parts.push("-H 'Content-Type: application/json'");
  if (!upload) return [...parts, `-d ${quoted(JSON.stringify(request.json))}`].join(' \\\n  ');

  // Too long for a command line: the body comes through a pipe.
  const { [upload.name]: _content, ...others } = request.json;
  const rest = JSON.stringify(others).slice(1);
  const source = quoted(upload.file.startsWith('-') ? `./${upload.file}` : upload.file);
  const body = [
    `printf %s ${quoted(`{${JSON.stringify(upload.name)}:"`)}`,
    `base64 < ${source} | tr -d '\\n'`,
    `printf %s ${quoted(rest === '}' ? '"}' : `",${rest}`)}`,
  ];
  return `{ ${body.join('; ')}; } | ${[...parts, '--data-binary @-'].join(' \\\n  ')}`;
}

/** @param {string} text @returns {string} one word of a shell, whatever is in it */
function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** curl takes `;` and `,` in a name for the beginning of something else, unless it is quoted. @param {string} name */
function formFile(name) {
  return `"${name.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;
}
