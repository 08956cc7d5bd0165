import type { PaymentMethod } from '../../../lib/index.ts';
import { claimedKey, claimedMethods } from '../../../lib/payments/claims/gateway-claims.ts';
import {
  listedMethods,
  type RefreshFacts,
  refreshedDefault,
  refreshedMethods,
} from '../../../lib/payments/methods/payment-method-refresh.ts';
import { expect, type Uuid } from '../../support/unit.ts';

const id = (letter: string): Uuid => `${letter.repeat(8)}-0000-4000-8000-000000000000` as Uuid;
const [A, B, C, NEW] = [id('a'), id('b'), id('c'), id('0')];

const method = (methodId: Uuid, isActive = true, externalKey: string = methodId) =>
  ({ id: methodId, isActive, externalKey }) as PaymentMethod;
const listed = (paymentMethodId: Uuid | null, members: object = {}) => ({
  paymentMethodId,
  newId: paymentMethodId ?? NEW,
  externalPaymentMethodId: null,
  isDefault: false,
  ...members,
});
const refreshed = (facts: Partial<RefreshFacts>) => {
  const { known = [] } = facts;
  const activeBefore = new Map(known.map((each) => [each.id, each.isActive]));
  return refreshedMethods({ listed: [], known, activeBefore, usedKeys: new Set<string>(), ...facts });
};

describe('payment method refresh (payments §10.5)', () => {
  it('inserts unknown methods, restores deleted methods and deletes absent methods', () => {
    const known = [method(A), method(B, false)];
    const { inserted, changed, active } = refreshed({ known, listed: [listed(B), listed(C)] });
    expect(inserted).to.eql([{ id: C, externalKey: C }]);
    expect(changed).to.eql([method(A, false), method(B)]);
    expect(active.map(({ paymentMethodId }) => paymentMethodId)).to.eql([B, C]);
  });

  it('uses the gateway key as the key of a new method if that key is free, and the method id otherwise', () => {
    const tok = { externalPaymentMethodId: 'tok' };
    expect(refreshed({ listed: [listed(null, tok)] }).inserted).to.eql([{ id: NEW, externalKey: 'tok' }]);
    const usedKeys = new Set(['tok']);
    expect(refreshed({ listed: [listed(C, tok)], usedKeys }).inserted).to.eql([{ id: C, externalKey: C }]);
    expect(refreshed({ listed: [listed(null)] }).inserted).to.eql([{ id: NEW, externalKey: NEW }]);
  });

  it('identifies a method without an id by its key', () => {
    const known = [method(A, true, 'tok')];
    const list = [listed(null, { externalPaymentMethodId: 'tok' }), listed(A)];
    const { inserted, changed } = refreshed({ known, listed: list, usedKeys: new Set(['tok']) });
    expect([inserted, changed]).to.eql([[], []]);
    const twice = [1, 2].map(() => listed(null, { externalPaymentMethodId: 'new' }));
    expect(refreshed({ listed: twice }).inserted).to.eql([{ id: NEW, externalKey: 'new' }]);
  });

  it('keeps changes made since the gateway was queried', () => {
    const known = [method(A), method(B, false)];
    const activeBefore = new Map([[B, true]]);
    expect(refreshed({ known, activeBefore, listed: [listed(B)] }).changed).to.eql([]);
  });

  it('adopts a gateway’s default only if that gateway owns the current default or no default exists', () => {
    const one = refreshed({ known: [method(A)], listed: [listed(A)] });
    const naming = refreshed({ known: [method(B)], listed: [listed(B, { isDefault: true })] });
    const gone = refreshed({ known: [method(A)] });
    const cases: readonly (readonly [Uuid | null, Parameters<typeof refreshedDefault>[1], Uuid | null])[] = [
      [null, [one], null],
      [null, [one, naming], B],
      [A, [one, naming], A],
      [B, [one, naming], B],
      [C, [one, naming], C],
      [A, [gone], null],
      [A, [gone, naming], B],
      [A, [naming, gone], B],
    ];
    for (const [present, results, expected] of cases)
      expect(refreshedDefault(present, results), `${present}`).to.equal(expected);
  });

  it('rejects an invalid list, but drops only the invalid keys of a valid list', () => {
    for (const list of ['x', {}, [null], [7], [{ paymentMethodId: 'x' }]])
      expect(claimedMethods(list as never), JSON.stringify(list)).to.equal(null);
    const [read, numbered] =
      claimedMethods([
        { paymentMethodId: A.toUpperCase() as Uuid, externalPaymentMethodId: 'tok', isDefault: true },
        { externalPaymentMethodId: 7 as never },
      ]) ?? [];
    expect(read).to.eql({ paymentMethodId: A, gatewayId: 'tok', isDefault: true });
    expect(numbered).to.eql({ paymentMethodId: null, gatewayId: '7', isDefault: false });
    const keys = [
      'tok',
      7,
      '',
      'x'.repeat(255),
      'x'.repeat(256),
      'nul \u0000',
      '\ud800',
      null,
      undefined,
      {},
      [],
    ];
    expect(keys.map(claimedKey)).to.eql(['tok', '7', null, 'x'.repeat(255), ...Array(7).fill(null)]);
  });

  it('gives a method known only to the gateway the same id in every listing', async () => {
    const lister = { accountId: A, pluginName: 'vault' };
    const claim = (gatewayId: string | null, paymentMethodId: Uuid | null = null) => ({
      paymentMethodId,
      gatewayId,
      isDefault: false,
    });
    const idsOf = async (list: Parameters<typeof listedMethods>[0], of = lister) =>
      (await listedMethods(list, of)).map(({ newId }) => newId);
    const list = [claim('tok'), claim('x'.repeat(300)), claim(null), claim(null), claim('x', B)];
    const ids = await idsOf(list);
    expect(await idsOf(list)).to.eql(ids);
    expect(new Set(ids).size).to.equal(5);
    expect(ids[4]).to.equal(B);
    expect(await idsOf([...list].reverse())).to.include.members(ids);
    for (const other of [
      { ...lister, pluginName: 'other' },
      { ...lister, accountId: B },
    ])
      expect(await idsOf(list.slice(0, 4), other)).to.not.include.members(ids.slice(0, 1));
    // If the gateway reports one of our ids for an unknown method, that method does not get the id of another.
    const [, , first, second] = ids;
    expect(await idsOf([claim(null), claim(null, first), claim(null, second)])).to.not.include(undefined);
    const [next] = await idsOf([claim(null), claim('x', first ?? null), claim('y', second ?? null)]);
    expect(ids).to.not.include(next);
  });
});
