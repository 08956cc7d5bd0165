import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXPORT_PIECE_BYTES, openTextSpool } from '../../../adapters/mikro-orm/session/text-spool.ts';

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

describe('a text spool for a slow reader', () => {
  it('returns the text unchanged, including characters split across pieces', async () => {
    const spool = await openTextSpool();
    const parts = ['a', 'é'.repeat(EXPORT_PIECE_BYTES), '💣'.repeat(EXPORT_PIECE_BYTES), ''];
    for (const part of parts) await spool.write(part);
    expect((await textOf(spool.read())) === parts.join('')).to.equal(true);
  });

  it('leaves no named file in the file system', async () => {
    const { TMPDIR: before } = process.env;
    // A separate directory, because spools of other test processes have a name for a moment.
    const directory = await mkdtemp(join(tmpdir(), 'billwright-spool-'));
    process.env.TMPDIR = directory;
    try {
      expect(tmpdir()).to.equal(directory);
      const spool = await openTextSpool();
      await spool.write('secret');
      expect(await readdir(directory)).to.eql([]);
      await spool.close();
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      await rm(directory, { recursive: true });
    }
  });

  it('closes when the reader leaves before or after the first piece', async () => {
    for (const readsFirst of [false, true]) {
      const spool = await openTextSpool();
      await spool.write('x'.repeat(3 * EXPORT_PIECE_BYTES));
      const reader = spool.read()[Symbol.asyncIterator]();
      if (readsFirst) await reader.next();
      await reader.return?.();
      expect((await reader.next()).done).to.equal(true);
      const closed = await spool.write('y').then(
        () => null,
        (error: { readonly code?: string }) => error.code,
      );
      expect(closed).to.equal('EBADF');
    }
  });
});
