import { expect } from 'chai';
import { render } from '../../../adapters/mikro-orm/sql/sql.ts';
import { sqliteDialect } from '../../../adapters/mikro-orm/sqlite/dialect.ts';
import { lendingDialect } from '../../../adapters/mikro-orm/sqlite/lent-rows.ts';
import { insertInto, TenantScope } from '../../../adapters/mikro-orm/tables/record-access.ts';
import { countersTable } from '../../../adapters/mikro-orm/tables/system.ts';

const counters = (count: number) =>
  Array.from({ length: count }, (_, value) => ({ name: `c${value}`, value }));
const lentIn = /bw_lent_3\(\?\)/;

describe('rows passed to SQLite by reference', () => {
  it('are used for insertions of 20 rows or more, if the connection supports them', () => {
    expect(render(insertInto(7, countersTable, counters(20)), lendingDialect.writer).text).to.match(lentIn);
    expect(render(insertInto(7, countersTable, counters(19)), lendingDialect.writer).text).to.match(
      /json_each/,
    );
    expect(render(insertInto(7, countersTable, counters(20)), sqliteDialect.writer).text).to.match(
      /json_each/,
    );
  });

  it('omit columns that have one value in all rows if there are 1,000 rows or more', () => {
    const insertionOf = (count: number) =>
      render(insertInto(7, countersTable, counters(count)), lendingDialect.writer);
    expect(insertionOf(999).text).to.match(lentIn);
    const { text, parameters } = insertionOf(1_000);
    expect(text).to.match(/select \? as tenant_record_id, c0 as name, c1 as value from bw_lent_2\(\?\)/);
    expect(parameters[0]).to.equal(7);
    const alike = Array.from({ length: 1_000 }, () => ({ name: 'one', value: 1 }));
    const insertion = render(insertInto(7, countersTable, alike), lendingDialect.writer);
    expect(insertion.text).to.match(/c0 as tenant_record_id, \? as name, \? as value from bw_lent_1\(\?\)/);
    expect(insertion.parameters.slice(0, 2)).to.eql(['one', 1]);
  });

  it('are not used for joins with stored rows, because SQLite would read all of them', () => {
    const change = { key: 'name', properties: ['value'], records: counters(1_000) } as const;
    const update = new TenantScope(null as never, 7).updateOf(countersTable, change);
    const { text, parameters } = render(update, lendingDialect.writer);
    expect(text)
      .to.match(/json_each/)
      .and.not.to.match(/bw_lent/);
    expect(parameters).to.have.length(2);
  });
});
