/** @typedef {import('./client.js').ApiRequest} ApiRequest */

/** The name that the line takes the key from, so that no key lands in a shell's history. */
export const keyVariable = 'SLASHV1_API_KEY';

/**
 * The text that stands for a file in the body of a request: its base64 comes into its place. Of a private use area, so
 * that nobody's message has it.
 *
 * @param {number} index in the list of files
 * @returns {string}
 */
export function fileContent(index) {
  return `\uE000${index}\uE000`;
}

/**
 * A request as a line for a POSIX shell.
 *
 * @param {string} base
 * @param {ApiRequest} request
 * @param {readonly string[]} [files] names of files whose base64 the body contains, where `fileContent` says
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

  // Too long for a command line: the body comes through a pipe. Texts and numbers of files take turns.
  const body = pieces.map((piece, index) =>
    index % 2 === 0
      ? `printf %s ${quoted(piece)}`
      : `base64 < ${shellFile(files[Number(piece)] ?? '')} | tr -d '\\n'`,
  );
  return `{ ${body.join('; ')}; } | ${[...parts, '--data-binary @-'].join(' \\\n  ')}`;
}

/** @param {string} text @returns {string} one word of a shell, whatever is in it */
function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** @param {string} name @returns {string} */
function shellFile(name) {
  return quoted(name.startsWith('-') ? `./${name}` : name);
}

/** curl takes `;` and `,` in a name for the beginning of something else, unless it is quoted. @param {string} name */
function formFile(name) {
  return `"${name.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;
}
