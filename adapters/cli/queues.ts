import { Billing } from '../../lib/billing.ts';
import type {
  BacklogOperations,
  LateEntryView,
  QueueEntryView,
  QueueKind,
  QueueLookRequest,
} from '../../lib/index.ts';
import { formatInstant } from '../../lib/values/time/index.ts';
import { openStorage } from './database.ts';
import { namedTenant } from './named-tenant.ts';
import { type ConfiguredLikeServer, partsBesideServer } from './parts-beside-server.ts';
import { UsageError } from './usage-error.ts';

/** What is asked of the queues. */
export const queueLooks = ['late', 'busy', 'failed'] as const;
/** What is done to entries of the queues. */
export const queueChanges = ['put-back', 'free'] as const;
type QueueLook = (typeof queueLooks)[number];
type QueueChange = (typeof queueChanges)[number];

export interface QueueOptions extends ConfiguredLikeServer {
  readonly look: QueueLook | QueueChange;
  /** Path of a SQLite file or URL of a PostgreSQL database. */
  readonly database: string;
  /** Id or API key of the one tenant; undefined = all. */
  readonly tenant?: string | undefined;
  readonly account?: string | undefined;
  readonly kind?: string | undefined;
  readonly limit?: string | undefined;
  /** Numbers of the entries that are put back or freed. */
  readonly records: readonly string[];
}

/** What is shown of a look: the entries, or how many were put back or freed. */
export type Looked = { readonly entries: readonly (QueueEntryView | LateEntryView)[] } | ChangedEntries;
type ChangedEntries = { readonly putBack: number } | { readonly freed: number };

const kinds: Readonly<Record<string, QueueKind>> = { bus: 'BUS', notification: 'NOTIFICATION' };

/** Looks at the queues of a database, puts failed entries back, or frees stuck ones; takes over no work. */
export async function lookAtQueues(options: QueueOptions): Promise<Looked> {
  const { look, kind } = options;
  if (kind !== undefined && !Object.hasOwn(kinds, kind))
    throw new UsageError(`--kind ${kind} is neither bus nor notification`);
  const records = options.records.map((text) => numberOf('--record', text));
  if (isChange(look) && (kind === undefined || records.length === 0))
    throw new UsageError(`queues ${look} needs --kind and at least one --record`);
  const storage = await openStorage(options.database, {
    migrate: false,
    readOnly: !isChange(look),
    mustExist: true,
  });
  try {
    const parts = partsBesideServer(storage, options);
    const backlog = await Billing.openBacklog<never>(parts);
    await parts.clock.refresh();
    const tenant = options.tenant === undefined ? null : await namedTenant(storage, options.tenant);
    const ofTenant = tenant === null ? {} : { tenantId: tenant.id };
    const ofKind = kind === undefined ? {} : { kind: kinds[kind] as QueueKind };
    if (isChange(look)) {
      const chosen = { ...ofTenant, kind: kinds[kind ?? ''] as QueueKind, recordIds: records };
      return look === 'free'
        ? { freed: await backlog.free(chosen) }
        : { putBack: await backlog.putBack(chosen) };
    }
    const request = {
      ...ofTenant,
      ...ofKind,
      ...(options.account === undefined ? {} : { accountId: options.account }),
      ...(options.limit === undefined ? {} : { limit: numberOf('--limit', options.limit) }),
    };
    return { entries: await entriesOf(backlog, look, request as QueueLookRequest) };
  } finally {
    await storage.close();
  }
}

function entriesOf(
  backlog: BacklogOperations,
  look: QueueLook,
  request: QueueLookRequest,
): Promise<readonly (QueueEntryView | LateEntryView)[]> {
  switch (look) {
    case 'late':
      return backlog.late(request);
    case 'busy':
      return backlog.busy(request);
    case 'failed':
      return backlog.failed(request);
  }
}

function isChange(look: QueueLook | QueueChange): look is QueueChange {
  return queueChanges.some((each) => each === look);
}

/** What was done, in a line for people. */
export function changedText(changed: ChangedEntries): string {
  return 'freed' in changed ? `${changed.freed} freed.` : `${changed.putBack} put back.`;
}

/** An entry in a line for people. */
export function entryText(entry: QueueEntryView | LateEntryView): string {
  const { kind, recordId, topic, dueDate, tenantId, accountId, errorCount, reason, processingOwner } = entry;
  const whose = `tenant ${tenantId ?? 'none'}${accountId === null ? '' : ` account ${accountId}`}`;
  const head = `${kind} ${recordId} ${topic} due ${formatInstant(dueDate)} ${whose}`;
  if ('why' in entry) return `${head}: ${entry.cause}, ${entry.why}`;
  if (entry.state === 'IN_PROCESSING') return `${head}: ${processingOwner ?? 'a node'} works on it`;
  return `${head}: ${entry.state} after ${errorCount} retries${reason === null ? '' : `, ${reason}`}`;
}

function numberOf(option: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`${option} ${text} is no positive whole number`);
}
