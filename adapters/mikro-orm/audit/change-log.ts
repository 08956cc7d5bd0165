import { randomBytes } from 'node:crypto';
import type { AuditRow, Authorship, ChangeType, New } from '../../../lib/records/index.ts';
import { createUuidV7, type Uuid } from '../../../lib/values/ids/index.ts';
import { insertInto, type TenantScope } from '../tables/record-access.ts';
import { auditLogTable } from '../tables/system.ts';

/** One change of an audited record. */
export interface Change {
  readonly tableName: string;
  readonly changeType: ChangeType;
  readonly targetId: Uuid;
  readonly targetRecordId: number;
  readonly accountRecordId: number | null;
  /** The record's history columns after the change (accounts §14.1). */
  readonly snapshot: Readonly<Record<string, unknown>> | null;
  /** Comments of its own; default: those of the call. */
  readonly comments?: string | null;
}

/**
 * Changes that were made at once. Each is made when it is written, since the histories of a large run together take more
 * memory than its records.
 */
export interface Changes {
  readonly length: number;
  at(index: number): Change;
}

const auditIds = createUuidV7({ now: () => Date.now(), randomBytes: (length) => randomBytes(length) });

/** A statement is bound as a whole before it is sent: the rows of 60,000 changes would take 100 MiB on their way. */
const MOST_ROWS = 4_096;

/** Collects the changes of a transaction and writes their audit rows, many with each statement (accounts §14 rule 1). */
export class ChangeLog {
  readonly #noted: Changes[] = [];
  /** How many changes of the first ones noted are written. */
  #written = 0;
  /** How many are not. */
  #left = 0;

  add(change: Change): void {
    this.addAll({ length: 1, at: () => change });
  }

  addAll(changes: Changes): void {
    this.#noted.push(changes);
    this.#left += changes.length;
  }

  /** Whether one statement is not enough. */
  get isLong(): boolean {
    return this.#left > MOST_ROWS;
  }

  /** Writes all but the last changes, for which one statement is enough. */
  async flushLong(scope: TenantScope, authorship: Authorship): Promise<void> {
    while (this.isLong) await this.#write(scope, authorship);
  }

  async flush(scope: TenantScope, authorship: Authorship): Promise<void> {
    while (this.#left > 0) await this.#write(scope, authorship);
  }

  async #write(scope: TenantScope, authorship: Authorship): Promise<void> {
    const parts = this.#take(Math.min(MOST_ROWS, this.#left));
    const rows = {
      length: parts.reduce((sum, { from, to }) => sum + (to - from), 0),
      *[Symbol.iterator]() {
        for (const { changes, from, to } of parts) {
          for (let index = from; index < to; index += 1) yield rowOf(changes.at(index), authorship);
        }
      },
    };
    await scope.runner.run(insertInto(scope, auditLogTable, rows));
  }

  /** Takes so many of the changes out of the log, the first ones. */
  #take(count: number): readonly Part[] {
    const parts: Part[] = [];
    let missing = count;
    for (const changes of this.#noted) {
      const from = parts.length === 0 ? this.#written : 0;
      const to = Math.min(changes.length, from + missing);
      parts.push({ changes, from, to });
      missing -= to - from;
      if (missing === 0) break;
    }
    const last = parts.at(-1);
    const isBegun = last !== undefined && last.to < last.changes.length;
    this.#noted.splice(0, isBegun ? parts.length - 1 : parts.length);
    this.#written = isBegun ? last.to : 0;
    this.#left -= count;
    return parts;
  }
}

interface Part {
  readonly changes: Changes;
  readonly from: number;
  readonly to: number;
}

function rowOf(change: Change, authorship: Authorship): New<AuditRow> {
  const { tableName, changeType, targetId, targetRecordId, accountRecordId, snapshot } = change;
  return {
    id: auditIds.next(),
    tableName,
    targetId,
    targetRecordId,
    accountRecordId,
    changeType,
    changeDate: authorship.createdDate,
    changedBy: authorship.userName,
    reasonCode: authorship.reasonCode,
    comments: change.comments ?? authorship.comments,
    userToken: authorship.userTokenOf(accountRecordId),
    snapshot,
  };
}
