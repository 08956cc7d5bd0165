import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';

/** How amounts, numbers and days are written in documents about invoices. */
export interface InvoiceFormatter {
  amount(amount: Decimal, currency: Currency): string;
  /** A quantity. */
  number(value: Decimal): string;
  date(date: LocalDate): string;
  /** From the first day to the day on which the next period begins. */
  period(start: LocalDate, end: LocalDate): string;
}

/** The document that is written. */
export interface InvoiceFormatterContext {
  readonly tenantId: Uuid;
  readonly accountId: Uuid;
  /** As a language tag: `de-AT`. */
  readonly locale: string;
  /** How it would be written without a factory. */
  readonly builtIn: InvoiceFormatter;
}

/**
 * The host's own way to write amounts and days in documents (invoicing §14 rule 5), such as accounting's brackets around
 * credits. Given to `Billing.open({ invoiceFormatter })`.
 *
 * @example const brackets: InvoiceFormatterFactory = {
 *   name: 'brackets',
 *   formatter: ({ builtIn }) => ({
 *     amount: (amount, currency) =>
 *       amount.isNegative() ? `(${builtIn.amount(amount.abs(), currency)})` : builtIn.amount(amount, currency),
 *   }),
 * };
 */
export interface InvoiceFormatterFactory {
  /** Named in errors. */
  readonly name: string;
  /**
   * Asked once for each document, which is being written: it answers at once and keeps no state. What it leaves out is
   * written as built in. If it throws, or answers what is no text of at most 1,000 characters, there is no document, and
   * the error (60000) names it. Templates escape what it answers.
   */
  formatter(context: InvoiceFormatterContext): Partial<InvoiceFormatter>;
}
