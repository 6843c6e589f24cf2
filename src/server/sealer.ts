import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { CallerState } from '../contracts/caller.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
/** Lengths that NIST SP 800-38D recommends. */
const ivBytes = 12;
const authTagLength = 16;

/** Makes what encrypts texts for one caller each, who can neither read nor change them, nor hand them to another caller. */
export function createSealers(secret?: string): (caller: string) => Pick<CallerState, 'seal' | 'unseal'> {
  const key =
    secret === undefined
      ? randomBytes(keyBytes)
      : Buffer.from(hkdfSync('sha256', secret, '', 'slashv1 reasoning', keyBytes));
  return (caller) => ({
    seal(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength }).setAAD(Buffer.from(caller));
      const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([iv, cipher.getAuthTag(), ...encrypted]).toString('base64');
    },
    unseal(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      const start = ivBytes + authTagLength;
      if (bytes.length < start) return undefined;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength })
        .setAAD(Buffer.from(caller))
        .setAuthTag(bytes.subarray(ivBytes, start));
      const text = decipher.update(bytes.subarray(start));
      try {
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  });
}
