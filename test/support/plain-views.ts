import type * as engine from '../../lib/index.ts';
import { parseLocalDate } from '../../lib/index.ts';

/** Records and views in the form that hosts receive, under the engine's own names. */
export type Account = engine.Plain<engine.Account>;
export type InvoiceView = engine.Plain<engine.InvoiceView>;
export type InvoiceItemView = engine.Plain<engine.InvoiceItemView>;
export type ItemExplanation = engine.Plain<engine.ItemExplanation>;
export type PaymentResult = engine.Plain<engine.PaymentResult>;
export type PaymentView = engine.Plain<engine.PaymentView>;
export type PaymentMethodView = engine.Plain<engine.PaymentMethodView>;
export type SubscriptionView = engine.Plain<engine.SubscriptionView>;
export type OverduePreview = engine.Plain<engine.OverduePreview>;
export type ChangePreview = engine.Plain<engine.ChangePreview>;
export type ChangeReportPart = engine.Plain<engine.ChangeReportPart>;
export type LateEntryView = engine.Plain<engine.LateEntryView>;

/** Returns the value with the engine's own date types: calendar days from text, instants from `Date`. */
export function engineForm<T>(plain: engine.Plain<T>): T {
  return engineValue(plain) as T;
}

function engineValue(plain: unknown): unknown {
  if (plain instanceof Date) return plain.getTime();
  if (typeof plain === 'string') return /^\d{4}-\d{2}-\d{2}$/.test(plain) ? parseLocalDate(plain) : plain;
  if (Array.isArray(plain)) return plain.map(engineValue);
  if (typeof plain !== 'object' || plain === null || Object.getPrototypeOf(plain) !== Object.prototype)
    return plain;
  return Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, engineValue(value)]));
}
