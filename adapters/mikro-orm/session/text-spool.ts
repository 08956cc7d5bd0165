import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes of an export that go out at a time (accounts §16 rule 4). */
export const EXPORT_PIECE_BYTES = 65_536;

/**
 * Text on its way to a slow reader, in a file without a name. The transaction in which it was read has ended, and the
 * system frees the file when it is closed, however the process ends.
 */
interface TextSpool {
  write(text: string): Promise<void>;
  /** Everything written, once; closes the spool at the end, or when the reader stops. */
  read(): AsyncIterable<string>;
  close(): Promise<void>;
}

export async function openTextSpool(): Promise<TextSpool> {
  const path = join(tmpdir(), `billwright-${randomUUID()}`);
  // For this user only, since it holds data of customers.
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return {
    write: async (text) => {
      await file.writeFile(text);
    },
    read: () => piecesOf(file),
    close: () => file.close(),
  };
}

function piecesOf(file: FileHandle): AsyncIterable<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(EXPORT_PIECE_BYTES);
  let position = 0;
  let isOpen = true;
  const end = async (): Promise<IteratorResult<string>> => {
    if (isOpen) {
      isOpen = false;
      await file.close();
    }
    return { done: true, value: undefined };
  };
  // Not a generator: if its reader stopped before the first piece, that would never close the file.
  const iterator: AsyncIterator<string> = {
    async next() {
      if (!isOpen) return { done: true, value: undefined };
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return end();
      position += bytesRead;
      return { done: false, value: decoder.decode(buffer.subarray(0, bytesRead), { stream: true }) };
    },
    return: end,
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
