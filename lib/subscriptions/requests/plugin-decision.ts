import {
  BcdTransfer,
  type CreationTerms,
  EntitlementActionPolicy,
  EntitlementOperation,
  type EntitlementTerms,
} from '../../ports/index.ts';
import { BillingActionPolicy, PhaseType, ProductCategory } from '../../records/index.ts';
import { Decimal } from '../../values/money/index.ts';
import { isStorable } from '../../values/text/index.ts';
import { isBillingPeriod } from '../../values/time/index.ts';

/** The effect of a plugin's decision; a problem is the plugin's mistake. */
type Decided<Terms> = { readonly terms: Terms } | { readonly reason: string } | { readonly problem: string };

type Check = (value: unknown) => boolean;
type Checks<Terms> = { readonly [Name in keyof Required<Terms>]: Check };

/**
 * Reads a plugin's untrusted answer (§22): only members of the operation's terms, each of its type. The rules for
 * requests check the values.
 */
export function decide<Operation extends EntitlementOperation>(
  operation: Operation,
  terms: EntitlementTerms[Operation],
  decision: unknown,
): Decided<EntitlementTerms[Operation]> {
  if (decision === null || decision === undefined) return { terms };
  if (!isRecord(decision)) return { problem: 'answered neither nothing nor an object' };
  const [member, ...others] = Object.keys(decision);
  if (others.length > 0) return { problem: 'answered more than one of abort and replace' };
  if (member === 'abort') return aborted(decision.abort);
  if (member === 'replace') return replaced(operation, terms, decision.replace);
  return { problem: 'answered neither abort nor replace' };
}

/** Copies an answer, so that its getters and proxies run once, during the plugin's call. */
export function ownCopy(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if (Array.isArray(answer)) return answer.map(ownCopy);
  if (Decimal.isDecimal(answer)) return new Decimal(answer);
  return Object.fromEntries(Object.entries(answer).map(([name, member]) => [name, ownCopy(member)]));
}

export function termsOf<Operation extends EntitlementOperation>(
  operation: Operation,
  request: EntitlementTerms[Operation],
): EntitlementTerms[Operation] {
  return picked(Object.keys(checks[operation]), request) as EntitlementTerms[Operation];
}

export function creationTermsOf(request: CreationTerms): CreationTerms {
  return picked(Object.keys(creationChecks), request);
}

function picked(names: readonly string[], source: object): object {
  return Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name)));
}

function aborted(reason: unknown): Decided<never> {
  return typeof reason === 'string' && reason !== '' ? { reason } : { problem: 'aborted without a reason' };
}

function replaced<Operation extends EntitlementOperation>(
  operation: Operation,
  terms: EntitlementTerms[Operation],
  values: unknown,
): Decided<EntitlementTerms[Operation]> {
  if (!isRecord(values)) return { problem: 'replaced by something that is no object' };
  const refused = refusedMember(checks[operation], values);
  if (refused !== undefined) {
    return { problem: `replaced ${refused}, which ${operation} does not take, or not with such a value` };
  }
  if ('subscriptions' in terms && 'subscriptions' in values) {
    const [before, after] = [terms.subscriptions, values.subscriptions as readonly unknown[]];
    if (after.length !== before.length)
      return { problem: 'replaced subscriptions by another number of them' };
  }
  return { terms: { ...terms, ...values } };
}

function refusedMember(known: Readonly<Record<string, Check>>, values: object): string | undefined {
  return Object.entries(values).find(([name, value]) => {
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    return check === undefined || !check(value);
  })?.[0];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function orNone(check: Check): Check {
  return (value) => value === null || value === undefined || check(value);
}

function oneOf(choices: Readonly<Record<string, string>>): Check {
  return orNone((value) => Object.values<unknown>(choices).includes(value));
}

const text = orNone((value) => typeof value === 'string' && isStorable(value));
const count = orNone((value) => typeof value === 'number');
const flag = orNone((value) => typeof value === 'boolean');
const prices = orNone((value) => Array.isArray(value) && value.every(isRecord));
const date = orNone(
  (value) => isRecord(value) && [value.date, value.at].some((each) => Number.isSafeInteger(each)),
);

const planChecks = {
  planName: text,
  productName: text,
  billingPeriod: orNone((value) => typeof value === 'string' && isBillingPeriod(value)),
  priceList: text,
  phaseType: oneOf(PhaseType),
  billCycleDayLocal: count,
  quantity: count,
  priceOverrides: prices,
};

const creationChecks: Checks<CreationTerms> = { ...planChecks, productCategory: oneOf(ProductCategory) };

const checks: { readonly [Operation in EntitlementOperation]: Checks<EntitlementTerms[Operation]> } = {
  [EntitlementOperation.CREATE]: {
    entitlementDate: date,
    billingDate: date,
    subscriptions: (value) =>
      Array.isArray(value) &&
      value.every((each) => isRecord(each) && refusedMember(creationChecks, each) === undefined),
  },
  [EntitlementOperation.CHANGE_PLAN]: {
    ...planChecks,
    requestedDate: date,
    billingPolicy: oneOf(BillingActionPolicy),
  },
  [EntitlementOperation.UNDO_CHANGE_PLAN]: {},
  [EntitlementOperation.CANCEL]: {
    requestedDate: date,
    entitlementPolicy: oneOf(EntitlementActionPolicy),
    billingPolicy: oneOf(BillingActionPolicy),
    useRequestedDateForBilling: flag,
  },
  [EntitlementOperation.UNCANCEL]: {},
  [EntitlementOperation.PAUSE]: { requestedDate: date },
  [EntitlementOperation.RESUME]: { requestedDate: date },
  [EntitlementOperation.TRANSFER]: {
    requestedDate: date,
    billingPolicy: oneOf(BillingActionPolicy),
    bcdTransfer: oneOf(BcdTransfer),
  },
  [EntitlementOperation.RENAME_KEY]: {},
  [EntitlementOperation.ADD_BLOCKING_STATE]: { requestedDate: date },
};
