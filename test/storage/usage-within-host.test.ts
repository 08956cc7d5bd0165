import type { TenantRef } from '../../lib/index.ts';
import { eachDatabase, expect, type Host, hostOf, type TestDatabase } from '../support/index.ts';
import { openStorage, rejection } from '../support/storage/opened-storage.ts';
import { author } from '../support/storage/stored-records.ts';
import {
  daysOfPoints,
  point,
  recordSubmissions,
  storedDays,
  storedPoints,
  submission,
} from '../support/storage/stored-usage.ts';

eachDatabase.describe('usage in a host transaction', (open, kind) => {
  let host: Host;
  let database: TestDatabase;
  let tenant: TenantRef;
  before(async () => {
    const opened = await openStorage(kind, open);
    ({ database, tenant } = opened);
    await opened.storage.close();
    host = hostOf(database);
    await host.storage.prepare();
  });
  after(async () => {
    await host.storage.close();
    await host.close();
  });

  const lines = Array.from({ length: 50 }, (_, index) =>
    submission(`k${index}`, [point(`u${index % 3}`, `${index}.5`, index % 2)]),
  );

  it('is stored together with the host’s changes or not at all', async () => {
    const undone = host.transaction(async (em) => {
      expect(await recordSubmissions({ storage: host.storage.within(em), tenant }, lines)).to.include(
        'ACCEPTED',
      );
      throw new Error('the host thinks better of it');
    });
    expect((await rejection(undone)).message).to.equal('the host thinks better of it');
    expect(await storedPoints(database)).to.eql([]);
    await host.transaction(async (em) => {
      const inside = host.storage.within(em);
      const outcomes = await recordSubmissions({ storage: inside, tenant }, lines);
      expect(new Set(outcomes)).to.eql(new Set(['ACCEPTED']));
      expect(await recordSubmissions({ storage: inside, tenant }, lines.slice(0, 2))).to.eql([
        'DUPLICATE',
        'DUPLICATE',
      ]);
      const voided = await inside.write(tenant, author(), (session) => session.usage.voidSubmission(1, 'k7'));
      expect(voided).to.equal('VOID');
    });
    const points = await storedPoints(database);
    expect(points).to.have.length(50);
    expect(points.filter(({ isVoided }) => isVoided)).to.have.length(1);
    expect(await storedDays(database)).to.eql(daysOfPoints(points));
  });
});
