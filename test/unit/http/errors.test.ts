import { statusOfCode } from '../../../adapters/koa/response/error-status.ts';
import { errorBody, publicError } from '../../../adapters/koa/response/render-error.ts';
import { BillingError, ErrorCode, expect } from '../../support/unit.ts';

// http-api §12, the codes that do not answer 400.
const statuses: Readonly<Record<number, readonly number[]>> = {
  401: [60004, 60005],
  403: [40000],
  404: [
    1080, 1081, 1082, 1083, 1084, 3002, 3003, 3008, 3902, 3950, 4003, 4006, 4008, 4011, 4018, 4900, 4905,
    7000, 7020, 7021, 7024, 20001, 20002, 20003, 20006, 60007, 60008, 61006, 61007, 62001, 62011, 63001,
    63004, 63006,
  ],
  405: [60009],
  406: [60011],
  408: [60016],
  409: [1016, 3000, 3900, 3901, 20000, 50003, 60013, 60017, 62002, 63005],
  412: [60006],
  413: [60012],
  415: [60010],
  422: [4040, 4041, 7106, 60014, 60020],
  429: [40006, 60015],
  500: [
    4, 2999, 3006, 3007, 7004, 7006, 7007, 7008, 7009, 7019, 7022, 7036, 7102, 20004, 20005, 30000, 60000,
  ],
  501: [1],
  503: [60018, 60019],
  504: [7100],
};

describe('HTTP error response', () => {
  const expected = new Map(
    Object.entries(statuses).flatMap(([status, codes]) =>
      codes.map((code) => [code, Number(status)] as const),
    ),
  );

  for (const [name, code] of Object.entries(ErrorCode)) {
    const status = expected.get(code) ?? 400;
    it(`has status ${status} for ${code} ${name}`, () =>
      expect(statusOfCode(code, { dialect: 'D' })).to.equal(status));
  }

  it('has a different status in dialect K than in dialect D for two codes', () => {
    expect(statusOfCode(ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS, { dialect: 'K' })).to.equal(401);
    expect(statusOfCode(ErrorCode.PAYMENT_DEL_DEFAULT_PAYMENT_METHOD, { dialect: 'K' })).to.equal(400);
    expect(statusOfCode(ErrorCode.ACCOUNT_ALREADY_EXISTS, { dialect: 'K' })).to.equal(409);
  });

  it('has the status that the route defines for the code, if any', () => {
    const statusOf = { [ErrorCode.INVOICE_NOTHING_TO_DO]: 404 };
    expect(statusOfCode(ErrorCode.INVOICE_NOTHING_TO_DO, { dialect: 'D', statusOf })).to.equal(404);
    expect(statusOfCode(ErrorCode.INVOICE_NOTHING_TO_DO, { dialect: 'D' })).to.equal(400);
  });
});

describe('HTTP error body', () => {
  const noSuchAccount = new BillingError({
    code: ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
    message: 'Account does not exist for id 11111111-1111-1111-1111-111111111111',
  });

  it('has exactly the documented keys', () =>
    expect(errorBody(noSuchAccount, { withStackTrace: false })).to.eql({
      className: 'AccountError',
      code: 3002,
      message: 'Account does not exist for id 11111111-1111-1111-1111-111111111111',
      causeClassName: null,
      causeMessage: null,
      stackTrace: [],
    }));

  it('names the underlying error', () => {
    const error = new BillingError({
      code: ErrorCode.PAYMENT_CREATE_PAYMENT,
      message: 'no',
      cause: noSuchAccount,
    });
    expect(errorBody(error, { withStackTrace: false })).to.include({
      causeClassName: 'AccountError',
      causeMessage: noSuchAccount.message,
    });
  });

  it('hides the details of an unexpected error', () => {
    const error = publicError(new TypeError('password of database is hunter2'), 'r-1');
    expect(error.code).to.equal(60000);
    expect(error.message).to.match(/ request id r-1$/);
    expect(JSON.stringify(errorBody(error, { withStackTrace: false }))).to.not.include('hunter2');
    expect(publicError('thrown text', 'r-1').code).to.equal(60000);
  });

  it('contains the stack frames of the cause on request', () => {
    const { stackTrace } = errorBody(publicError(new TypeError('x'), 'r-1'), { withStackTrace: true });
    expect(stackTrace[0]).to.have.keys('className', 'fileName', 'lineNumber', 'methodName', 'isNativeMethod');
    expect(stackTrace[0]?.fileName).to.match(/errors\.test\.ts$/);
    expect(stackTrace[0]?.lineNumber).to.be.greaterThan(0);
  });
});
