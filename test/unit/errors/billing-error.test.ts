import { expect } from 'chai';
import {
  assertInvariant,
  BillingError,
  classNameOf,
  ErrorCode,
  InvariantError,
} from '../../../lib/values/errors/index.ts';

describe('billing error', () => {
  it('contains its code, area class name, message, facts and cause', () => {
    const cause = new Error('inner');
    const error = new BillingError({
      code: ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
      message: 'Account does not exist for id 11111111-1111-1111-1111-111111111111',
      facts: { accountId: '11111111-1111-1111-1111-111111111111' },
      cause,
    });
    expect(error)
      .to.be.instanceOf(Error)
      .and.include({ name: 'BillingError', code: 3002, className: 'AccountError' });
    expect(error.facts).to.eql({ accountId: '11111111-1111-1111-1111-111111111111' });
    expect(error.cause).to.equal(cause);
    expect(String(error)).to.equal(
      'BillingError: Account does not exist for id 11111111-1111-1111-1111-111111111111',
    );
  });

  it('has no facts, problems or cause by default', () => {
    const error = new BillingError({ code: ErrorCode.UNEXPECTED, message: 'm' });
    expect(error.facts).to.eql({});
    expect(error.problems).to.equal(undefined);
    expect(error).to.not.have.property('cause');
  });

  it('lists the problems of an input with their positions', () => {
    const problems = [{ message: 'Unknown product Q', line: 12, column: 7, path: 'plans/p-m/product' }];
    const error = new BillingError({ code: ErrorCode.CATALOG_INVALID_FOR_TENANT, message: 'm', problems });
    problems.pop();
    expect(error.problems).to.eql([
      { message: 'Unknown product Q', line: 12, column: 7, path: 'plans/p-m/product' },
    ]);
    expect(error.problems).to.be.frozen;
  });
});

describe('error code table', () => {
  const cases: readonly (readonly [ErrorCode, number, string])[] = [
    [ErrorCode.CURRENCY_INVALID, 3, 'RequestError'],
    [ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE, 1001, 'SubscriptionError'],
    [ErrorCode.CATALOG_UNDEFINED_DURATION, 2014, 'CatalogError'],
    [ErrorCode.ACCOUNT_ALREADY_EXISTS, 3000, 'AccountError'],
    [ErrorCode.TAG_DEFINITION_IN_USE, 3903, 'TagError'],
    [ErrorCode.INVOICE_NOTHING_TO_DO, 4007, 'InvoiceError'],
    [ErrorCode.OVERDUE_INVALID_FOR_TENANT, 5010, 'OverdueError'],
    [ErrorCode.BLOCKING_BLOCKED_ACTION, 6000, 'BlockingError'],
    [ErrorCode.PAYMENT_INTERNAL_ERROR, 7019, 'PaymentError'],
    [ErrorCode.ENTITLEMENT_UNCANCEL_BAD_STATE, 8004, 'EntitlementError'],
    [ErrorCode.CUSTOM_FIELD_INVALID_UPDATE, 9002, 'CustomFieldError'],
    [ErrorCode.CURRENCY_NO_SUCH_PAYMENT_PLUGIN, 10_000, 'CurrencyError'],
    [ErrorCode.TENANT_NO_SUCH_KEY, 20_006, 'TenantError'],
    [ErrorCode.EMAIL_SENDING_FAILED, 30_000, 'EmailError'],
    [ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS, 40_000, 'SecurityError'],
    [ErrorCode.USAGE_UNIT_UNKNOWN, 50_002, 'UsageError'],
    [ErrorCode.MALFORMED_BODY, 60_001, 'RequestError'],
    [ErrorCode.BUSY, 60_018, 'RequestError'],
    [ErrorCode.NO_ROOM, 60_019, 'RequestError'],
    [ErrorCode.CATALOG_ENTRY_PRODUCT_NOT_FOUND, 61_007, 'CatalogEntryError'],
  ];
  for (const [code, number, className] of cases)
    it(`maps ${number} to ${className}`, () => {
      expect(code).to.equal(number);
      expect(classNameOf(code)).to.equal(className);
    });

  it('has one condition for each code, except for the three documented duplicates', () => {
    const names = new Map<number, string[]>();
    for (const [name, code] of Object.entries(ErrorCode)) names.set(code, [...(names.get(code) ?? []), name]);
    expect([...names].filter(([, shared]) => shared.length > 1).map(([code]) => code)).to.eql([
      1001, 1025, 2060,
    ]);
  });

  it('uses consecutive numbers for the general conditions', () => {
    const general = Object.values(ErrorCode).filter((code) => code >= 60_000 && code < 61_000);
    expect(general).to.eql(Array.from({ length: 21 }, (_, index) => 60_000 + index));
  });
});

describe('invariant check error', () => {
  it('is not thrown when the invariant holds', () =>
    expect(() => assertInvariant(true, 'm', {})).to.not.throw());

  it('is thrown with its facts when the invariant fails', () =>
    expect(() => assertInvariant(1 + 1 === 3, 'Items overlap', { itemIds: ['a', 'b'] }))
      .to.throw(InvariantError, 'Items overlap')
      .with.property('facts')
      .that.deep.equals({ itemIds: ['a', 'b'] }));
});
