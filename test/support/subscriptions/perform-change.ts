import type { HostInput, PreviewRequest, TenantBilling } from '../../../lib/index.ts';

/** Makes the change of a preview, by the operation with the same options. */
export function performChange(
  { subscriptions, blocking }: TenantBilling,
  request: HostInput<PreviewRequest>,
): Promise<unknown> {
  switch (request.change) {
    case 'CREATE':
      return subscriptions.create(request, request);
    case 'CHANGE_PLAN':
      return subscriptions.changePlan(String(request.subscriptionId), request);
    case 'CHANGE_QUANTITY':
      return subscriptions.changeQuantity(String(request.subscriptionId), request);
    case 'CANCEL':
      return subscriptions.cancel(String(request.subscriptionId), request);
    case 'CHANGE_BILL_CYCLE_DAY':
      return subscriptions.changeBillCycleDay(String(request.subscriptionId), request);
    case 'UNCANCEL':
      return subscriptions.uncancel(String(request.subscriptionId));
    case 'UNDO_CHANGE_PLAN':
      return subscriptions.undoChangePlan(String(request.subscriptionId));
    case 'PAUSE':
      return blocking.pauseBundle(String(request.bundleId), request);
    case 'RESUME':
      return blocking.resumeBundle(String(request.bundleId), request);
  }
}
