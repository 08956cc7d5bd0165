import type { CreateSubscriptionRequest } from '../../../lib/subscriptions/requests/create-request.ts';
import { checkCreateRequest } from '../../../lib/subscriptions/requests/create-request.ts';
import { nextId } from '../../support/subscriptions/example.ts';
import { expectError } from '../../support/subscriptions/lifecycle.ts';
import { decimal, ErrorCode, expect, ZERO } from '../../support/unit.ts';

const accountId = nextId();
const byName = { accountId, planName: 'pro-monthly' };
const byProduct = {
  accountId,
  productName: 'Pro',
  productCategory: 'BASE',
  billingPeriod: 'MONTHLY',
  priceList: 'DEFAULT',
} as const;

function without(field: keyof typeof byProduct): CreateSubscriptionRequest {
  return { ...byProduct, [field]: null };
}

describe('create request validation', () => {
  const needed = (field: string) => `SubscriptionJson ${field} needs to be set when no planName is specified`;
  const surplus = (field: string) => `SubscriptionJson ${field} should not be set when planName is specified`;
  const unpriced = 'At least one fixed price, one recurring price or one usage price must be overridden';
  const refused: Readonly<Record<string, readonly [CreateSubscriptionRequest | null, string]>> = {
    'a missing body': [null, 'SubscriptionJson body should be specified'],
    'a missing account': [{ planName: 'pro-monthly' }, 'SubscriptionJson accountId needs to be set'],
    'a missing plan and product': [{ accountId }, needed('productName')],
    'an empty plan name and a missing product': [{ accountId, planName: '' }, needed('productName')],
    'a missing category': [without('productCategory'), needed('productCategory')],
    'a missing period': [without('billingPeriod'), needed('billingPeriod')],
    'a missing list': [without('priceList'), needed('priceList')],
    'plan and product': [{ ...byName, productName: 'Pro' }, surplus('productName')],
    'plan and category': [{ ...byName, productCategory: 'BASE' }, surplus('productCategory')],
    'plan and period': [{ ...byName, billingPeriod: 'MONTHLY' }, surplus('billingPeriod')],
    'plan and list': [{ ...byName, priceList: 'DEFAULT' }, surplus('priceList')],
    'a price override without a price': [{ ...byName, priceOverrides: [{ usagePrices: [] }] }, unpriced],
    'a price override with usage sections without a price': [
      {
        ...byName,
        priceOverrides: [
          { phaseType: 'EVERGREEN', recurringPrice: ZERO },
          { phaseType: 'TRIAL', usagePrices: [{ usageName: 'u', tierPrices: [{ blockPrices: [{}] }] }] },
        ],
      },
      unpriced,
    ],
  };
  for (const [name, [request, message]] of Object.entries(refused))
    it(`rejects ${name}`, () =>
      expectError(() => checkCreateRequest(request), ErrorCode.MISSING_OR_INVALID_FIELD, message));

  for (const billCycleDayLocal of [0, 32, -1, 1.5])
    it(`rejects the bill cycle day ${billCycleDayLocal}`, () =>
      expectError(
        () => checkCreateRequest({ ...byName, billCycleDayLocal }),
        ErrorCode.MISSING_OR_INVALID_FIELD,
      ));

  for (const quantity of [0, -3, 2.5, 2 ** 31])
    it(`rejects the quantity ${quantity}`, () =>
      expectError(() => checkCreateRequest({ ...byName, quantity }), ErrorCode.MISSING_OR_INVALID_FIELD));

  for (const field of ['externalKey', 'bundleExternalKey'])
    it(`accepts 255 characters of ${field} and rejects 256`, () => {
      const key = 'k'.repeat(255);
      expect(checkCreateRequest({ ...byName, [field]: key })).to.include({ [field]: key });
      expectError(
        () => checkCreateRequest({ ...byName, [field]: `${key}k` }),
        ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
      );
    });

  it('accepts price overrides of every type', () => {
    const priceOverrides = [
      { phaseType: 'TRIAL', fixedPrice: ZERO },
      { phaseName: 'pro-monthly-evergreen', recurringPrice: decimal('5') },
      {
        phaseType: 'EVERGREEN',
        usagePrices: [
          { usageName: 'u', tierPrices: [{ blockPrices: [{ unitName: 'x', price: decimal('1') }] }] },
        ],
      },
      { phaseType: 'EVERGREEN', usagePrices: [{ usageName: 'c', tierPrices: [{ recurringPrice: ZERO }] }] },
    ];
    expect(checkCreateRequest({ ...byName, priceOverrides }).priceOverrides).to.equal(priceOverrides);
  });

  it('accepts a plan name alone, an empty list of overrides and the boundary values of day and quantity', () => {
    const checked = checkCreateRequest({ ...byName, priceOverrides: [], billCycleDayLocal: 31, quantity: 1 });
    expect(checked).to.deep.include({
      accountId,
      billCycleDay: 31,
      quantity: 1,
      phaseType: null,
      externalKey: null,
    });
    expect(checked.plan.planName).to.equal('pro-monthly');
  });

  it('accepts product, category, period and list', () =>
    expect(checkCreateRequest(byProduct).plan).to.eql({
      planName: null,
      productName: 'Pro',
      billingPeriod: 'MONTHLY',
      priceListName: 'DEFAULT',
    }));

  it('treats empty keys as absent', () => {
    const checked = checkCreateRequest({ ...byName, externalKey: '', bundleExternalKey: '' });
    expect(checked).to.include({ externalKey: null, bundleExternalKey: null });
  });
});
