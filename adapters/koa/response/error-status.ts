import { type BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { Dialect } from '../dialect.ts';
import { AnsweredError } from '../routing/answer.ts';

// Billing errors with codes that are not listed here return 400 (http-api §12).
const codesByStatus: Readonly<Record<number, readonly (keyof typeof ErrorCode)[]>> = {
  401: ['UNAUTHENTICATED', 'TENANT_UNAUTHENTICATED'],
  403: ['SECURITY_NOT_ENOUGH_PERMISSIONS'],
  404: [
    'SUBSCRIPTION_GET_NO_BUNDLE_FOR_SUBSCRIPTION',
    'SUBSCRIPTION_GET_INVALID_BUNDLE_ID',
    'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID',
    'SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY',
    'SUBSCRIPTION_GET_INVALID_BUNDLE_KEY',
    'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
    'ACCOUNT_DOES_NOT_EXIST_FOR_KEY',
    'ACCOUNT_DOES_NOT_EXIST_FOR_RECORD_ID',
    'TAG_DEFINITION_DOES_NOT_EXIST',
    'TAG_DOES_NOT_EXIST',
    'INVOICE_NO_ACCOUNT_ID_FOR_SUBSCRIPTION_ID',
    'INVOICE_NOT_FOUND',
    'INVOICE_NO_SUCH_CREDIT',
    'INVOICE_ITEM_NOT_FOUND',
    'INVOICE_NUMBER_NOT_FOUND',
    'INVOICE_PAYMENT_NOT_FOUND',
    'INVOICE_PAYMENT_BY_ATTEMPT_NOT_FOUND',
    'PAYMENT_NO_SUCH_PAYMENT_METHOD',
    'PAYMENT_NO_SUCH_PAYMENT',
    'PAYMENT_NO_DEFAULT_PAYMENT_METHOD',
    'PAYMENT_NO_SUCH_SUCCESS_PAYMENT',
    'TENANT_DOES_NOT_EXIST_FOR_ID',
    'TENANT_DOES_NOT_EXIST_FOR_KEY',
    'TENANT_DOES_NOT_EXIST_FOR_API_KEY',
    'TENANT_NO_SUCH_KEY',
    'OBJECT_NOT_FOUND',
    'ROUTE_NOT_FOUND',
    'CATALOG_ENTRY_PLAN_NOT_FOUND',
    'CATALOG_ENTRY_PRODUCT_NOT_FOUND',
    'COUPON_NOT_FOUND',
    'FEATURE_NOT_FOUND',
    'FEATURE_OVERRIDE_NOT_FOUND',
    'QUOTA_USE_NOT_FOUND',
    'REDEMPTION_NOT_FOUND',
  ],
  405: ['METHOD_NOT_ALLOWED'],
  406: ['NOT_ACCEPTABLE'],
  408: ['COMPLETION_TIMEOUT'],
  409: [
    'SUBSCRIPTION_EXTERNAL_KEY_EXISTS',
    'ACCOUNT_ALREADY_EXISTS',
    'TAG_DEFINITION_CONFLICTS_WITH_CONTROL_TAG',
    'TAG_DEFINITION_ALREADY_EXISTS',
    'TENANT_ALREADY_EXISTS',
    'IDEMPOTENCY_IN_PROGRESS',
    'COUPON_ALREADY_EXISTS',
    'QUOTA_KEY_REUSED',
    'USAGE_RECORD_ARCHIVED',
    'VERSION_CONFLICT',
  ],
  412: ['PRECONDITION_FAILED'],
  413: ['TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  422: [
    'ANSWER_TOO_LARGE',
    'IDEMPOTENCY_KEY_REUSED',
    'INVOICE_BOUND_EXCEEDED',
    'INVOICE_NOT_ELECTRONIC',
    'PAYMENT_PLUGIN_API_ABORTED',
  ],
  429: ['SECURITY_LOCKED_OUT', 'TOO_MANY_REQUESTS'],
  500: [
    'UNEXPECTED_ERROR',
    'CATALOG_INVALID_DEFAULT',
    'ACCOUNT_CREATION_FAILED',
    'ACCOUNT_UPDATE_FAILED',
    'PAYMENT_GET_PAYMENT_METHODS',
    'PAYMENT_REFRESH_PAYMENT_METHOD',
    'PAYMENT_DEL_PAYMENT_METHOD',
    'PAYMENT_UPD_PAYMENT_METHOD',
    'PAYMENT_CREATE_PAYMENT',
    'PAYMENT_INTERNAL_ERROR',
    'PAYMENT_STATE_MACHINE_FAILURE',
    'PAYMENT_PLUGIN_GET_PAYMENT_INFO',
    'PAYMENT_DEL_DEFAULT_PAYMENT_METHOD',
    'TENANT_CREATION_FAILED',
    'TENANT_UPDATE_FAILED',
    'EMAIL_SENDING_FAILED',
    'UNEXPECTED',
  ],
  501: ['NOT_IMPLEMENTED'],
  503: ['BUSY', 'NO_ROOM'],
  504: ['PAYMENT_PLUGIN_TIMEOUT'],
};

const statusByCode: ReadonlyMap<ErrorCode, number> = new Map(
  Object.entries(codesByStatus).flatMap(([status, codes]) =>
    codes.map((code) => [ErrorCode[code], Number(status)]),
  ),
);

/** Error codes whose HTTP status is different in dialect K (http-api §4 lines 7 and 12). */
const statusInDialectK: Readonly<Record<number, number>> = {
  [ErrorCode.PAYMENT_DEL_DEFAULT_PAYMENT_METHOD]: 400,
  [ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS]: 401,
};

export interface StatusContext {
  readonly dialect: Dialect;
  /**
   * Statuses by error code, if this route differs from the default. For example, `4007` has the status 404 on an
   * invoice run.
   */
  readonly statusOf?: Readonly<Record<number, number>> | undefined;
}

/** Returns the status for the error's specific case or, by default, for its code. */
export function statusOfError(error: BillingError, context: StatusContext): number {
  if (error instanceof AnsweredError) return error.status;
  // A request for a busy payment returns 409, because 503 would mean an unknown outcome (http-api §11 rule 5).
  if (error.code === ErrorCode.PAYMENT_INTERNAL_ERROR && error.facts.isBusy === true) return 409;
  // The tracking id was used for different usage. Identical usage is ignored (usage §2.1 rule 6).
  if (error.code === ErrorCode.USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS && error.facts.isOtherContent === true)
    return 409;
  return statusOfCode(error.code, context);
}

export function statusOfCode(code: ErrorCode, { dialect, statusOf }: StatusContext): number {
  const ofDialect = dialect === Dialect.K ? statusInDialectK[code] : undefined;
  return statusOf?.[code] ?? ofDialect ?? statusByCode.get(code) ?? 400;
}
