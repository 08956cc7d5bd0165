import { ErrorCode } from '../../../../lib/values/errors/index.ts';

/** What a call is refused for because of the items that invoice plugins add (invoicing §13). */
export const pluginItemErrors = [
  ErrorCode.INVOICE_NOT_FOUND,
  ErrorCode.INVOICE_ITEM_NOT_FOUND,
  ErrorCode.INVOICE_ITEM_TYPE_INVALID,
  ErrorCode.INVOICE_INVALID_DATE_SEQUENCE,
  ErrorCode.INVOICE_INVALID_FOR_INVOICE_ITEM_ADJUSTMENT,
  ErrorCode.INVOICE_VOID_UPDATED,
  ErrorCode.INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID,
  ErrorCode.INVOICE_CREDIT_AMOUNT_INVALID,
  ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE,
  ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID,
  ErrorCode.INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID,
];

/** What an operation is refused for because an invoice plugin is against it, or numbers its invoice. */
export const abortErrors = [ErrorCode.INVOICE_PLUGIN_API_ABORTED, ErrorCode.INVOICE_INVALID_NUMBER];
