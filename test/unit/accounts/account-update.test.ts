import { mergeAccount } from '../../../lib/accounts/rules/account-update.ts';
import { newAccount } from '../../../lib/accounts/rules/new-account.ts';
import type { Account } from '../../../lib/records/account.ts';
import type { AccountInput } from '../../../lib/records/index.ts';
import { BillingError, expect, instant, type Uuid, valueOrError } from '../../support/unit.ts';

const id = (digit: string) => `00000000-0000-4000-8000-00000000000${digit}` as Uuid;
const before = instant(Date.UTC(2025, 2, 10, 9));
const now = instant(Date.UTC(2025, 2, 11, 9));

const full = {
  externalKey: 'key',
  currency: 'EUR',
  timeZone: 'Europe/Vienna',
  parentAccountId: id('2'),
  isPaymentDelegatedToParent: true,
  name: 'Ann Lee',
  firstNameLength: 3,
  company: 'c',
  address1: 'a1',
  address2: 'a2',
  city: 'Bern',
  state: 's',
  postalCode: 'p',
  country: 'CH',
  locale: 'de_CH',
  phone: '1',
  email: 'e',
  notes: 'n',
  isMigrated: true,
} as const satisfies AccountInput;

function account(more: Partial<Account> = {}, input: AccountInput = full): Account {
  return { ...newAccount(input, id('1'), before), recordId: 1, paymentMethodId: id('3'), ...more };
}

interface Flags {
  readonly reset?: boolean;
  readonly allowed?: boolean;
}

/** Returns the account after the update, or the error code. */
function merged(stored: Account, changes: AccountInput, { reset = false, allowed = false }: Flags = {}) {
  const options = { treatNullAsReset: reset, allowsBillCycleDayChange: allowed, now };
  const outcome = valueOrError(() => mergeAccount(stored, changes, options));
  return outcome instanceof BillingError ? outcome.code : outcome;
}

const reset = { reset: true };

describe('account update (accounts §4)', () => {
  it('changes only the update date when no field is given, with or without the reset flag', () => {
    for (const flags of [{}, reset])
      expect(merged(account(), {}, flags)).to.eql(account({ updatedDate: now }));
  });

  for (const field of ['externalKey', 'currency', 'timeZone'] as const) {
    const other = { externalKey: 'other', currency: 'USD', timeZone: 'Europe/Rome' }[field];
    it(`accepts an unchanged ${field}, and rejects a change or reset`, () => {
      const same = account({ updatedDate: now });
      expect(merged(account(), { [field]: full[field] }, reset)).to.eql(same);
      expect(merged(account(), { [field]: null })).to.eql(same);
      expect(merged(account(), { [field]: other })).to.equal(3005);
      expect(merged(account(), { [field]: null }, reset)).to.equal(3005);
    });
  }

  it('keeps a null currency null, and accepts null again', () => {
    const stored = account({ currency: null });
    expect(merged(stored, { currency: 'USD' })).to.equal(3005);
    expect(merged(stored, { currency: null }, reset)).to.include({ currency: null });
  });

  for (const [stored, given, flags, expected] of [
    [0, 0, {}, 0],
    [0, 31, {}, 31],
    [0, 32, {}, 60003],
    [0, null, {}, 0],
    [0, null, reset, 0],
    [15, 0, {}, 15],
    [15, 15, {}, 15],
    [15, 20, {}, 3005],
    [15, null, {}, 15],
    [15, null, reset, 3005],
    [15, 20, { allowed: true }, 20],
    [15, 0, { allowed: true }, 15],
    [15, null, { allowed: true }, 15],
    [15, null, { allowed: true, reset: true }, 0],
  ] as const)
    it(`returns ${expected > 31 ? 'error' : 'bill cycle day'} ${expected} for a change from ${stored} to ${given} with the flags ${JSON.stringify(flags)}`, () => {
      const found = merged(account({ billCycleDayLocal: stored }), { billCycleDayLocal: given }, flags);
      expect(typeof found === 'number' ? found : found.billCycleDayLocal).to.equal(expected);
    });

  for (const [field, value, afterReset] of [
    ['isPaymentDelegatedToParent', false, false],
    ['parentAccountId', id('4'), null],
    ['paymentMethodId', id('5'), null],
    ['name', 'Bo Lee', null],
    ['firstNameLength', 2, null],
    ['company', 'x', null],
    ['address1', 'x', null],
    ['address2', 'x', null],
    ['city', 'x', null],
    ['state', 'x', null],
    ['postalCode', 'x', null],
    ['country', 'x', null],
    ['locale', 'x', null],
    ['phone', 'x', null],
    ['email', 'x', null],
    ['notes', '', null],
    ['isMigrated', false, null],
  ] as const)
    it(`sets ${field}, keeps it on null, and resets it on null with the reset flag`, () => {
      for (const flags of [{}, reset])
        expect(merged(account(), { [field]: value }, flags)).to.eql(
          account({ updatedDate: now, [field]: value }),
        );
      expect(merged(account(), { [field]: null })).to.eql(account({ updatedDate: now }));
      expect(merged(account(), { [field]: null }, reset)).to.eql(
        account({ updatedDate: now, [field]: afterReset }),
      );
    });
});
