import type { Account } from '../../lib/index.ts';
import type { QuotaDraw } from '../../lib/ports/storage/index.ts';
import type { FeatureOverride, New, QuotaUse, TenantRef } from '../../lib/records/index.ts';
import { decimal, formatDecimal } from '../../lib/values/money/index.ts';
import { addMilliseconds, localDate } from '../../lib/values/time/index.ts';
import { eachDatabase, expect } from '../support/index.ts';
import { freshStorage } from '../support/storage/opened-storage.ts';
import { author, newId, now } from '../support/storage/stored-records.ts';

const DAY_MS = 86_400_000;
const periodStart = localDate(2026, 4, 1);

eachDatabase.describe('feature storage', (open, kind) => {
  const opened = freshStorage(kind, open);
  let account: Account;
  let stranger: TenantRef;
  beforeEach(async () => {
    [account] = await opened.newAccounts(1);
    stranger = await opened.newTenant();
  });

  const drawOf = (amount: string, most: string | null = null, feature = 'calls'): QuotaDraw => ({
    accountRecordId: account.recordId,
    ownerId: account.id,
    feature,
    periodStart,
    amount: decimal(amount),
    limits: most === null ? null : [{ announced: 0, upTo: decimal(most) }],
    keepUntil: addMilliseconds(now, 70 * DAY_MS),
  });

  const draw = async (...given: Parameters<typeof drawOf>): Promise<string | null> => {
    const drawn = await opened.write(({ features }) => features.draw(drawOf(...given)));
    return drawn === null ? null : formatDecimal(drawn.used);
  };

  const counters = () => opened.read(({ features }) => features.counters([drawOf('1')]));

  const useOf = (key: string): New<QuotaUse> => ({
    id: newId(),
    accountRecordId: account.recordId,
    feature: 'calls',
    key,
    amount: decimal('0.0000000001'),
    outcome: {
      allowed: true,
      used: '1',
      remaining: '2.5',
      overage: '0',
      resetsAt: now,
      draws: [{ ownerId: account.id, periodStart, amount: '1' }],
      billed: { subscriptionRecordId: 7, trackingId: key },
    },
    isReleased: false,
    createdDate: now,
  });

  const findUse = ({ accountRecordId, feature, key }: New<QuotaUse>, since = now) =>
    opened.read(({ features }) => features.findUse({ accountRecordId, feature, key, since }));

  const overrideOf = (changes: Partial<FeatureOverride> = {}): New<FeatureOverride> => ({
    id: newId(),
    accountId: account.id,
    accountRecordId: account.recordId,
    subscriptionId: null,
    feature: 'seats',
    kind: 'NUMBER',
    value: { value: 'UNLIMITED', per: null, overage: null, perQuantity: null },
    reason: 'launch offer',
    from: now,
    until: null,
    createdDate: now,
    updatedDate: now,
    ...changes,
  });

  it('adds amounts to a counter exactly, and never beyond its limit', async () => {
    expect(await draw('0.3', '1')).to.equal('0.3');
    expect(await draw('0.6999999999', '1')).to.equal('0.9999999999');
    expect(await draw('0.0000000002', '1')).to.equal(null);
    expect(await draw('0.0000000001', '1')).to.equal('1');
    expect(await draw('0.0000000001', '1')).to.equal(null);
    expect(await draw('999999999999998.5')).to.equal('999999999999999.5');
    const [counter] = await counters();
    expect(formatDecimal(counter?.used ?? decimal(0))).to.equal('999999999999999.5');
  });

  it('accepts limits beyond the range of a 64-bit integer', async () => {
    const limit = '1999999999999998000000';
    expect([await draw('5', limit), await draw('999999999999999', limit)]).to.eql(['5', '1000000000000004']);
  });

  it('returns released amounts to counters exactly', async () => {
    await draw('5.25');
    await opened.write(({ features }) => features.giveBack(drawOf('1.75')));
    expect(await draw('0.5')).to.equal('4');
  });

  it('keeps the highest announced threshold of a counter', async () => {
    await draw('8');
    await opened.write(({ features }) => features.announce([{ ...drawOf('0'), announced: 80 }]));
    const drawn = await opened.write(({ features }) => features.draw(drawOf('1')));
    expect(drawn?.announced).to.equal(80);
  });

  it('stores the thresholds of several counters, and leaves other counters unchanged', async () => {
    const counters = [drawOf('1'), drawOf('2', null, 'seats'), drawOf('3', null, 'rows')];
    for (const each of counters) await opened.write(({ features }) => features.draw(each));
    const reached = counters.slice(1).map((counter, index) => ({ ...counter, announced: 80 + index }));
    await opened.write(({ features }) => features.announce(reached));
    const announced = await opened.write(async ({ features }) => {
      const drawn = await Promise.all(counters.map((each) => features.draw(each)));
      return drawn.map((counter) => counter?.announced);
    });
    expect(announced).to.eql([0, 80, 81]);
  });

  it('draws quota outside transactions, up to the limit of the last announced threshold', async () => {
    const limits = [
      { announced: 0, upTo: decimal('7.9') },
      { announced: 80, upTo: decimal('10') },
    ];
    const drawAlone = async (amount: string) => {
      const drawn = await opened.storage.drawQuota(opened.tenant, { ...drawOf(amount), limits });
      return drawn === null ? null : formatDecimal(drawn.used);
    };
    expect([await drawAlone('7'), await drawAlone('0.9'), await drawAlone('0.1')]).to.eql(['7', '7.9', null]);
    await opened.write(({ features }) => features.announce([{ ...drawOf('0'), announced: 80 }]));
    expect([await drawAlone('2.1'), await drawAlone('0.0000000001')]).to.eql(['10', null]);
  });

  it('lists accounts and override kinds by feature', async () => {
    await opened.write(({ features }) =>
      features.insertOverrides([overrideOf(), overrideOf({ feature: 'sso', kind: 'SWITCH' }), overrideOf()]),
    );
    const accounts = (features: readonly string[] | null, afterRecordId = 0) =>
      opened.read((session) =>
        session.features.accountsWithOverrides({ features, afterRecordId, limit: 10 }),
      );
    expect(await accounts(['seats'])).to.eql([account.recordId]);
    expect(await accounts(null)).to.eql([account.recordId]);
    expect([await accounts(['rows']), await accounts([]), await accounts(null, account.recordId)]).to.eql([
      [],
      [],
      [],
    ]);
    const kinds = await opened.read(({ features }) => features.kindsOfOverrides(['seats', 'sso', 'rows']));
    expect(kinds).to.eql([
      { feature: 'seats', kind: 'NUMBER' },
      { feature: 'sso', kind: 'SWITCH' },
    ]);
  });

  it('stores each key once per feature', async () => {
    const use = useOf('k');
    const [first, second] = await opened.write(async ({ features }) => [
      await features.insertUse(use, now),
      await features.insertUse({ ...useOf('k'), amount: decimal(2) }, now),
    ]);
    expect([first, second]).to.eql([true, false]);
    const found = await findUse(use);
    expect(found).to.deep.include({ ...use, recordId: found?.recordId });
    expect(await findUse({ ...use, feature: 'seats' })).to.equal(null);
    const released = () => opened.write(({ features }) => features.releaseUse(use.id));
    expect([await released(), await released()]).to.eql([true, false]);
  });

  it('replaces a use that is older than the retention period of keys', async () => {
    const use = useOf('k');
    const later = addMilliseconds(now, DAY_MS);
    const newer = { ...useOf('k'), amount: decimal(2), createdDate: later };
    await opened.write(({ features }) => features.insertUse({ ...use, isReleased: true }, now));
    expect([await findUse(use), await findUse(use, later)].map((found) => found?.id)).to.eql([
      use.id,
      undefined,
    ]);
    expect(await opened.write(({ features }) => features.insertUse(newer, later))).to.equal(true);
    const found = await findUse(use, later);
    expect(found).to.deep.include({ ...newer, recordId: found?.recordId });
  });

  it('returns stored overrides with their history', async () => {
    const override = overrideOf();
    await opened.write(({ features }) => features.insertOverrides([override]));
    const ended = addMilliseconds(now, DAY_MS);
    const [stored] = await opened.read(({ features }) => features.overridesOfAccounts([account.id]));
    expect(stored).to.deep.include(override);
    if (stored === undefined) throw new Error('the override is missing');
    await opened.write(({ features }) =>
      features.endOverrides([{ ...stored, until: ended, updatedDate: ended }]),
    );
    const [after] = await opened.read(({ features }) => features.findOverrides([override.id]));
    expect(after).to.deep.include({ until: ended, reason: 'launch offer' });
  });

  it('hides features from other tenants', async () => {
    const override = overrideOf();
    const use = useOf('k');
    await opened.write(async ({ features }) => {
      await features.insertOverrides([override]);
      await features.insertUse(use, now);
    });
    await draw('1');
    const found = await opened.storage.read(stranger, async ({ features }) => [
      ...(await features.overridesOfAccounts([account.id])),
      ...(await features.findOverrides([override.id])),
      ...(await features.counters([drawOf('1')])),
      ...(await features.kindsOfOverrides(['seats'])),
      ...(await features.accountsWithOverrides({ features: null, afterRecordId: 0, limit: 10 })),
      await features.findUse({ ...use, since: now }),
    ]);
    expect(found).to.eql([null]);
    await opened.storage.write(stranger, author(), async ({ features }) => {
      await features.giveBack(drawOf('1'));
      expect(await features.releaseUse(use.id)).to.equal(false);
      await features.announce([{ ...drawOf('1'), announced: 80 }]);
    });
    await opened.storage.drawQuota(stranger, drawOf('5'));
    expect(await draw('1')).to.equal('2');
  });

  it('deletes keys and counters that are no longer needed', async () => {
    await draw('1');
    await opened.write(({ features }) => features.insertUse(useOf('k'), now));
    const after = (days: number) => addMilliseconds(now, days * DAY_MS);
    const left = async () => [(await counters()).length, (await findUse(useOf('k'))) === null ? 0 : 1];
    await opened.storage.system.purgeQuotas({ uses: now, counters: after(70) }, 100);
    expect(await left()).to.eql([1, 1]);
    await opened.storage.system.purgeQuotas({ uses: after(1), counters: after(71) }, 100);
    expect(await left()).to.eql([0, 0]);
  });
});
