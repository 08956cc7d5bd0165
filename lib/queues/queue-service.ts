import { loadAccount } from '../accounts/index.ts';
import type { Ports } from '../ports/index.ts';
import { type CallContext, SYSTEM_TENANT, type WithContext } from '../records/index.ts';
import type { BacklogService } from './backlog-service.ts';
import { exportQueues } from './queue-export-service.ts';
import type {
  ChosenEntriesRequest,
  FailedWorkRequest,
  LateEntryView,
  QueueEntryView,
  QueueExportRequest,
  QueueLookRequest,
  QueueOperations,
} from './queue-operations.ts';

/** The queue of one tenant (platform §9). */
export class QueueService implements QueueOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'>;
  readonly #backlog: BacklogService;

  constructor(ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'>, backlog: BacklogService) {
    this.#ports = ports;
    this.#backlog = backlog;
  }

  export(context: CallContext, request: QueueExportRequest = {}): Promise<AsyncIterable<string>> {
    return exportQueues(this.#ports, context, request);
  }

  async late(context: CallContext, request: QueueLookRequest = {}): Promise<readonly LateEntryView[]> {
    return this.#backlog.late({
      ...(await this.#checkRequestedAccount(context, request)),
      tenants: own(context),
    });
  }

  async busy(context: CallContext, request: QueueLookRequest = {}): Promise<readonly QueueEntryView[]> {
    return this.#backlog.busy({
      ...(await this.#checkRequestedAccount(context, request)),
      tenants: own(context),
    });
  }

  async failed(context: CallContext, request: FailedWorkRequest = {}): Promise<readonly QueueEntryView[]> {
    return this.#backlog.failed({
      ...(await this.#checkRequestedAccount(context, request)),
      tenants: ownAndSystem(context),
    });
  }

  async putBack(context: CallContext, request: ChosenEntriesRequest): Promise<number> {
    const count = await this.#backlog.putBack({ ...request, tenants: ownAndSystem(context) });
    this.#tell(context, 'failed queue entries were queued again', { ...request, count });
    return count;
  }

  async free(context: CallContext, request: ChosenEntriesRequest): Promise<number> {
    const count = await this.#backlog.free({ ...request, tenants: ownAndSystem(context) });
    this.#tell(context, 'stuck queue entries were released', { ...request, count });
    return count;
  }

  #tell({ userName, principal, tenant }: CallContext, what: string, facts: object) {
    this.#ports.logger.warn({ ...facts, userName, principal, tenantId: tenant.id }, what);
  }

  async #checkRequestedAccount<R extends QueueLookRequest>({ tenant }: CallContext, request: R) {
    const { accountId } = request;
    if (accountId !== undefined)
      await this.#ports.storage.read(tenant, (session) => loadAccount(session, accountId));
    return request;
  }
}

function own({ tenant }: CallContext) {
  return [tenant.recordId];
}

/** Returns the tenants whose queue entries a caller is allowed to manage (platform §12.1 rule 6). */
export function ownAndSystem({ tenant }: Pick<CallContext, 'tenant'>): readonly number[] {
  return [tenant.recordId, SYSTEM_TENANT.recordId];
}
