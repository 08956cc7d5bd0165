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

/** Maximum number of characters of an operator's reason for parking. Comments have the same limit. */
const MAX_PARKING_REASON_CHARACTERS = 255;

const DEFAULT_REASON = 'parked by an operator';

const parkTag = { objectType: ObjectType.ACCOUNT, definitionId: SystemTag.PARK };

/**
 * Operations that park accounts manually, unpark them, and start invoice runs for parked accounts (§8.6, platform §11).
 */
export function parkingOperations(
  { storage, ids, logger }: Pick<Ports, 'storage' | 'ids' | 'logger'>,
  runs: InvoiceRunService,
) {
  return {
    parked: ({ tenant }: CallContext, request: PageRequest): Promise<Page<AccountParking>> =>
      storage.read(tenant, async (session) => {
        const page = await session.tags.pageCarried(parkTag, request);
        const changes = await session.audit.findByTargets(page.rows.map(({ id }) => id));
        const reasons = new Map(changes.map(({ targetId, comments }) => [targetId, comments ?? '']));
        const rows = page.rows.map(({ id, objectId: accountId, createdDate: parkedDate }) => ({
          accountId,
          parkedDate,
          reason: reasons.get(id) ?? '',
        }));
        return { ...page, rows };
      }),

    park: async (
      context: CallContext,
      accountId: Uuid,
      options: { readonly reason?: string } = {},
    ): Promise<void> => {
      const reason = checkText('reason', options.reason ?? DEFAULT_REASON, MAX_PARKING_REASON_CHARACTERS);
      await storage.write(context.tenant, authorshipOf(context), async (session) => {
        const account = await lockAccount(session, accountId);
        await parkAccounts(session, [{ account, reason }], ids);
      });
    },

    unpark: (context: CallContext, accountId: Uuid): Promise<void> =>
      storage.write(context.tenant, authorshipOf(context), async (session) =>
        unparkAccount(session, await lockAccount(session, accountId)),
      ),

    generateForParked: async (context: CallContext, request: PageRequest): Promise<Page<ParkedRun>> => {
      const parked = await storage.read(context.tenant, ({ tags }) => tags.pageCarried(parkTag, request));
      const rows: ParkedRun[] = [];
      const targetDate = localDateOf(context.createdDate, UTC);
      // Accounts are processed one at a time, because each account needs a separate transaction under its own lock.
      for (const { objectId: accountId } of parked.rows) {
        const error = await runs.generate(context, { accountId, targetDate }).then(
          () => null,
          (thrown: unknown) => {
            logger.warn({ err: thrown, accountId }, 'the invoice run of a parked account failed');
            return nameOf(thrown);
          },
        );
        rows.push({ accountId, error });
      }
      return { ...parked, rows };
    },
  };
}

function nameOf(error: unknown): string {
  const code = error instanceof BillingError ? error.code : ErrorCode.UNEXPECTED_ERROR;
  return Object.entries(ErrorCode).find(([, value]) => value === code)?.[0] ?? 'UNEXPECTED_ERROR';
}
