import { loadAccount } from '../../accounts/index.ts';
import {
  BcdTransfer,
  type BlockedRef,
  type CreationTerms,
  EntitlementActionPolicy,
  type EntitlementCall,
  EntitlementOperation,
  type EntitlementPlugin,
  type EntitlementPluginContext,
  type EntitlementResults,
  type EntitlementSubject,
  type EntitlementSuccess,
  type EntitlementTerms,
  type FixedEntitlementTerms,
  type Ports,
} from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  BillingActionPolicy,
  BlockingStateType,
  type CallContext,
  PhaseType,
  ProductCategory,
} from '../../records/index.ts';
import {
  type ActivityPorts,
  type CalledPlugin,
  callPlugin,
  plainError,
  pluginFailure,
} from '../../runtime/index.ts';
import { BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import {
  type AnyShape,
  converterOf,
  plainBy,
  type Shape,
  type ValueKind,
} from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_ABORT_REASON_CHARACTERS } from '../../values/limits.ts';
import { Decimal } from '../../values/money/index.ts';
import { isStorable } from '../../values/text/index.ts';
import { isBillingPeriod } from '../../values/time/index.ts';
import { priceOverrideAmounts } from '../requests/create-request.ts';
import { loadBundle, loadSubscription } from '../storing/load-subscriptions.ts';

/** Time limit of one plugin call in milliseconds. The caller waits during the call. */
export const ENTITLEMENT_PLUGIN_TIMEOUT_MS = 10_000;

/** Finds the subject of an operation. @throws BillingError for unknown objects. */
type FindSubject = (session: ReadSession) => Promise<EntitlementSubject>;

interface Controlled<Operation extends EntitlementOperation, T> {
  readonly operation: Operation;
  readonly terms: EntitlementTerms[Operation];
  readonly given: FixedEntitlementTerms[Operation];
  readonly subject: FindSubject;
  /**
   * Checks the terms and returns the function that performs the operation. The check is repeated only if plugins
   * replaced terms.
   */
  prepare(terms: EntitlementTerms[Operation]): () => Promise<T>;
  resultOf(done: T): EntitlementResults[Operation];
}

/**
 * Returns a function that runs an operation and calls the host's plugins before and after it (§22).
 * @throws BillingError ENTITLEMENT_PLUGIN_API_ABORTED (8003), UNEXPECTED (60000) for a failed plugin, and the errors of
 * the operation.
 */
export function entitlementControl(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'> & ActivityPorts,
  plugins: readonly EntitlementPlugin[],
) {
  async function ask<Operation extends EntitlementOperation>(
    plugin: EntitlementPlugin,
    terms: EntitlementTerms[Operation],
    { call, seen }: { readonly call: EntitlementCall<Operation>; readonly seen: EntitlementPluginContext },
  ): Promise<EntitlementTerms[Operation]> {
    const { operation } = call;
    const { before } = plugin;
    if (before?.[operation] === undefined) return terms;
    // The result is copied during the call, so that an unreadable result is treated as an error in the plugin.
    const decided = await callPlugin(describePlugin(plugin), ports, async () =>
      decide(operation, terms, ownCopy(await before[operation]?.(call, seen))),
    );
    if ('terms' in decided) return decided.terms;
    throw 'reason' in decided
      ? pluginAbortError(plugin, operation, decided.reason)
      : pluginFailure(describePlugin(plugin), decided.problem);
  }

  /** Notifies all plugins at the same time. Plugins cannot change the result. */
  async function notify(
    reached: readonly EntitlementPlugin[],
    { operation, accountId, bundleId, subscriptionId }: EntitlementCall,
    send: (plugin: EntitlementPlugin) => Promise<void> | undefined,
  ) {
    const notifyOne = async (plugin: EntitlementPlugin) => {
      try {
        await callPlugin(describePlugin(plugin), ports, async () => send(plugin));
      } catch (err) {
        const fields = { err, pluginName: plugin.name, operation, accountId, bundleId, subscriptionId };
        ports.logger.error(fields, 'an entitlement plugin failed to handle the outcome of an operation');
      }
    };
    await Promise.all(reached.map(notifyOne));
  }

  return async <Operation extends EntitlementOperation, T>(
    context: CallContext,
    controlled: Controlled<Operation, T>,
  ): Promise<T> => {
    const asked = controlled.prepare(controlled.terms);
    if (plugins.length === 0) return asked();
    const { operation, given } = controlled;
    const subject = await ports.storage.read(context.tenant, controlled.subject);
    const seen = pluginContextOf(context);
    const reached: EntitlementPlugin[] = [];
    const callOn = (terms: EntitlementTerms[Operation]) =>
      ({
        operation,
        ...subject,
        given,
        terms: plainTerms.get(operation)?.(terms) ?? terms,
      }) as EntitlementCall<Operation>;
    let { terms } = controlled;
    let done: T;
    try {
      for (const plugin of [...plugins]) {
        reached.push(plugin);
        terms = await ask(plugin, terms, { call: callOn(terms), seen });
      }
      done = await (terms === controlled.terms ? asked : controlled.prepare(terms))();
    } catch (error) {
      const call = callOn(terms) as EntitlementCall;
      await notify(reached, call, (plugin) => plugin.failed?.(call, plainError(error), seen));
      throw error;
    }
    const result = controlled.resultOf(done);
    const plain = plainResults.get(operation)?.(result) ?? result;
    const success = { ...callOn(terms), result: plain } as EntitlementSuccess;
    await notify(reached, success, (plugin) => plugin.succeeded?.(success, seen));
    return done;
  };
}

