import type { Ports } from '../ports/index.ts';
import {
  type BacklogOperations,
  BacklogService,
  type ChosenEntriesRequest,
  type FailedWorkRequest,
  type OfOneTenant,
  type QueueLookRequest,
  QueueService,
} from '../queues/index.ts';
import type { TenantRef } from '../records/index.ts';
import { converterOf, type HostInput, type Plain, plainBy } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { bindMethods } from './bind-methods.ts';
import { idOf } from './calls.ts';
import type { EngineSettings } from './foundation.ts';
import { checkedOperations } from './inputs/server-inputs.ts';

/** Returns the queue operations for operators. */
export function queueArea(
  { ports, settings }: { readonly ports: Ports; readonly settings: EngineSettings },
  topics: readonly string[],
) {
  const backlog = new BacklogService(ports, {
    topics,
    lateThresholdMs: settings.server.server['health.lateThreshold'],
  });
  return { backlog, operations: { queues: bindMethods(new QueueService(ports, backlog)) } };
}

const plainEntry = plainBy({ availableDate: 'instant', createdDate: 'instant', dueDate: 'instant' });

const takeTexts = converterOf({ accountId: 'uuid', from: 'instant', to: 'instant' });

/** Returns the queue operations across tenants, with text inputs and plain results. */
export function openedBacklog(
  backlog: BacklogService,
  refOf: (tenantId: Uuid) => Promise<TenantRef>,
): BacklogOperations {
  const takeRequest = async <R extends object>(given: HostInput<R> & OfOneTenant) => {
    const { tenantId, ...request }: OfOneTenant = given;
    const tenant = tenantId === undefined ? null : await refOf(idOf(tenantId, 'tenantId'));
    return { ...(takeTexts(request, '') as R), tenants: tenant === null ? null : [tenant.recordId] };
  };
  const toPlainEntries = <V>(views: readonly V[]) => views.map((view) => plainEntry(view) as Plain<V>);
  return checkedOperations<BacklogOperations>('backlog', {
    late: async (request = {}) =>
      toPlainEntries(await backlog.late(await takeRequest<QueueLookRequest>(request))),
    busy: async (request = {}) =>
      toPlainEntries(await backlog.busy(await takeRequest<QueueLookRequest>(request))),
    failed: async (request = {}) =>
      toPlainEntries(await backlog.failed(await takeRequest<FailedWorkRequest>(request))),
    putBack: async (request) => backlog.putBack(await takeRequest<ChosenEntriesRequest>(request)),
    free: async (request) => backlog.free(await takeRequest<ChosenEntriesRequest>(request)),
  });
}
