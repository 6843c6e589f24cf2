/** @typedef {import('./client.js').ApiRequest} ApiRequest */

/** Variable with the key, to keep keys out of shell histories. */
export const keyVariable = 'SLASHV1_API_KEY';

/**
 * * Placeholder for a file's base64 in a request body, from a private use area, so that no message contains it.
 *
 * @param {number} index in the list of files
 * @returns {string}
 */
export function fileContent(index) {
  return `\uE000${index}\uE000`;
}

/**
 * * A request as a POSIX shell command.
 *
 * @param {string} base
 * @param {ApiRequest} request
 * @param {readonly string[]} [files] files for the placeholders of `fileContent`
 * @returns {string}
 */
export function toCurl(base, request, files = []) {
  const parts = [`curl ${quoted(base + request.path)}`, `-H "Authorization: Bearer $${keyVariable}"`];
  for (const [name, value] of request.form ?? []) {
    const text = typeof value === 'string' ? `${name}=${value}` : `${name}=@${formFile(value.name)}`;
    parts.push(`${typeof value === 'string' ? '--form-string' : '-F'} ${quoted(text)}`);
  }
  if (!request.json) return parts.join(' \\\n  ');
  parts.push("-H 'Content-Type: application/json'");
  const json = JSON.stringify(request.json);
  const pieces = json.split(/\uE000(\d+)\uE000/);
  if (files.length === 0 || pieces.length === 1) return [...parts, `-d ${quoted(json)}`].join(' \\\n  ');

  // Too long for a command line: pipe the body. Split, text and file indexes alternate.
  const body = pieces.map((piece, index) =>
    index % 2 === 0
      ? `printf %s ${quoted(piece)}`
      : `base64 < ${shellFile(files[Number(piece)] ?? '')} | tr -d '\\n'`,
  );
  return `{ ${body.join('; ')}; } | ${[...parts, '--data-binary @-'].join(' \\\n  ')}`;
}

/** @param {string} text @returns {string} one shell word */
function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** @param {string} name @returns {string} */
function shellFile(name) {
  return quoted(name.startsWith('-') ? `./${name}` : name);
}

/** Unquoted `;` and `,` are separators for curl. @param {string} name */
function formFile(name) {
  return `"${name.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;
}
