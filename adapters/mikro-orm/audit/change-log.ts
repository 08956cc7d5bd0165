import { randomBytes } from 'node:crypto';
import type { AuditRow, Authorship, ChangeType, New } from '../../../lib/records/index.ts';
import { createUuidV7, type Uuid } from '../../../lib/values/ids/index.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { auditLogTable } from '../tables/system.ts';

export interface Change {
  readonly tableName: string;
  readonly changeType: ChangeType;
  readonly targetId: Uuid;
  readonly targetRecordId: number;
  readonly accountRecordId: number | null;
  /** The history columns after the change (accounts §14.1). */
  readonly snapshot: Readonly<Record<string, unknown>> | null;
  /** Overrides the comments of the call. */
  readonly comments?: string | null;
}

/** Changes that are created only when they are written, because those of a large run need more memory than its records. */
export interface Changes {
  readonly length: number;
  at(index: number): Change;
}

const auditIds = createUuidV7({ now: () => Date.now(), randomBytes: (length) => randomBytes(length) });

/** Limits the memory of a statement, which is bound as a whole: the rows of 60,000 changes take 100 MiB. */
const MOST_ROWS = 4_096;

/** Collects the changes of a transaction and writes their audit rows in large statements (accounts §14 rule 1). */
export class ChangeLog {
  readonly #noted: Changes[] = [];
  /** The number of written changes among the first noted ones. */
  #written = 0;
  #left = 0;

  add(change: Change): void {
    this.addAll({ length: 1, at: () => change });
  }

  addAll(changes: Changes): void {
    this.#noted.push(changes);
    this.#left += changes.length;
  }

  get isLong(): boolean {
    return this.#left > MOST_ROWS;
  }

  /** Writes all but the last changes, which fit into one statement. */
  async flushLong(scope: TenantScope, authorship: Authorship): Promise<void> {
    while (this.isLong) await this.#write(scope, authorship);
  }

  async flush(scope: TenantScope, authorship: Authorship): Promise<void> {
    while (this.#left > 0) await this.#write(scope, authorship);
  }

  async #write(scope: TenantScope, authorship: Authorship) {
    const parts = this.#take(Math.min(MOST_ROWS, this.#left));
    const rows = {
      length: parts.reduce((sum, { from, to }) => sum + (to - from), 0),
      *[Symbol.iterator]() {
        for (const { changes, from, to } of parts) {
          for (let index = from; index < to; index += 1) yield rowOf(changes.at(index), authorship);
        }
      },
    };
    await scope.runner.run(scope.insertInto(auditLogTable, rows));
  }

  /** Removes the first `count` changes from the log and returns them. */
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