export type EntitlementControl = ReturnType<typeof entitlementControl>;

function describePlugin({ name }: EntitlementPlugin): CalledPlugin {
  return { kind: 'entitlement plugin', name, timeoutMs: ENTITLEMENT_PLUGIN_TIMEOUT_MS };
}

function pluginContextOf(context: CallContext): EntitlementPluginContext {
  return {
    tenantId: context.tenant.id,
    userName: context.userName,
    userToken: context.userToken,
    now: new Date(context.createdDate),
    properties: context.pluginProperties ?? [],
  };
}

function pluginAbortError({ name }: EntitlementPlugin, operation: EntitlementOperation, reason: string) {
  return billingError(
    ErrorCode.ENTITLEMENT_PLUGIN_API_ABORTED,
    `The entitlement plugin "${name}" aborted the operation: ${reason.slice(0, MAX_ABORT_REASON_CHARACTERS).toWellFormed()}`,
    { pluginName: name, operation },
  );
}

export function subscriptionOf(subscriptionId: Uuid): FindSubject {
  return async (session) => {
    const { accountId, bundleId } = await loadSubscription(session, subscriptionId);
    return { accountId, bundleId, subscriptionId };
  };
}

export function bundleOf(bundleId: Uuid): FindSubject {
  return async (session) => {
    const { accountId } = await loadBundle(session, bundleId);
    return { accountId, bundleId, subscriptionId: null };
  };
}

export function blockedObjectOf({ type, id }: BlockedRef): FindSubject {
  switch (type) {
    case BlockingStateType.ACCOUNT:
      return async (session) => {
        await loadAccount(session, id);
        return { accountId: id, bundleId: null, subscriptionId: null };
      };
    case BlockingStateType.SUBSCRIPTION_BUNDLE:
      return bundleOf(id);
    case BlockingStateType.SUBSCRIPTION:
      return subscriptionOf(id);
  }
}

/** The effect of a plugin's decision. If there is a problem, the decision is invalid. */
type Decided<Terms> = { readonly terms: Terms } | { readonly reason: string } | { readonly problem: string };

type Check = (value: unknown) => boolean;
type Checks<Terms> = { readonly [Name in keyof Required<Terms>]: Check };

/**
 * Validates a plugin's decision (§22). Accepts only the fields of the operation's terms, each with the right type. The
 * values are checked later by the rules for requests.
 */
function decide<Operation extends EntitlementOperation>(
  operation: Operation,
  terms: EntitlementTerms[Operation],
  decision: unknown,
): Decided<EntitlementTerms[Operation]> {
  if (decision === null || decision === undefined) return { terms };
  if (!isRecord(decision)) return { problem: 'returned a value that is not an object' };
  const [member, ...others] = Object.keys(decision);
  if (others.length > 0) return { problem: 'returned more than one of abort and replace' };
  if (member === 'abort') return readAbortReason(decision.abort);
  if (member === 'replace') return readReplacement(operation, terms, decision.replace);
  return { problem: 'returned neither abort nor replace' };
}

type ShapesOf<Values, K extends ValueKind> = {
  readonly [Each in keyof Values as [Shape<Values[Each], K>] extends [never] ? never : Each]: Shape<
    Values[Each],
    K
  >;
};

const onDate = { requestedDate: 'requestedDate' } as const;

