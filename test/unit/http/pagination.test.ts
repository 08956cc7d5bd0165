import { expect } from 'chai';
import { paginationHeaders } from '../../../adapters/koa/response/render-answer.ts';

const place = {
  path: '/1.0/kb/accounts/pagination',
  query: new URLSearchParams('offset=2&limit=2&audit=NONE'),
};

const paging = { prefixes: ['X-Service-', 'X-Killbill-'], countThreshold: 20_000 };

function headers(facts: { offset: number; limit: number; total: number; max: number; returned?: number }) {
  const all = paginationHeaders({ returned: Math.abs(facts.limit), ...facts }, place, paging);
  const own = Object.entries(all).filter(([name]) => name.startsWith('X-Service-'));
  return Object.fromEntries(own.map(([name, value]) => [name.replace('X-Service-Pagination-', ''), value]));
}

describe('pagination headers', () => {
  it('link to the next page', () =>
    expect(headers({ offset: 2, limit: 2, total: 5, max: 5 })).to.eql({
      CurrentOffset: '2',
      NextOffset: '4',
      TotalNbRecords: '5',
      MaxNbRecords: '5',
      NextPageUri: '/1.0/kb/accounts/pagination?offset=4&limit=2&audit=NONE',
    }));

  it('have no next link on the last page', () => {
    const last = { CurrentOffset: '4', TotalNbRecords: '5', MaxNbRecords: '9' };
    expect(headers({ offset: 4, limit: 2, total: 5, max: 9 })).to.eql(last);
    expect(headers({ offset: 3, limit: 2, total: 5, max: 9 })).to.eql({ ...last, CurrentOffset: '3' });
  });

  it('contain only the counts if the limit is 0', () =>
    expect(headers({ offset: 0, limit: 0, total: 5, max: 5 })).to.eql({
      CurrentOffset: '0',
      TotalNbRecords: '5',
      MaxNbRecords: '5',
    }));

  it('treat a negative limit as its absolute value', () =>
    expect(headers({ offset: 0, limit: -2, total: 5, max: 5 }).NextOffset).to.equal('2'));

  it('omit the count of a large table', () => {
    expect(headers({ offset: 0, limit: 1, total: 3, max: 20_001 })).to.not.have.property('MaxNbRecords');
    expect(headers({ offset: 0, limit: 1, total: 3, max: 20_000 })).to.have.property('MaxNbRecords', '20000');
  });

  it('omit the counts of a large unfiltered list, and link to the next page while pages are full', () => {
    const large = { offset: 20_000, limit: 10, total: 20_010, max: 20_010 };
    expect(headers(large)).to.eql({
      CurrentOffset: '20000',
      NextOffset: '20010',
      NextPageUri: '/1.0/kb/accounts/pagination?offset=20010&limit=2&audit=NONE',
    });
    expect(headers({ ...large, limit: -10 }).NextOffset).to.equal('20010');
    expect(headers({ ...large, returned: 9 })).to.eql({ CurrentOffset: '20000' });
    expect(headers({ ...large, limit: 0 })).to.eql({ CurrentOffset: '20000' });
    expect(headers({ ...large, total: 30 })).to.eql({ CurrentOffset: '20000', TotalNbRecords: '30' });
  });

  it('are sent with the prefixes X-Service- and X-Killbill-', () => {
    const all = paginationHeaders({ offset: 0, limit: 1, total: 3, max: 3, returned: 1 }, place, paging);
    expect(all['X-Killbill-Pagination-NextOffset']).to.equal('1');
    expect(all['X-Service-Pagination-NextOffset']).to.equal('1');
  });
});
