import { ErrorCode, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { codeOf, engineBeforeEach, expect, expectCode, openShop, rowsOf } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';

const unknownId = '11111111-1111-4111-8111-111111111111' as Uuid;

const IN_USE = ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS;

eachDatabaseByTurns.describe('bundle key handling', (open) => {
  let ada: Account;
  let grace: Account;

  const engine = engineBeforeEach(open, { now: '2024-01-01T08:00:00Z' });
  beforeEach(async () => {
    ada = await engine.acme.createAccount({ currency: 'USD' });
    grace = await engine.acme.createAccount({ currency: 'USD' });
  });

  const subscribe = async (bundleExternalKey: string, parts: Partial<Making> = {}) => {
    const { account = ada, planName = 'solo-now', ...options } = parts;
    return engine.acme.createSubscription({ accountId: account.id, bundleExternalKey, planName }, options);
  };

  const idsOf = async (key: string) =>
    (await engine.acme.bundles.allOfKey(key)).map(({ bundleId }) => bundleId);
  const storedKeyOf = async (id: Uuid) =>
    (await engine.acme.audit.history({ type: 'BUNDLE', id })).at(-1)?.snapshot?.externalKey;

  describe('for lookups (subscriptions §17.1)', () => {
    it('finds a bundle by its id and by its key', async () => {
      const { bundleId } = await subscribe('K');
      const found = await engine.acme.bundles.get(bundleId);
      expect(found).to.deep.include({ bundleId, accountId: ada.id, externalKey: 'K' });
      expect((await engine.acme.bundles.getByKey('K')).bundleId).to.equal(bundleId);
    });

    it('does not find a canceled bundle by its key, but includes the bundle in the list of all bundles with the key', async () => {
      const { bundleId, subscriptionId } = await subscribe('K');
      await engine.cancelNow(subscriptionId);
      await expectCode(engine.acme.bundles.getByKey('K'), 'SUBSCRIPTION_GET_INVALID_BUNDLE_KEY');
      expect(await idsOf('K')).to.eql([bundleId]);
    });

    it('finds an expired bundle by its key, because its service was never canceled', async () => {
      const { bundleId } = await subscribe('K', { planName: 'term-3m' });
      await engine.runTo('2024-06-01');
      expect((await engine.acme.bundles.getByKey('K')).bundleId).to.equal(bundleId);
    });

    it('finds no bundle for an unknown id or key', async () => {
      const { bundles } = engine.acme;
      await expectCode(bundles.get(unknownId), 'SUBSCRIPTION_GET_INVALID_BUNDLE_ID');
      await expectCode(bundles.getByKey('none'), 'SUBSCRIPTION_GET_INVALID_BUNDLE_KEY');
      await expectCode(bundles.allOfKey('none'), 'SUBSCRIPTION_GET_INVALID_BUNDLE_KEY');
      await expectCode(bundles.getByKey('\u0000'), 'MISSING_OR_INVALID_FIELD');
    });
  });

  describe('at creation (subscriptions §17.2)', () => {
    it('moves the key of an ended bundle to a new bundle, but shows the key on both bundles', async () => {
      const first = await subscribe('K');
      await engine.cancelNow(first.subscriptionId);
      engine.clock.set('2024-02-01T08:00:00Z');
      const second = await subscribe('K');
      expect(second.bundleId).not.to.equal(first.bundleId);
      expect((await engine.acme.bundles.getByKey('K')).bundleId).to.equal(second.bundleId);
      expect(await idsOf('K')).to.eql([first.bundleId, second.bundleId]);
      const all = await engine.acme.subscriptions.bundlesOfAccount(ada.id);
      expect(all.map(({ externalKey }) => externalKey)).to.eql(['K', 'K']);
      expect(await storedKeyOf(first.bundleId)).to.match(/^kbcncl-\d+:K$/);
      expect(await storedKeyOf(second.bundleId)).to.equal('K');
    });

    it('moves the key to a third bundle, together with the original creation date of the first bundle', async () => {
      const made: Uuid[] = [];
      for (const day of ['2024-01-01', '2024-02-01', '2024-03-01']) {
        engine.clock.set(`${day}T08:00:00Z`);
        const { bundleId, subscriptionId } = await subscribe('K');
        await engine.cancelNow(subscriptionId);
        made.push(bundleId);
      }
      expect(await idsOf('K')).to.eql(made);
      for (const id of made) {
        const [row] = await engine.acme.audit.history({ type: 'BUNDLE', id });
        expect(row?.snapshot?.originalCreatedDate).to.equal('2024-01-01T08:00:00.000Z');
      }
    });

    it('moves the key of an expired bundle to a new bundle, even on another account', async () => {
      const first = await subscribe('K', { planName: 'term-3m' });
      await engine.runTo('2024-06-01');
      const second = await subscribe('K', { account: grace });
      expect(await idsOf('K')).to.eql([first.bundleId, second.bundleId]);
      expect((await engine.acme.bundles.getByKey('K')).accountId).to.equal(grace.id);
    });

    const keepingKey = { renameKeyIfExistsAndUnused: false };
    const kept: readonly (readonly [name: string, ends: boolean, parts: Partial<Making>])[] = [
      ['renaming is not allowed', true, keepingKey],
      ['renaming is not allowed for another account', true, { ...keepingKey, of: 'grace' }],
      ['the bundle still runs on another account', false, { of: 'grace' }],
    ];
    for (const [name, ends, { of, ...parts }] of kept)
      it(`keeps the key of the bundle and stores nothing if ${name}`, async () => {
        const first = await subscribe('K');
        if (ends) await engine.cancelNow(first.subscriptionId);
        const account = of === 'grace' ? grace : ada;
        await expectCode(subscribe('K', { ...parts, account }), IN_USE);
        expect(await idsOf('K')).to.eql([first.bundleId]);
        expect(await engine.acme.subscriptions.bundlesOfAccount(grace.id)).to.eql([]);
        expect(await storedKeyOf(first.bundleId)).to.equal('K');
      });

    it('keeps the key of a bundle until the billing of the bundle ends', async () => {
      const first = await subscribe('K');
      const inMarch = { requestedDate: '2024-03-01', useRequestedDateForBilling: true };
      await engine.acme.subscriptions.cancel(first.subscriptionId, inMarch);
      await expectCode(subscribe('K', { account: grace }), IN_USE);
      await expectCode(subscribe('K'), 'SUBSCRIPTION_CREATE_BP_EXISTS');
    });

    it('gives the key to only one of two bundles that are created simultaneously', async () => {
      await engine.cancelNow((await subscribe('K')).subscriptionId);
      const codes = await Promise.all([ada, grace].map((account) => codeOf(subscribe('K', { account }))));
      expect(codes.toSorted()).to.eql([IN_USE, 'no error']);
      expect(await idsOf('K')).to.have.length(2);
    });

    it('accepts a key that looks like the stored form of another key', async () => {
      const first = await subscribe('K');
      await engine.cancelNow(first.subscriptionId);
      await subscribe('K');
      const lookalike = String(await storedKeyOf(first.bundleId));
      const { bundleId } = await subscribe(lookalike);
      expect((await engine.acme.bundles.get(bundleId)).externalKey).to.equal(lookalike);
      expect(await idsOf(lookalike)).to.eql([bundleId]);
    });
  });

  describe('for renames (subscriptions §17.3)', () => {
    it('finds a bundle under its new key, and prevents other bundles from taking that key', async () => {
      const { bundles } = engine.acme;
      const { bundleId, subscriptionId } = await subscribe('K');
      await bundles.renameKey(bundleId, 'J');
      expect((await bundles.getByKey('J')).bundleId).to.equal(bundleId);
      expect((await engine.acme.getSubscription(subscriptionId)).bundleExternalKey).to.equal('J');
      await expectCode(bundles.getByKey('K'), 'SUBSCRIPTION_GET_INVALID_BUNDLE_KEY');
      const second = await subscribe('K', { account: grace });
      await expectCode(bundles.renameKey(second.bundleId, 'J'), IN_USE);
      expect((await bundles.getByKey('K')).bundleId).to.equal(second.bundleId);
    });

    it('rejects a rename to the key of an ended bundle, although a new bundle could take that key', async () => {
      const { bundles } = engine.acme;
      await engine.cancelNow((await subscribe('K')).subscriptionId);
      const { bundleId } = await subscribe('J');
      await expectCode(bundles.renameKey(bundleId, 'K'), IN_USE);
    });

    it('assigns a new key to a bundle that has lost its key', async () => {
      const { bundles } = engine.acme;
      const first = await subscribe('K');
      await engine.cancelNow(first.subscriptionId);
      await subscribe('K');
      await bundles.renameKey(first.bundleId, 'former K');
      expect((await bundles.get(first.bundleId)).externalKey).to.equal('former K');
      expect(await storedKeyOf(first.bundleId)).to.equal('former K');
    });

    it('changes nothing if the key stays the same', async () => {
      const { bundleId } = await subscribe('K');
      await engine.acme.bundles.renameKey(bundleId, 'K');
      expect(await engine.acme.audit.history({ type: 'BUNDLE', id: bundleId })).to.have.length(1);
    });

    it('audits a rename without emitting an event', async () => {
      const { bundleId } = await engine.settle(subscribe('K'));
      await engine.acme.bundles.renameKey(bundleId, 'J');
      const rows = await engine.acme.audit.history({ type: 'BUNDLE', id: bundleId });
      expect(rows.map(({ changeType, snapshot }) => [changeType, snapshot?.externalKey])).to.eql([
        ['INSERT', 'K'],
        ['UPDATE', 'J'],
      ]);
      const { subscriptions } = await engine.acme.bundles.get(bundleId);
      expect(subscriptions[0]?.events).to.have.length(2);
    });

    it('lists a renamed bundle once under each of its past and current keys, always with its current key', async () => {
      const first = await subscribe('K');
      const keysOf = async (key: string) =>
        (await engine.acme.bundles.allOfKey(key)).map(({ externalKey }) => externalKey);
      for (const key of ['J', 'K', 'J', 'L']) await engine.acme.bundles.renameKey(first.bundleId, key);
      for (const key of ['K', 'J', 'L']) {
        expect(await idsOf(key), key).to.eql([first.bundleId]);
        expect(await keysOf(key), key).to.eql(['L']);
      }
      const second = await subscribe('K');
      await engine.cancelNow(second.subscriptionId);
      const third = await subscribe('K', { account: grace });
      expect(await storedKeyOf(second.bundleId)).to.match(/^kbcncl-\d+:K$/);
      const all = [first, second, third].map(({ bundleId }) => bundleId);
      expect(await idsOf('K')).to.eql(all);
      expect(await keysOf('K')).to.eql(['L', 'K', 'K']);
      await engine.acme.bundles.renameKey(second.bundleId, 'M');
      await engine.acme.bundles.renameKey(first.bundleId, 'J');
      expect(await idsOf('K')).to.eql(all);
      expect(await keysOf('K')).to.eql(['J', 'M', 'K']);
      expect(await idsOf('J')).to.eql([first.bundleId]);
    });

    it('releases the old key, so that lookup, search and creation no longer relate the key to the renamed bundle', async () => {
      const { bundles } = engine.acme;
      const first = await subscribe('K');
      await bundles.renameKey(first.bundleId, 'J');
      await expectCode(bundles.getByKey('K'), 'SUBSCRIPTION_GET_INVALID_BUNDLE_KEY');
      const found = await bundles.search('K', { offset: 0, limit: 10 });
      expect([found.rows, found.total]).to.eql([[], 0]);
      engine.clock.set('2024-02-01T08:00:00Z');
      const second = await subscribe('K', { renameKeyIfExistsAndUnused: false });
      const [made] = await engine.acme.audit.history({ type: 'BUNDLE', id: second.bundleId });
      expect(made?.snapshot?.originalCreatedDate).to.equal('2024-02-01T08:00:00.000Z');
      await bundles.renameKey(second.bundleId, 'L');
      await bundles.renameKey(first.bundleId, 'K');
      expect((await bundles.getByKey('K')).bundleId).to.equal(first.bundleId);
    });

    it('stores nothing in any tenant if a rename is rejected', async () => {
      const first = await subscribe('K');
      const { bundleId } = await subscribe('J', { account: grace });
      await expectCode(engine.acme.bundles.renameKey(first.bundleId, 'J'), IN_USE);
      await engine.acme.bundles.renameKey(bundleId, 'L');
      expect(await idsOf('L')).to.eql([bundleId]);
      const keys = 'select external_key from bw_former_bundle_keys';
      expect(await rowsOf(engine.database, keys)).to.eql([{ external_key: 'J' }]);
      const { bundles } = (await openShop(engine.billing, null)).acme;
      await expectCode(bundles.allOfKey('J'), 'SUBSCRIPTION_GET_INVALID_BUNDLE_KEY');
    });

    const refused = [
      ['no key', '', 'MISSING_OR_INVALID_FIELD'],
      ['a key of null', null, 'MISSING_OR_INVALID_FIELD'],
      ['a key that is too long', 'x'.repeat(256), 'EXTERNAL_KEY_LIMIT_EXCEEDED'],
      ['a key that cannot be stored', 'a\u0000', 'MISSING_OR_INVALID_FIELD'],
    ] as const;
    for (const [name, key, code] of refused)
      it(`rejects ${name}`, async () => {
        const { bundleId } = await subscribe('K');
        await expectCode(engine.acme.bundles.renameKey(bundleId, key), code);
        expect((await engine.acme.bundles.get(bundleId)).externalKey).to.equal('K');
      });

    it('rejects an unknown bundle', () =>
      expectCode(engine.acme.bundles.renameKey(unknownId, 'J'), 'SUBSCRIPTION_GET_INVALID_BUNDLE_ID'));
  });
});

interface Making {
  readonly account: Account;
  readonly of: 'grace';
  readonly planName: string;
  readonly renameKeyIfExistsAndUnused: boolean;
}
