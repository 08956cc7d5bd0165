import { eachDatabase, expect } from '../support/http/index.ts';
import { createAccount, eve, expectRefusal, expectStatus, serveOnce } from '../support/http/serving.ts';

/** More letters than one pattern can fold. */
const cyrillic = Array.from({ length: 250 }, (_, index) => String.fromCodePoint(0x0430 + index)).join('');

eachDatabase.describe('account search', (open) => {
  const serving = serveOnce(open);
  const names = new Map<string, string>();

  const create = async (name: string, body: object): Promise<void> => {
    names.set(await createAccount(serving, body), name);
  };
  const search = (key: string) => serving.get(`/accounts/search/${key}`);
  const found = async (key: string): Promise<readonly unknown[]> => {
    const reply = expectStatus(await search(key), 200);
    return (reply.json as readonly { accountId: string }[]).map(({ accountId }) => names.get(accountId));
  };

  before(async () => {
    const address2 = 'Poitier';
    await create('A', {
      name: 'Poe 100%',
      company: 'Orbit',
      currency: 'USD',
      address2,
      billCycleDayLocal: 31,
      email: 'Ada@Example.com',
      referenceTime: '2024-01-05T10:00:00Z',
      isMigrated: true,
      notes: 'a&b=c',
    });
    await create('B', { name: 'poe', company: 'Orbit', address2 });
    const max = { name: 'Max', currency: 'EUR', externalKey: 'MAX-ÜBER' };
    await create('D', { ...max, company: 'orbital', city: 'ÖLÜ Straße' });
    await serving.post('/accounts', { name: 'Poe', company: 'Orbit' }, eve);
  });

  describe('in the worked example accounts E10 "Search"', () => {
    for (const [key, expected] of [
      ['orbit', ['A', 'B', 'D']],
      ['100%25', ['A']],
      ['_q=1&address2=Poitier&currency%5Bneq%5D=MXN', ['A']],
      ['_q=1&company_name%5Blike%5D=orb%25&currency=EUR', ['D']],
      ['_q=1&billing_cycle_day_local%5Bgte%5D=31', ['A']],
    ] as const)
      it(`finds ${expected.join(', ')} by ${key}`, async () => expect(await found(key)).to.eql(expected));

    it('rejects a misspelled field', async () => {
      expectRefusal(await search('_q=1&adress2=Poitier'), 400, 60002);
    });

    it('returns the number of matches and the total number of accounts', async () => {
      const reply = await search('orbit?limit=1');
      expect((reply.json as unknown[]).length).to.equal(1);
      const header = (name: string) => reply.headers.get(`x-service-pagination-${name}`);
      expect(['NextOffset', 'TotalNbRecords', 'MaxNbRecords'].map(header)).to.eql(['1', '3', '3']);
      expect(header('NextPageUri')).to.match(/^\/1\.0\/kb\/accounts\/search\/orbit\?/);
    });

    it('finds only an exactly matching account with offset -1 and limit 1', async () => {
      const reply = await search('Orbit?offset=-1&limit=1');
      expect((reply.json as { name: string }[]).map(({ name }) => name)).to.eql(['Poe 100%']);
      const header = (name: string) => reply.headers.get(`x-service-pagination-${name}`);
      const facts = ['CurrentOffset', 'TotalNbRecords', 'MaxNbRecords', 'NextOffset'];
      expect(facts.map(header)).to.eql(['0', '1', null, null]);
      expect(await found('orbit?offset=-1&limit=1')).to.eql([]);
      expect((await search('orbit?offset=-1&limit=2')).status).to.equal(400);
      expect((await search('orbit?offset=-2&limit=1')).status).to.equal(400);
    });
  });

  describe('beyond the worked example', () => {
    it('prefers id, then name, email, external key and company in an exact search', async () => {
      const [id = ''] = [...names].find(([, name]) => name === 'B') ?? [];
      await create('N', { company: 'poe' });
      await create('O', { name: id });
      expect(await found(`${id.toUpperCase()}?offset=-1&limit=1`)).to.eql(['B']);
      expect(await found('poe?offset=-1&limit=1')).to.eql(['B']);
      expect(await found('Ada@Example.com?offset=-1&limit=1')).to.eql(['A']);
      expect(await found('MAX-%C3%9CBER?offset=-1&limit=1')).to.eql(['D']);
    });

    for (const [key, expected] of [
      ['max-%C3%BCber', ['D']],
      ['ada@', ['A']],
      ['%25', ['A']],
      ['_', []],
      ['_q=1&externalKey=MAX-%C3%9CBER', ['D']],
      ['_q=1&name%5Blike%5D=P_e%25', ['A', 'B']],
      ['_q=1&name%5BLIKE%5D=poe', ['B']],
      ['_q=1&city%5Blike%5D=%C3%B6l%C3%BC%25', ['D']],
      ['_q=1&city%5Blike%5D=%C3%96l%C3%9C%20stra%C3%9Fe', ['D']],
      ['_q=1&city%5Blike%5D=%C3%A4l%25', []],
      ['_q=1&isMigrated=TRUE', ['A']],
      ['_q=1&migrated%5Bneq%5D=true', []],
      ['_q=1&reference_time%5Blt%5D=2024-01-06', ['A']],
      ['_q=1&reference_time=2024-01-05T10:00:00Z', ['A']],
      ['_q=1&notes=a%2526b=c', ['A']],
      ['_q=1&created_by=nobody&currency=EUR', []],
      ['_q=1&created_date%5Bgt%5D=2000-01-01&currency=EUR', ['D']],
      ['_q=1&first_name_length%5Bgte%5D=0', []],
    ] as const)
      it(`finds ${expected.join(', ') || 'nothing'} by ${key}`, async () =>
        expect(await found(key)).to.eql(expected));

    for (const key of [
      '_q=1&',
      '_q=1&name',
      '_q=1&name%5Bbetween%5D=a',
      '_q=1&billing_cycle_day_local=first',
      '_q=1&billing_cycle_day_local%5Blike%5D=1%25',
      '_q=1&migrated=yes',
      '_q=1&migrated%5Bgt%5D=true',
      '_q=1&created_date=yesterday',
      '_q=1&id=nobody',
      '_q=1&__proto__=1',
      '_q=1&constructor=1',
    ])
      it(`rejects the search key ${key}`, async () => {
        expectRefusal(await search(key), 400, 60002);
      });

    it('accepts a pattern with more letters than the case-insensitive search supports', async () =>
      expect(await found(`_q=1&city%5Blike%5D=${encodeURIComponent(cyrillic)}%25`)).to.eql([]));

    it('lists all accounts for an empty key, in reverse order with a negative limit', async () => {
      expect((await found('')).slice(0, 3)).to.eql(['A', 'B', 'D']);
      expect(await found('orbit?limit=-2')).to.eql(['D', 'B']);
    });

    it('accepts slashes in the key', async () => {
      await create('S', { name: 'Hand/Foot GmbH' });
      for (const key of ['hand/foot', 'hand%2Ffoot', '/', '%2F']) expect(await found(key)).to.eql(['S']);
    });

    it('finds an account by its new name', async () => {
      const [id = ''] = [...names].find(([, name]) => name === 'D') ?? [];
      await serving.put(`/accounts/${id}`, { name: 'Zoë' });
      expect(await found('zo%C3%AB')).to.eql(['D']);
      expect(await found('Max')).to.eql(['D']);
      expect(await found('_q=1&name=Max')).to.eql([]);
    });
  });
});
