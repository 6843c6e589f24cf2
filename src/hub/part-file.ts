import { open, type FileHandle } from 'node:fs/promises';
import { createContentHasher, type ContentHasher } from './content-hash.ts';
import type { RemoteFile } from './file-list.ts';

/** Whether two attempts can be known to bring parts of the same content. */
export function isResumable({ hash, etag }: RemoteFile): boolean {
  return hash !== undefined || etag !== undefined;
}

/** A file that is being written from its beginning to its end, over several attempts if need be, and hashed on the way. */
export class PartFile {
  readonly #handle: FileHandle;
  readonly #file: RemoteFile;
  #position = 0;
  #hasher: ContentHasher | undefined;

  private constructor(handle: FileHandle, file: RemoteFile) {
    this.#handle = handle;
    this.#file = file;
    this.#hasher = this.#newHasher();
  }

  /** Opens what an earlier attempt has left, or begins. */
  static async open(path: string, file: RemoteFile): Promise<PartFile> {
    const handle = await open(path, 'a').then(async (created) => {
      await created.close();
      return open(path, 'r+');
    });
    const part = new PartFile(handle, file);
    try {
      await part.#readOn();
      return part;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Bytes that are there. */
  get position(): number {
    return this.#position;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, written, undefined, this.#position + written);
      written += bytesWritten;
    }
    this.#hasher?.update(bytes);
    this.#position += bytes.length;
  }

  /** Begins anew. The bytes stay until they are overwritten, since another process may count on them. */
  restart(): void {
    this.#position = 0;
    this.#hasher = this.#newHasher();
  }

  /** @returns the hash of the content, or `undefined` where there is nothing to compare it with */
  async finish(): Promise<string | undefined> {
    await this.#handle.truncate(this.#position);
    await this.#handle.sync();
    return this.#hasher?.hex();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #readOn(): Promise<void> {
    const { size } = await this.#handle.stat();
    const { sizeBytes = Number.POSITIVE_INFINITY } = this.#file;
    if (size > sizeBytes || !isResumable(this.#file)) return;
    const buffer = new Uint8Array(2 ** 20);
    while (this.#position < size) {
      const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, this.#position);
      if (bytesRead === 0) return;
      this.#hasher?.update(buffer.subarray(0, bytesRead));
      this.#position += bytesRead;
    }
  }

  #newHasher(): ContentHasher | undefined {
    const { hash, sizeBytes = 0 } = this.#file;
    return hash && createContentHasher(hash.algorithm, sizeBytes);
  }
}
