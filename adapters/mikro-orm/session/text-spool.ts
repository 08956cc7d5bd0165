import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Size of the pieces in which an export is sent, in bytes (accounts §16 rule 4). */
export const EXPORT_PIECE_BYTES = 65_536;

/** Text for a slow reader. It is stored in an unlinked file, which the operating system frees even after a crash. */
interface TextSpool {
  write(text: string): Promise<void>;
  /** Returns the text. Can be called only once. Closes the spool when all text has been read or the reader stops. */
  read(): AsyncIterable<string>;
  close(): Promise<void>;
}

export async function openTextSpool(): Promise<TextSpool> {
  const path = join(tmpdir(), `billwright-${randomUUID()}`);
  // Only the operating-system user of this process can open the file, because it contains customer data.
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
  // A generator would not close the file if the reader stopped before the first piece.
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
