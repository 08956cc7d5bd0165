import { expect } from 'chai';
import { PreparedStatements } from '../../../adapters/mikro-orm/postgresql/statement-batch.ts';

describe('prepared statements on PostgreSQL', () => {
  it('have one name per SQL text', () => {
    const prepared = new PreparedStatements();
    const names = ['select $1', 'select $1', 'select $1 + 1'].map((text) => prepared.nameOf(text));
    expect(names).to.eql(['bw_0', 'bw_0', 'bw_1']);
  });

  it('are not used for pattern searches, because each pattern needs its own plan', () =>
    expect(new PreparedStatements().nameOf('select name from t where name like $1')).to.equal(undefined));

  it('are limited in number, so that the server does not keep an unlimited number of texts', () => {
    const prepared = new PreparedStatements();
    const names = Array.from({ length: 600 }, (_, index) => prepared.nameOf(`select $1 + ${index}`));
    expect(names.filter((name) => name !== undefined)).to.have.length(500);
    expect(prepared.nameOf('select $1 + 0')).to.equal('bw_0');
  });
});
