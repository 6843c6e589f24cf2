/** @param {string} base64 @param {string} type @returns {Blob} */
export function blobFromBase64(base64, type) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return new Blob([bytes], { type });
}

/** @param {Blob} blob @returns {Promise<string>} `data:image/png;base64,…` */
export function dataUrlFromBlob(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(new Error('The file can not be read.')));
    reader.readAsDataURL(blob);
  });
}

/** @param {Blob} blob @returns {Promise<string>} */
export async function base64FromBlob(blob) {
  return splitDataUrl(await dataUrlFromBlob(blob)).base64;
}

/** @param {string} url with base64 @returns {Blob} */
export function blobFromDataUrl(url) {
  const { head, base64 } = splitDataUrl(url);
  return blobFromBase64(base64, head.slice('data:'.length, head.indexOf(';')));
}

/** @param {string} url @returns {{ head: string, base64: string }} `head` ends with the comma */
export function splitDataUrl(url) {
  const comma = url.indexOf(',') + 1;
  return { head: url.slice(0, comma), base64: url.slice(comma) };
}