/** The dates and amounts in the terms. Plugins receive them as plain values and may return them as text. */
const termShapes: ShapesOf<EntitlementTerms, ValueKind> = {
  CREATE: {
    entitlementDate: 'requestedDate',
    billingDate: 'requestedDate',
    subscriptions: [{ priceOverrides: priceOverrideAmounts }],
  },
  CHANGE_PLAN: { ...onDate, priceOverrides: priceOverrideAmounts },
  CANCEL: onDate,
  PAUSE: onDate,
  RESUME: onDate,
  TRANSFER: onDate,
  ADD_BLOCKING_STATE: onDate,
};

const dated = { at: 'instant', date: 'date' } as const;

const resultShapes: ShapesOf<EntitlementResults, 'date' | 'instant'> = {
  CHANGE_PLAN: { effective: dated },
  CANCEL: { entitlementEnd: dated, billingEnd: dated },
};

function byOperation<C>(shapes: object, codecOf: (shape: AnyShape) => C): ReadonlyMap<string, C> {
  return new Map(Object.entries<AnyShape>({ ...shapes }).map(([name, shape]) => [name, codecOf(shape)]));
}

const takeTerms = byOperation(termShapes, converterOf);
const plainTerms = byOperation(termShapes, plainBy);
const plainResults = byOperation(resultShapes, plainBy);

/** Copies a plugin's decision during the plugin call, so that the decision's getters and proxies run only once. */
function ownCopy(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if (Array.isArray(answer)) return answer.map(ownCopy);
  if (Decimal.isDecimal(answer)) return new Decimal(answer);
  if (answer instanceof Date) return new Date(answer);
  return Object.fromEntries(Object.entries(answer).map(([name, member]) => [name, ownCopy(member)]));
}

export function termsOf<Operation extends EntitlementOperation>(
  operation: Operation,
  request: EntitlementTerms[Operation],
): EntitlementTerms[Operation] {
  return pickMembers(Object.keys(checks[operation]), request) as EntitlementTerms[Operation];
}

export function creationTermsOf(request: CreationTerms): CreationTerms {
  return pickMembers(Object.keys(creationChecks), request);
}

function pickMembers(names: readonly string[], source: object): object {
  return Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name)));
}

function readAbortReason(reason: unknown): Decided<never> {
  return typeof reason === 'string' && reason !== '' ? { reason } : { problem: 'aborted without a reason' };
}

function readReplacement<Operation extends EntitlementOperation>(
  operation: Operation,
  terms: EntitlementTerms[Operation],
  values: unknown,
): Decided<EntitlementTerms[Operation]> {
  if (!isRecord(values)) return { problem: 'returned a replacement that is not an object' };
  const taken = takenTerms(operation, values);
  return typeof taken === 'string' ? { problem: taken } : checkReplacement(operation, terms, taken);
}

/** Converts dates and amounts from text. For an invalid value, returns a description of the problem. */
function takenTerms(operation: EntitlementOperation, values: object): object | string {
  try {
    return (takeTerms.get(operation)?.(values, '') ?? values) as object;
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    return `replaced terms with an invalid value: ${error.message}`;
  }
}

function checkReplacement<Operation extends EntitlementOperation>(
  operation: Operation,
  terms: EntitlementTerms[Operation],
  values: object,
): Decided<EntitlementTerms[Operation]> {
  const refused = unknownMember(checks[operation], values);
  if (refused !== undefined) {
    return { problem: `replaced ${refused}, which ${operation} does not accept or not with this value` };
  }
  if ('subscriptions' in terms && 'subscriptions' in values) {
    const [before, after] = [terms.subscriptions, values.subscriptions as readonly unknown[]];
    if (after.length !== before.length)
      return { problem: 'replaced subscriptions with a different number of them' };
  }
  return { terms: { ...terms, ...values } };
}

function unknownMember(known: Readonly<Record<string, Check>>, values: object): string | undefined {
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
const codes = orNone((value) => Array.isArray(value) && value.every((code) => typeof code === 'string'));
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
  coupons: codes,
};

const creationChecks: Checks<CreationTerms> = { ...planChecks, productCategory: oneOf(ProductCategory) };

const checks: { readonly [Operation in EntitlementOperation]: Checks<EntitlementTerms[Operation]> } = {
  [EntitlementOperation.CREATE]: {
    entitlementDate: date,
    billingDate: date,
    subscriptions: (value) =>
      Array.isArray(value) &&
      value.every((each) => isRecord(each) && unknownMember(creationChecks, each) === undefined),
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
