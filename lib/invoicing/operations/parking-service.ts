import { lockAccount } from '../../accounts/index.ts';
import { SystemTag } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import { type CallContext, ObjectType, type Page, type PageRequest } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { checkText } from '../../values/text/index.ts';
import { localDateOf, UTC } from '../../values/time/index.ts';
import type { AccountParking, ParkedRun } from '../invoices/requests.ts';
import { parkAccounts, unparkAccount } from '../runs/parking.ts';
import type { InvoiceRunService } from './run-service.ts';

/** Characters of the reason for which an operator parks an account, as of a comment. */
const MAX_PARKING_REASON_CHARACTERS = 255;

const DEFAULT_REASON = 'parked by an operator';

/** Parks accounts by hand, and lets automatic runs go on (§8.6). */
export class ParkingService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>) {
    this.#ports = ports;
  }

  async parked(context: CallContext, request: PageRequest): Promise<Page<AccountParking>> {
    const page = await this.#ports.storage.read(context.tenant, ({ tags }) =>
      tags.pageCarried({ objectType: ObjectType.ACCOUNT, definitionId: SystemTag.PARK }, request),
    );
    const rows = page.rows.map(({ objectId, createdDate }) => ({
      accountId: objectId,
      parkedDate: createdDate,
    }));
    return { ...page, rows };
  }

  async park(
    context: CallContext,
    accountId: Uuid,
    options: { readonly reason?: string } = {},
  ): Promise<void> {
    const reason = checkText('reason', options.reason ?? DEFAULT_REASON, MAX_PARKING_REASON_CHARACTERS);
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      await parkAccounts(session, [{ account, reason }], this.#ports.ids);
    });
  }

  async unpark(context: CallContext, accountId: Uuid): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) =>
      unparkAccount(session, await lockAccount(session, accountId)),
    );
  }
}

/** Runs accounts that automatic runs pass over (platform §11). */
export class ParkedRunService {
  readonly #ports: Pick<Ports, 'storage' | 'logger'>;
  readonly #runs: InvoiceRunService;

  constructor(ports: Pick<Ports, 'storage' | 'logger'>, runs: InvoiceRunService) {
    this.#ports = ports;
    this.#runs = runs;
  }

  async generateForParked(context: CallContext, request: PageRequest): Promise<Page<ParkedRun>> {
    const parked = await this.#ports.storage.read(context.tenant, ({ tags }) =>
      tags.pageCarried({ objectType: ObjectType.ACCOUNT, definitionId: SystemTag.PARK }, request),
    );
    const rows: ParkedRun[] = [];
    const targetDate = localDateOf(context.createdDate, UTC);
    // One after the other: each is a transaction of its own under its account's lock.
    for (const { objectId: accountId } of parked.rows) {
      rows.push({ accountId, error: await this.#run(context, { accountId, targetDate }) });
    }
    return { ...parked, rows };
  }

  /** Name of the error that the run has ended with; null = none. */
  async #run(
    context: CallContext,
    request: Parameters<InvoiceRunService['generate']>[1],
  ): Promise<string | null> {
    try {
      await this.#runs.generate(context, request);
      return null;
    } catch (error) {
      const { accountId } = request;
      this.#ports.logger.warn({ err: error, accountId }, 'the run of a parked account has failed');
      return nameOf(error);
    }
  }
}

function nameOf(error: unknown): string {
  const code = error instanceof BillingError ? error.code : ErrorCode.UNEXPECTED_ERROR;
  return Object.entries(ErrorCode).find(([, value]) => value === code)?.[0] ?? 'UNEXPECTED_ERROR';
}
