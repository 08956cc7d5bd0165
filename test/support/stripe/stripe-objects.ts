/** The objects of Stripe's API that the double stores, with the relevant fields. */
export interface StripeObject {
  readonly id: string;
  readonly object: string;
  /** Seconds. */
  readonly created: number;
  metadata: Record<string, string>;
  readonly livemode: false;
}

export interface CustomerObject extends StripeObject {
  invoice_settings: { default_payment_method: string | null };
}

export interface MethodObject extends StripeObject {
  customer: string | null;
  readonly type: string;
  readonly card?: Record<string, unknown>;
  readonly sepa_debit?: Record<string, unknown>;
  /** How the double handles it; not part of the API. */
  readonly behaviour: string;
  /** Detached, so it cannot be used again. */
  spent: boolean;
}

export interface ApiErrorBody {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly param?: string;
}

export interface IntentObject extends StripeObject {
  amount: number;
  amount_capturable: number;
  amount_received: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly payment_method: string;
  readonly capture_method: string;
  readonly client_secret: string;
  status: string;
  latest_charge: string | null;
  last_payment_error: ApiErrorBody | null;
  cancellation_reason: string | null;
  canceled_at: number | null;
  next_action: { readonly type: string; readonly redirect_to_url?: { readonly url: string } } | null;
}

export interface SetupObject extends StripeObject {
  readonly customer: string | null;
  readonly payment_method: string | null;
  readonly client_secret: string;
  status: string;
  last_setup_error: ApiErrorBody | null;
  cancellation_reason: null;
  next_action: { readonly type: string } | null;
}

export interface ChargeObject extends StripeObject {
  readonly payment_intent: string;
  readonly amount: number;
  amount_captured: number;
  amount_refunded: number;
  captured: boolean;
  disputed: boolean;
  status: string;
  readonly payment_method_details: {
    readonly type: string;
    readonly card: { readonly multicapture: { status: string } };
  };
}

export interface RefundObject extends StripeObject {
  readonly amount: number;
  readonly currency: string;
  readonly charge: string;
  readonly payment_intent: string;
  status: string;
  failure_reason?: string;
}

export interface DisputeObject extends StripeObject {
  readonly amount: number;
  readonly currency: string;
  readonly charge: string;
  readonly payment_intent: string;
  status: string;
  balance_transactions: { readonly id: string; readonly amount: number; readonly currency: string }[];
}

export class StripeRefusal extends Error {
  readonly status: number;
  readonly body: ApiErrorBody & Record<string, unknown>;
  /** Whether the idempotency key keeps it. False for requests rejected before the endpoint starts. */
  readonly isKept: boolean;

  constructor(
    status: number,
    body: ApiErrorBody & Record<string, unknown>,
    { isKept = true }: { readonly isKept?: boolean } = {},
  ) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.isKept = isKept;
  }
}

export function invalid(message: string, more: { readonly code?: string; readonly param?: string } = {}) {
  return new StripeRefusal(400, { type: 'invalid_request_error', message, ...more }, { isKept: false });
}

/** Rejects a request because of the object's state. */
export function unexpectedState(message: string, code = 'payment_intent_unexpected_state') {
  return new StripeRefusal(400, { type: 'invalid_request_error', message, code });
}

export function missing(what: string, id: string) {
  const message = `No such ${what}: '${id}'`;
  return new StripeRefusal(
    404,
    { type: 'invalid_request_error', code: 'resource_missing', message, param: 'id' },
    { isKept: false },
  );
}

export function declined(code: string, declineCode: string | null, more: Record<string, unknown> = {}) {
  const message = declineCode === 'authentication_required' ? AUTHENTICATE : 'Your card was declined.';
  return new StripeRefusal(402, {
    type: 'card_error',
    code,
    message,
    ...(declineCode !== null && { decline_code: declineCode }),
    ...more,
  });
}

const AUTHENTICATE = 'Your card was declined. This transaction requires authentication.';

/** A form value of Stripe's API. */
export type FormValue = string | FormValue[] | FormObject;
export interface FormObject {
  [key: string]: FormValue;
}

/** Parses `a[b][0]=c` in a form or query. */
export function readForm(text: string): FormObject {
  const form: FormObject = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...rest] = name.replaceAll(']', '').split('[');
    put(form, [first, ...rest], value);
  }
  return form;
}

function put(into: FormObject, [key = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  const isList = /^\d*$/.test(rest[0] ?? '');
  const inner = into[key] ?? (isList ? [] : {});
  into[key] = inner;
  if (Array.isArray(inner)) inner.push(value);
  else if (typeof inner === 'object') put(inner, rest, value);
}

export function textIn(form: FormObject, key: string): string | undefined {
  const value = form[key];
  return typeof value === 'string' ? value : undefined;
}

export function objectIn(form: FormObject, key: string): FormObject {
  const value = form[key];
  return typeof value === 'object' && !Array.isArray(value) ? value : {};
}

export function listIn(form: FormObject, key: string): readonly FormValue[] {
  const value = form[key];
  return Array.isArray(value) ? value : [];
}
