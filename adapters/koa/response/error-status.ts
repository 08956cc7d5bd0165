import { type BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { Dialect } from '../dialect.ts';
import { AnsweredError } from '../routing/answer.ts';

// Domain codes missing here answer 400 (http-api §12).
const codesByStatus: Readonly<Record<number, readonly ErrorCode[]>> = {
  401: [ErrorCode.UNAUTHENTICATED, ErrorCode.TENANT_UNAUTHENTICATED],
  403: [ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS],
  404: [
    ErrorCode.SUBSCRIPTION_GET_NO_BUNDLE_FOR_SUBSCRIPTION,
    ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID,
    ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
    ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY,
    ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_KEY,
    ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
    ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY,
    ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_RECORD_ID,
    ErrorCode.TAG_DEFINITION_DOES_NOT_EXIST,
    ErrorCode.TAG_DOES_NOT_EXIST,
    ErrorCode.INVOICE_NO_ACCOUNT_ID_FOR_SUBSCRIPTION_ID,
    ErrorCode.INVOICE_NOT_FOUND,
    ErrorCode.INVOICE_NO_SUCH_CREDIT,
    ErrorCode.INVOICE_ITEM_NOT_FOUND,
    ErrorCode.INVOICE_NUMBER_NOT_FOUND,
    ErrorCode.INVOICE_PAYMENT_NOT_FOUND,
    ErrorCode.INVOICE_PAYMENT_BY_ATTEMPT_NOT_FOUND,
    ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
    ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
    ErrorCode.PAYMENT_NO_DEFAULT_PAYMENT_METHOD,
    ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT,
    ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID,
    ErrorCode.TENANT_DOES_NOT_EXIST_FOR_KEY,
    ErrorCode.TENANT_DOES_NOT_EXIST_FOR_API_KEY,
    ErrorCode.TENANT_NO_SUCH_KEY,
    ErrorCode.OBJECT_NOT_FOUND,
    ErrorCode.ROUTE_NOT_FOUND,
    ErrorCode.CATALOG_ENTRY_PLAN_NOT_FOUND,
    ErrorCode.CATALOG_ENTRY_PRODUCT_NOT_FOUND,
  ],
  405: [ErrorCode.METHOD_NOT_ALLOWED],
  406: [ErrorCode.NOT_ACCEPTABLE],
  408: [ErrorCode.COMPLETION_TIMEOUT],
  409: [
    ErrorCode.SUBSCRIPTION_EXTERNAL_KEY_EXISTS,
    ErrorCode.ACCOUNT_ALREADY_EXISTS,
    ErrorCode.TAG_DEFINITION_CONFLICTS_WITH_CONTROL_TAG,
    ErrorCode.TAG_DEFINITION_ALREADY_EXISTS,
    ErrorCode.TENANT_ALREADY_EXISTS,
    ErrorCode.IDEMPOTENCY_IN_PROGRESS,
    ErrorCode.USAGE_RECORD_ARCHIVED,
    ErrorCode.VERSION_CONFLICT,
  ],
  412: [ErrorCode.PRECONDITION_FAILED],
  413: [ErrorCode.TOO_LARGE],
  415: [ErrorCode.UNSUPPORTED_MEDIA_TYPE],
  422: [
    ErrorCode.ANSWER_TOO_LARGE,
    ErrorCode.IDEMPOTENCY_KEY_REUSED,
    ErrorCode.INVOICE_BOUND_EXCEEDED,
    ErrorCode.PAYMENT_PLUGIN_API_ABORTED,
  ],
  429: [ErrorCode.SECURITY_LOCKED_OUT, ErrorCode.TOO_MANY_REQUESTS],
  500: [
    ErrorCode.UNEXPECTED_ERROR,
    ErrorCode.CATALOG_INVALID_DEFAULT,
    ErrorCode.ACCOUNT_CREATION_FAILED,
    ErrorCode.ACCOUNT_UPDATE_FAILED,
    ErrorCode.PAYMENT_GET_PAYMENT_METHODS,
    ErrorCode.PAYMENT_REFRESH_PAYMENT_METHOD,
    ErrorCode.PAYMENT_DEL_PAYMENT_METHOD,
    ErrorCode.PAYMENT_UPD_PAYMENT_METHOD,
    ErrorCode.PAYMENT_CREATE_PAYMENT,
    ErrorCode.PAYMENT_INTERNAL_ERROR,
    ErrorCode.PAYMENT_STATE_MACHINE_FAILURE,
    ErrorCode.PAYMENT_PLUGIN_GET_PAYMENT_INFO,
    ErrorCode.PAYMENT_DEL_DEFAULT_PAYMENT_METHOD,
    ErrorCode.TENANT_CREATION_FAILED,
    ErrorCode.TENANT_UPDATE_FAILED,
    ErrorCode.EMAIL_SENDING_FAILED,
    ErrorCode.UNEXPECTED,
  ],
  501: [ErrorCode.NOT_IMPLEMENTED],
  503: [ErrorCode.BUSY, ErrorCode.NO_ROOM],
  504: [ErrorCode.PAYMENT_PLUGIN_TIMEOUT],
};

const statusByCode: ReadonlyMap<ErrorCode, number> = new Map(
  Object.entries(codesByStatus).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)])),
);

/** Codes whose status differs in dialect K (http-api §4 lines 7 and 12). */
const statusInDialectK: Readonly<Record<number, number>> = {
  [ErrorCode.PAYMENT_DEL_DEFAULT_PAYMENT_METHOD]: 400,
  [ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS]: 401,
};

export interface StatusContext {
  readonly dialect: Dialect;
  /** Overrides of this route, such as `4007`: 404 on an invoice run. */
  readonly statusOf?: Readonly<Record<number, number>> | undefined;
}

/** Returns the status of the error's case, else of its code. */
export function statusOfError(error: BillingError, context: StatusContext): number {
  if (error instanceof AnsweredError) return error.status;
  // A busy payment is 409, since 503 means an unknown outcome (http-api §11 rule 5).
  if (error.code === ErrorCode.PAYMENT_INTERNAL_ERROR && error.facts.isBusy === true) return 409;
  // Different usage under an existing tracking id; identical usage is ignored (usage §2.1 rule 6).
  if (error.code === ErrorCode.USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS && error.facts.isOtherContent === true)
    return 409;
  return statusOfCode(error.code, context);
}

export function statusOfCode(code: ErrorCode, { dialect, statusOf }: StatusContext): number {
  const ofDialect = dialect === Dialect.K ? statusInDialectK[code] : undefined;
  return statusOf?.[code] ?? ofDialect ?? statusByCode.get(code) ?? 400;
}
