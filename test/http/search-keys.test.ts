import { eachDatabase, expect, list, populate, serveOnce } from '../support/http/index.ts';

type Row = Readonly<Record<string, unknown>>;

eachDatabase.describe('search keys in paths', (open) => {
  const serving = serveOnce(open);
  before(async () => {
    await populate(serving);
    for (const body of [
      { name: 'Zoë', email: 'zoe@x.org', company: 'R&D 50%' },
      { name: 'Ann', email: 'ann+b@x.org', notes: 'a%40b' },
    ])
      await serving.post('/accounts', body);
  });

  const found = async (key: string) =>
    (await list(serving, `/1.0/kb/accounts/search/${key}`)).map((row) => (row as Row).name);

  it('are decoded if they were encoded twice, whether they are plain text or in operator form', async () => {
    expect(await found('zoe%2540x.org')).to.eql(['Zoë']);
    expect(await found('Zo%25C3%25AB')).to.eql(['Zoë']);
    expect(await found('_q%253D1%2526name%253DAnn')).to.eql(['Ann']);
    expect(await found('zoe%2540x.org?offset=-1&limit=1')).to.eql(['Zoë']);
    expect(await found('50%25')).to.eql(['Zoë']);
  });

  it('are decoded if the values of their clauses were encoded twice', async () => {
    for (const [clause, names] of [
      ['email=ann%252Bb%2540x.org', ['Ann']],
      ['name=Zo%25C3%25AB', ['Zoë']],
      ['company=R%2526D%252050%2525', ['Zoë']],
      ['company[like]=R%2526D%25', ['Zoë']],
      ['email[like]=%2525%2540x.org', ['Zoë', 'Ann']],
      ['email[like]=%25%40x.org', ['Zoë', 'Ann']],
      // If the value itself looks encoded, its percent sign is encoded again.
      ['notes=a%252540b', ['Ann']],
    ] as const)
      expect(await found(`_q=1&${clause}`), clause).to.eql(names);
  });
});
