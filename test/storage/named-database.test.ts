import { expect } from 'chai';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';

describe('database name', () => {
  for (const name of [undefined, '', 'file:shop.db'])
    it(`cannot be "${name}" for SQLite`, () =>
      expect(() => sqlite(name as string)).to.throw(TypeError, `it received ${name}`));

  for (const name of [undefined, ''])
    it(`cannot be "${name}" for PostgreSQL`, () =>
      expect(() => postgresql(name as string)).to.throw(TypeError, `it received ${name}`));

  it('is hidden if it may contain a password', () =>
    expect(() => postgresql('host=db.example password=secret'))
      .to.throw(TypeError, 'it received something else')
      .and.to.not.match(/secret/));

  it('appears in the error if the engine cannot reach the database', async () => {
    const storage = postgresql('postgresql://ada:secret@127.0.0.1:1/shop');
    const error = await storage.prepare().then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).to.have.property('code', 60018);
    expect(String(error))
      .to.match(/ECONNREFUSED 127\.0\.0\.1:1/)
      .and.to.not.include('secret');
    await storage.close();
  });
});
