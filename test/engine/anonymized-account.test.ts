import { tables } from '../../adapters/mikro-orm/tables/index.ts';
import { AuditLevel, ObjectType } from '../../lib/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, expectCode, rowsOf } from '../support/index.ts';

const personal = {
  name: 'Ada Lovelace',
  email: 'ada@secret.example',
  company: 'Analytical Secrets',
  legalName: 'Analytical Secrets Limited',
  taxId: 'SECRET-4711',
  address1: 'Secret Street 1',
  address2: 'Secret door',
  city: 'Secretville',
  state: 'Secretshire',
  postalCode: 'SEC 1',
  phone: '+44 secret',
  notes: 'a secret note',
};
const later = { name: 'Ada Byron', notes: 'another secret note' };
const emails = ['one@secret.example', 'two@secret.example', 'gone@secret.example'];
const old = [...Object.values(personal), ...Object.values(later), ...emails];

eachDatabaseByTurns.describe('anonymized account', (open) => {
  const engine = engineBeforeEach(open, { now: '2025-03-10T09:15:30Z' });

  async function customer() {
    const account = await engine.acme.createAccount({
      ...personal,
      externalKey: 'kept-key',
      currency: 'USD',
      country: 'GB',
      firstNameLength: 3,
    });
    for (const email of emails) await engine.acme.accounts.addEmail(account.id, email);
    await engine.acme.accounts.removeEmail(account.id, 'gone@secret.example');
    await engine.acme.updateAccount(account.id, { changes: later });
    return account;
  }

  async function placesOf(texts: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { name } of tables) {
      const whole = JSON.stringify(await rowsOf(engine.database, `select * from ${name}`), (_key, value) =>
        typeof value === 'bigint' ? String(value) : value,
      ).toLowerCase();
      for (const text of texts) if (whole.includes(text.toLowerCase())) found.push(`${name}: ${text}`);
    }
    return found;
  }

  it('leaves no personal data in any table, and keeps all other data', async () => {
    const { id } = await customer();
    expect((await placesOf(old)).length).to.be.greaterThan(old.length);
    await engine.acme.anonymizeAccount(id);
    expect(await placesOf(old)).to.eql([]);
    const account = await engine.acme.getAccount(id);
    expect(account).to.include({
      name: 'anonymized',
      email: 'anonymized',
      legalName: 'anonymized',
      taxId: 'anonymized',
      externalKey: 'kept-key',
      currency: 'USD',
      country: 'GB',
      locale: null,
      firstNameLength: null,
    });
    expect(await engine.acme.accounts.emails(id)).to.eql([]);
  });

  it('keeps its dated history and an audit row of the call, and leaves other accounts unchanged', async () => {
    const { id } = await customer();
    const other = await engine.acme.createAccount({ name: 'Someone else' });
    const before = await engine.acme.audit.history({ type: ObjectType.ACCOUNT, id });
    await engine.acme.anonymizeAccount(id);
    const after = await engine.acme.audit.history({ type: ObjectType.ACCOUNT, id });
    expect(after.map(({ changeType }) => changeType)).to.eql(['INSERT', 'UPDATE', 'UPDATE']);
    expect(after.slice(0, 2).map(({ id: row, changeDate }) => [row, changeDate])).to.eql(
      before.map(({ id: row, changeDate }) => [row, changeDate]),
    );
    for (const { snapshot } of after)
      expect(snapshot).to.include({ name: 'anonymized', companyName: 'anonymized', externalKey: 'kept-key' });
    expect((await engine.acme.getAccount(other.id)).name).to.equal('Someone else');
    expect((await engine.acme.audit.logs([id], AuditLevel.FULL)).get(id)).to.have.length(3);
  });

  it('is found by its key, not by its name', async () => {
    const { id } = await customer();
    await engine.acme.anonymizeAccount(id);
    expect((await engine.acme.accounts.getByKey('kept-key')).id).to.equal(id);
    expect((await engine.acme.accounts.search('byron', { offset: 0, limit: 10 })).rows).to.eql([]);
  });

  it('can be anonymized again', async () => {
    const { id } = await customer();
    await engine.acme.anonymizeAccount(id);
    await engine.acme.anonymizeAccount(id);
    expect(await placesOf(old)).to.eql([]);
    await expectCode(engine.acme.anonymizeAccount('11111111-1111-4111-8111-111111111111' as typeof id), 3002);
  });
});
