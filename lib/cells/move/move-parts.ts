import type { SystemClock } from '../../ports/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import type { TenantPlace, TenantRef } from '../../records/index.ts';
import { atMost } from '../../runtime/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { MoveProgress } from './move-progress.ts';

type MovingCell = Pick<Storage, 'moves'>;

/** The storages of a deployment with cells. */
export interface MoveParts {
  readonly directory: Pick<Storage, 'cells'>;
  /** The cells by name. */
  readonly cells: ReadonlyMap<string, MovingCell>;
  readonly systemClock: SystemClock;
}

export interface MoveOptions {
  readonly onProgress?: (progress: MoveProgress) => void;
  /** Signal that interrupts the move. Repeating the call continues the move. */
  readonly signal?: AbortSignal;
  /** Milliseconds between the switch and the deletion of the rows in the source. Defaults to one minute. */
  readonly cleanUpAfterMs?: number;
}

/** Returns the storage of a cell. @throws BillingError MISSING_OR_INVALID_FIELD for an unknown cell. */
export function cellOf({ cells }: MoveParts, name: string): MovingCell {
  const cell = cells.get(name);
  if (cell !== undefined) return cell;
  throw billingError(
    ErrorCode.MISSING_OR_INVALID_FIELD,
    `Unknown cell "${name}". The cells are ${[...cells.keys()].join(', ')}`,
  );
}

export async function placeOf({ directory }: MoveParts, tenant: TenantRef): Promise<TenantPlace> {
  const [place] = await directory.cells.places({ recordIds: [tenant.recordId] });
  if (place !== undefined) return place;
  throw billingError(ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID, `Tenant ${tenant.id} does not exist`);
}

/** Waits unless the caller aborts the move. */
export async function waitFor(
  { systemClock }: Pick<MoveParts, 'systemClock'>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  if (ms <= 0) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  signal?.addEventListener('abort', () => resolve(), { once: true });
  await atMost(systemClock, ms, aborted);
  signal?.throwIfAborted();
}

/** Returns the error for a process whose move was taken over by another process. */
export function moveIsLost({ id }: TenantRef): BillingError {
  return billingError(
    ErrorCode.BUSY,
    `Another process has taken over the move of tenant ${id}, or has ended it; look at the place of the tenant`,
  );
}
