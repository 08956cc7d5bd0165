import type { ReadSession } from '../../ports/storage/index.ts';
import type { TenantKeyValue } from '../../records/index.ts';
import { paymentStateMachineKey } from '../../tenants/index.ts';
import { BillingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import { MAX_CACHED_STATE_MACHINES } from '../../values/limits.ts';
import type { OperationTable } from '../state/payment-state.ts';
import { readStateMachine } from '../state/state-machine.ts';

/** Tables of operations that a tenant has put in the place of the engine's own (§3.1), by plugin name. */
export type StateMachinesOf = ReadonlyMap<string, OperationTable>;

const NONE: StateMachinesOf = new Map();

/**
 * The payment state machines of tenants, each parsed once: the tenant's row tells the revision of its documents, so that
 * the next operation on every node follows an upload or a deletion.
 */
export class StateMachines {
  /** By key: the names of the gateways that there are. */
  readonly #names: ReadonlyMap<string, string>;
  /** By tenant, as they were at a revision. */
  readonly #kept = new Map<number, { readonly revision: number; readonly tables: StateMachinesOf }>();

  constructor(gateways: ReadonlyMap<string, unknown>) {
    this.#names = new Map([...gateways.keys()].map((name) => [paymentStateMachineKey(name), name]));
  }

  /**
   * Those in force for the session's tenant.
   * @throws BillingError PAYMENT_STATE_MACHINE_FAILURE (7036) for a stored document that cannot be read.
   */
  async of(session: ReadSession): Promise<StateMachinesOf> {
    const { stateMachineRevision: revision } = await session.revisions();
    if (revision === null) return NONE;
    const { recordId, within } = session.tenant;
    const kept = this.#kept.get(recordId);
    if (kept?.revision === revision) return kept.tables;
    const rows = await session.keyValues.find([...this.#names.keys()]);
    const tables = new Map(rows.map((row) => [this.#names.get(row.key) ?? '', parsed(row)]));
    // The host may roll back what its transaction holds, so it is not kept.
    if (within) return tables;
    this.#kept.delete(recordId);
    this.#kept.set(recordId, { revision, tables });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_CACHED_STATE_MACHINES && oldest !== undefined) this.#kept.delete(oldest);
    return tables;
  }
}

/**
 * Refuses an upload that cannot be read.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003).
 */
export function checkStateMachine(text: string): void {
  try {
    readStateMachine(text);
  } catch (error) {
    throw invalidField(`The value is not a well-formed XML document: ${reasonOf(error)}`);
  }
}

function parsed({ key, value }: TenantKeyValue): OperationTable {
  try {
    return readStateMachine(value);
  } catch (error) {
    throw new BillingError({
      code: ErrorCode.PAYMENT_STATE_MACHINE_FAILURE,
      message: `The value of the tenant's key ${key} cannot be read, nothing was attempted; upload it again: ${reasonOf(error)}`,
      facts: { key },
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
