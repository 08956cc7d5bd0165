import { loadAccount } from '../accounts/index.ts';
import type { Ports } from '../ports/index.ts';
import type { CallContext, WithContext } from '../records/index.ts';
import type { BacklogService } from './backlog-service.ts';
import { QueueExportService } from './queue-export-service.ts';
import type {
  FailedWorkRequest,
  LateEntryView,
  PutBackRequest,
  QueueEntryView,
  QueueExportRequest,
  QueueLookRequest,
  QueueOperations,
} from './queue-operations.ts';

/** The queue of one tenant (platform §9). */
export class QueueService implements QueueOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'>;
  readonly #backlog: BacklogService;
  readonly #exports: QueueExportService;

  constructor(ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'>, backlog: BacklogService) {
    this.#ports = ports;
    this.#backlog = backlog;
    this.#exports = new QueueExportService(ports);
  }

  export(context: CallContext, request: QueueExportRequest = {}): Promise<AsyncIterable<string>> {
    return this.#exports.export(context, request);
  }

  async late(context: CallContext, request: QueueLookRequest = {}): Promise<readonly LateEntryView[]> {
    return this.#backlog.late(await this.#asked(context, request));
  }

  async busy(context: CallContext, request: QueueLookRequest = {}): Promise<readonly QueueEntryView[]> {
    return this.#backlog.busy(await this.#asked(context, request));
  }

  async failed(context: CallContext, request: FailedWorkRequest = {}): Promise<readonly QueueEntryView[]> {
    return this.#backlog.failed(await this.#asked(context, request));
  }

  async putBack(context: CallContext, request: PutBackRequest): Promise<number> {
    const { tenant, userName } = context;
    const putBack = await this.#backlog.putBack({ ...request, tenantRecordId: tenant.recordId });
    const { recordIds } = request;
    this.#ports.logger.warn(
      { userName, tenantId: tenant.id, recordIds, putBack },
      'failed entries were put back',
    );
    return putBack;
  }

  async #asked<R extends QueueLookRequest>({ tenant }: CallContext, request: R) {
    const { accountId } = request;
    if (accountId !== undefined)
      await this.#ports.storage.read(tenant, (session) => loadAccount(session, accountId));
    return { ...request, tenantRecordId: tenant.recordId };
  }
}
