import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { openTextSpool } from '../../../adapters/mikro-orm/session/text-spool.ts';
import { EXPORT_PIECE_BYTES } from '../../../lib/values/limits.ts';

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

describe('a text on its way to a slow reader', () => {
  it('a text on its way to a slow reader is read as it was written, characters at the end of a piece included', async () => {
    const spool = await openTextSpool();
    const parts = ['a', 'é'.repeat(EXPORT_PIECE_BYTES), '💣'.repeat(EXPORT_PIECE_BYTES), ''];
    for (const part of parts) await spool.write(part);
    expect((await textOf(spool.read())) === parts.join('')).to.equal(true);
  });

  it('a text on its way to a slow reader has no name in the file system', async () => {
    const before = await readdir(tmpdir());
    const spool = await openTextSpool();
    await spool.write('secret');
    const ours = (await readdir(tmpdir())).filter((name) => /^billwright-[0-9a-f-]{36}$/.test(name));
    expect(ours.filter((name) => !before.includes(name))).to.deep.equal([]);
    await spool.close();
  });

  it('closes when its reader turns away before or after the first piece', async () => {
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
