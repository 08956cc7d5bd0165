import type { Account } from '../../lib/index.ts';
import type { ReadSession } from '../../lib/ports/storage/index.ts';
import { instant } from '../../lib/values/time/index.ts';
import { eachDatabase, expect } from '../support/index.ts';
import { catalogEntry, planRow } from '../support/storage/entry-records.ts';
import { sharedStorage } from '../support/storage/opened-storage.ts';
import { lifecycleEvent, newId, now, overridePlan, ownerOf } from '../support/storage/stored-records.ts';

eachDatabase.describe('catalog entry storage', (open, kind) => {
  const opened = sharedStorage(kind, open);
  const { writing } = opened;
  let acme: Account;
  before(async () => {
    [acme] = await opened.newAccounts(1);
  });

  const read = <T>(work: (session: ReadSession) => Promise<T>): Promise<T> => opened.read(work);
  const withoutIds = (records: readonly { readonly recordId: number }[]): readonly unknown[] =>
    records.map(({ recordId: _, ...record }) => record);

  it('preserves entries, sorts them by scope, name and parent, and increments the revision', async () => {
    const ofTenant = catalogEntry({ product: null });
    const ofAccount = catalogEntry({ accountId: acme.id, accountRecordId: acme.recordId, plan: null });
    const named = catalogEntry({ kind: 'CATALOG', name: 'Pots', parentId: null, product: null, plan: null });
    const before = await read(({ catalogs }) => catalogs.revision());
    expect(await read(({ catalogEntries }) => catalogEntries.existForAccounts())).to.equal(false);
    await writing.catalogEntries.apply({ addedEntries: [ofTenant, ofAccount, named] });
    const found = await read(async ({ catalogEntries }) => ({
      scope: await catalogEntries.ofScope(null),
      account: await catalogEntries.ofScope(acme.recordId),
      accounts: await catalogEntries.ofAccounts([acme.id, newId()]),
      named: await catalogEntries.named([ofAccount.name]),
      children: await catalogEntries.childrenOf([ofTenant.parentId ?? newId()]),
      exist: await catalogEntries.existForAccounts(),
    }));
    expect(withoutIds(found.scope)).to.eql([ofTenant, named]);
    expect(withoutIds(found.account)).to.eql([ofAccount]);
    expect(withoutIds(found.accounts)).to.eql([ofAccount]);
    expect(withoutIds(found.named)).to.eql([ofAccount, named]);
    expect(withoutIds(found.children)).to.eql([ofTenant]);
    expect(found.exist).to.equal(true);
    expect(await read(({ catalogs }) => catalogs.revision())).to.equal(before + 1);
  });

  it('preserves plan rows exactly, sorted by date and creation', async () => {
    const planName = newId();
    const rows = [
      planRow({ planName, effectiveDate: instant(now + 1), effectiveDateForExistingSubscriptions: null }),
      planRow({ planName, createdOrder: 3, retired: false }),
      planRow({ planName, createdOrder: 2 }),
    ] as const;
    const before = await read(({ catalogs }) => catalogs.revision());
    await writing.catalogEntries.apply({ addedRows: rows });
    const found = await read(({ catalogEntries }) => catalogEntries.rowsOf([planName]));
    expect(withoutIds(found)).to.eql(
      [rows[2], rows[1], rows[0]].map((row) => ({ ...row, sinceRevision: before + 1 })),
    );
  });

  it('lists the plans that have rows in later revisions, in both scopes', async () => {
    const [early, late] = [newId(), newId()];
    await writing.catalogEntries.apply({ addedRows: [planRow({ planName: early })] });
    const between = await read(({ catalogs }) => catalogs.revision());
    const { recordId: accountRecordId } = acme;
    const added = [
      planRow({ planName: late }),
      planRow({ planName: late, createdOrder: 2, accountRecordId }),
    ];
    await writing.catalogEntries.apply({ addedRows: added });
    const changedSince = (revision: number) =>
      read(({ catalogEntries }) => catalogEntries.plansChangedSince(revision));
    expect(await changedSince(between + 1)).to.eql([]);
    expect(await changedSince(between)).to.eql([late]);
    expect((await changedSince(between - 1)).toSorted()).to.eql([early, late].toSorted());
  });

  it('finds the accounts that use given plans or override their prices', async () => {
    const [gold, silver, owner] = [newId(), newId(), ownerOf(acme)];
    const own = overridePlan({ planName: `${gold}-1`, parentPlanName: gold });
    const [second] = await opened.newAccounts(1);
    const event = (planName: string, of = owner) =>
      lifecycleEvent(of, { subscriptionId: newId(), planName, isActive: false });
    await opened.write(async (session) => {
      await session.catalogs.insertOverridePlans([own]);
      await session.subscriptions.insertEvents([
        event(silver),
        event(silver),
        event(own.planName, ownerOf(second)),
      ]);
    });
    const accountsOn = (planNames: readonly string[], afterRecordId = 0, limit = 10) =>
      read(({ invoices }) => invoices.accountsOnPlans({ planNames, afterRecordId, limit }));
    expect(await accountsOn([silver])).to.eql([acme.recordId]);
    expect(await accountsOn([gold, 'never', 'nul\0'])).to.eql([second.recordId]);
    expect(await accountsOn([gold, silver])).to.eql([acme.recordId, second.recordId]);
    expect(await accountsOn([gold, silver], 0, 1)).to.eql([acme.recordId]);
    expect(await accountsOn([gold, silver], acme.recordId)).to.eql([second.recordId]);
    expect(await accountsOn([])).to.eql([]);
  });

  it('writes audit rows for additions and deletions with the previous content', async () => {
    const [entry, row] = [catalogEntry(), planRow({ accountRecordId: acme.recordId })];
    await writing.catalogEntries.apply({ addedEntries: [entry], addedRows: [row] });
    const stored = await read(async ({ catalogEntries }) => ({
      erasedEntries: await catalogEntries
        .named([entry.name])
        .then((all) => all.filter(({ id }) => id === entry.id)),
      erasedRows: await catalogEntries.rowsOf([row.planName]),
    }));
    await writing.catalogEntries.apply(stored);
    expect(await read(({ catalogEntries }) => catalogEntries.rowsOf([row.planName]))).to.eql([]);
    const audit = await read((session) => session.audit.findHistories([entry.id, row.id]));
    expect(
      audit.map(({ tableName, changeType, accountRecordId }) => [tableName, changeType, accountRecordId]),
    ).to.have.deep.members([
      ['CATALOG_ENTRIES', 'INSERT', null],
      ['CATALOG_PLAN_ROWS', 'INSERT', acme.recordId],
      ['CATALOG_ENTRIES', 'DELETE', null],
      ['CATALOG_PLAN_ROWS', 'DELETE', acme.recordId],
    ]);
    for (const { tableName, snapshot } of audit) {
      expect(snapshot?.[tableName === 'CATALOG_ENTRIES' ? 'name' : 'planName']).to.equal(
        tableName === 'CATALOG_ENTRIES' ? entry.name : row.planName,
      );
    }
  });

  it('makes plan deletions wait for operations that keep plans, but does not make those operations wait for each other or for uploads', async () => {
    const order: string[] = [];
    const proceed = Promise.withResolvers<void>();
    const kept = Promise.withResolvers<void>();
    const keeper = opened.write(async (session) => {
      await session.catalogs.keepPlans();
      kept.resolve();
      await proceed.promise;
      order.push('kept');
    });
    await kept.promise;
    const deletion = opened.write(async (session) => {
      await session.catalogs.lockForDeletion();
      order.push('deletion');
    });
    // SQLite's writers always wait for each other.
    if (kind === 'postgresql') {
      await opened.write(async (session) => {
        await session.catalogs.keepPlans();
        order.push('other');
      });
    }
    proceed.resolve();
    await Promise.all([keeper, deletion]);
    expect(order).to.eql([...(kind === 'postgresql' ? ['other'] : []), 'kept', 'deletion']);
  });

  it('finds the current and former plans of a subscription', async () => {
    const event = (planName: string, isActive: boolean) =>
      lifecycleEvent(ownerOf(acme), { subscriptionId: newId(), planName, isActive });
    await writing.subscriptions.insertEvents([event('has', true), event('had', false), event('has', true)]);
    const used = await read(({ catalogEntries }) => catalogEntries.usedPlans(['has', 'had', 'never']));
    expect(used.toSorted()).to.eql(['had', 'has']);
  });
});
