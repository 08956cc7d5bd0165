import type {
  BlockingOptions,
  CancelSubscriptionOptions,
  ChangePlanOptions,
  ChangePlanRequest,
} from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type BillCycleDayChange,
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  checkChangeRequest,
  checkCreateRequest,
  type HypotheticalAction,
  HypotheticalActionType,
  loadBundle,
  loadSubscription,
  PAUSED,
  type QuantityChange,
  RESUMED,
  requestedBillCycleDay,
  requestedQuantity,
} from '../../subscriptions/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import { enumeration } from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortenText } from '../../values/text/index.ts';

/** The changes that can be previewed. */
export const PreviewedChange = enumeration(
  'CREATE',
  'CHANGE_PLAN',
  'CHANGE_QUANTITY',
  'CHANGE_BILL_CYCLE_DAY',
  'CANCEL',
  'UNCANCEL',
  'UNDO_CHANGE_PLAN',
  'PAUSE',
  'RESUME',
);
export type PreviewedChange = keyof typeof PreviewedChange;

/** The subscription of a previewed change. */
export interface PreviewedSubscription {
  readonly subscriptionId?: Uuid | null | undefined;
}

/** The bundle that the previewed change pauses or resumes. */
export interface PreviewedBundle extends BlockingOptions {
  readonly bundleId?: Uuid | null | undefined;
}

/** A change with the members that its operation accepts. */
export type PreviewRequest =
  | ({ readonly change: typeof PreviewedChange.CREATE } & CreateSubscriptionRequest &
      CreateSubscriptionOptions)
  | ({ readonly change: typeof PreviewedChange.CHANGE_PLAN } & PreviewedSubscription &
      ChangePlanRequest &
      ChangePlanOptions)
  | ({ readonly change: typeof PreviewedChange.CHANGE_QUANTITY } & PreviewedSubscription & QuantityChange)
  | ({ readonly change: typeof PreviewedChange.CHANGE_BILL_CYCLE_DAY } & PreviewedSubscription &
      BillCycleDayChange)
  | ({ readonly change: typeof PreviewedChange.CANCEL } & PreviewedSubscription & CancelSubscriptionOptions)
  | ({
      readonly change: typeof PreviewedChange.UNCANCEL | typeof PreviewedChange.UNDO_CHANGE_PLAN;
    } & PreviewedSubscription)
  | ({ readonly change: typeof PreviewedChange.PAUSE | typeof PreviewedChange.RESUME } & PreviewedBundle);

/** Finds the objects of a checked request. */
type FindAction = (
  session: ReadSession,
) => Promise<{ readonly accountId: Uuid; readonly action: HypotheticalAction }>;

/**
 * Checks the request itself, without stored data (§11.1), and returns the search for its objects.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) and, like the operation itself, INVALID_PARAMETER (60002) and
 * 5. The search throws SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082) or SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081).
 */
export function checkPreview(request: PreviewRequest): FindAction {
  switch (request?.change) {
    case PreviewedChange.CREATE:
      return creation(request);
    case PreviewedChange.CHANGE_PLAN: {
      const change = checkChangeRequest(request, request);
      return onSubscription(request, (of) => ({
        type: HypotheticalActionType.CHANGE,
        of,
        request: change,
        productCategory: null,
        seesEndOfDay: false,
      }));
    }
    case PreviewedChange.CHANGE_QUANTITY: {
      const quantity = requestedQuantity(request);
      return onSubscription(request, (of) => ({ type: 'CHANGE_QUANTITY', of, quantity, from: request }));
    }
    case PreviewedChange.CHANGE_BILL_CYCLE_DAY: {
      const day = requestedBillCycleDay(request);
      return onSubscription(request, (of) => ({ type: 'CHANGE_BILL_CYCLE_DAY', of, day, from: request }));
    }
    case PreviewedChange.UNCANCEL:
    case PreviewedChange.UNDO_CHANGE_PLAN: {
      const type = request.change;
      return onSubscription(request, (of) => ({ type, of }));
    }
    case PreviewedChange.CANCEL:
      return onSubscription(request, (of) => ({
        type: HypotheticalActionType.STOP_BILLING,
        of,
        options: request,
      }));
    case PreviewedChange.PAUSE:
    case PreviewedChange.RESUME:
      return onBundle(request);
    default:
      throw unknownChange(request);
  }
}

function creation(request: Extract<PreviewRequest, { readonly change: 'CREATE' }>): FindAction {
  const checked = checkCreateRequest(request);
  const type = HypotheticalActionType.START_BILLING;
  const action = { type, request: checked, options: request, seesEndOfDay: false };
  return async () => ({ accountId: checked.accountId, action });
}

function onSubscription(
  { change, subscriptionId }: PreviewedSubscription & Pick<PreviewRequest, 'change'>,
  actionOn: (of: { readonly subscriptionId: Uuid; readonly bundleId: Uuid }) => HypotheticalAction,
): FindAction {
  if (!subscriptionId) throw missing('subscriptionId', change);
  return async (session) => {
    const { accountId, bundleId } = await loadSubscription(session, subscriptionId);
    return { accountId, action: actionOn({ subscriptionId, bundleId }) };
  };
}

function onBundle({
  change,
  bundleId,
  requestedDate = null,
}: Extract<PreviewRequest, { readonly change: 'PAUSE' | 'RESUME' }>): FindAction {
  if (!bundleId) throw missing('bundleId', change);
  const state = change === PreviewedChange.PAUSE ? PAUSED : RESUMED;
  return async (session) => {
    const { accountId } = await loadBundle(session, bundleId);
    return { accountId, action: { type: 'SET_BUNDLE_STATE', bundleId, state, requestedDate } };
  };
}

function missing(field: string, change: PreviewedChange) {
  return invalidField(`${field} needs to be set to preview ${change}`, { field });
}

function unknownChange(request: unknown) {
  const change: unknown = Reflect.get(Object(request), 'change');
  const names = Object.keys(PreviewedChange).join(', ');
  const given =
    change === undefined || change === null ? 'is missing' : `"${shortenText(String(change))}" is invalid`;
  return invalidField(`change ${given}. Use one of ${names}`, { field: 'change' });
}
