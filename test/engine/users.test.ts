import { eachDatabaseByTurns, engineBefore, expect, expectCode } from '../support/index.ts';

eachDatabaseByTurns('users', (open) => {
  const engine = engineBefore(open, { now: '2025-03-10T09:15:30Z' });

  it('get a new password, which ends the old one and what is remembered of it', async () => {
    const { security } = engine.billing;
    await security.ensureAdministrator('admin', 'first secret');
    await security.ensureAdministrator('other', 'first secret');
    const before = await security.find('admin');
    await security.setPassword('admin', 'second secret');
    expect(await security.authenticate('admin', 'first secret')).to.equal(null);
    const after = await security.authenticate('admin', 'second secret');
    expect(after?.credentialVersion).to.equal((before?.credentialVersion ?? 0) + 1);
    expect(await security.authenticate('other', 'first secret')).to.include({ credentialVersion: 1 });
  });

  it('that are not there get none', async () => {
    const { security } = engine.billing;
    for (const name of ['nobody', 'a\u0000b']) {
      await expectCode(security.setPassword(name, 'secret'), 40001);
    }
  });
});
