import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';

export interface InvoiceFormatter {
  amount(amount: Decimal, currency: Currency): string;
  number(value: Decimal): string;
  /** Formats a date, which is a string such as `2024-01-31`. */
  date(date: string): string;
  /** Formats a period from its first to its last day. The two days may be the same. */
  period(firstDay: string, lastDay: string): string;
}

export interface InvoiceFormatterContext {
  readonly tenantId: Uuid;
  readonly accountId: Uuid;
  /** Locale as a language tag, such as `de-AT`. */
  readonly locale: string;
  /** The built-in formatter. It is used if there is no factory. */
  readonly builtIn: InvoiceFormatter;
}

/**
 * Creates formatters of amounts and days in documents (invoicing §14 rule 5), such as brackets around
 * credits. Pass it to `Billing.open({ invoiceFormatter })`.
 * @example const brackets: InvoiceFormatterFactory = { name: 'brackets', formatter: ({ builtIn }) => ({
 * amount: (amount, currency) => amount.isNegative() ? `(${builtIn.amount(amount.abs(), currency)})` :
 * builtIn.amount(amount, currency), }), };
 */
export interface InvoiceFormatterFactory {
  /** Name of the plugin, used in errors. */
  readonly name: string;
  /**
   * Returns the formatter of a document. The function is called synchronously once per document and must keep no state.
   * Missing methods use the built-in format. If a method throws, or returns anything but a string of at most 1,000
   * characters, the document fails with an error (60000) that names the factory. Templates escape the result.
   */
  formatter(context: InvoiceFormatterContext): Partial<InvoiceFormatter>;
}
