import { uuidGenerator } from '../../adapters/node/index.ts';
import { BlockingStateType, type TenantRef, type Uuid } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { type Instant, instant, localDateOf, UTC } from '../../lib/values/time/index.ts';

const HOUR_MS = 3_600_000;

/** Blocks and unblocks an account every hour, directly in the storage: calls would read all its subscriptions. */
export async function insertAccountStates(
  storage: Pick<Storage<never>, 'write'>,
  tenant: TenantRef,
  { accountId, from, count }: { readonly accountId: Uuid; readonly from: Instant; readonly count: number },
): Promise<void> {
  const ids = uuidGenerator();
  const authorship = {
    userName: 'test',
    reasonCode: null,
    comments: null,
    createdDate: from,
    userTokenOf: () => ids.next(),
  };
  await storage.write(tenant, authorship, async (session) => {
    const [account] = await session.accounts.findByIds([accountId]);
    if (!account) throw new Error(`There is no account ${accountId}`);
    const states = Array.from({ length: count }, (_, index) => {
      const at = instant(from + (index + 1) * HOUR_MS);
      const isHeld = index % 2 === 0;
      return {
        id: ids.next(),
        blockedId: accountId,
        accountRecordId: account.recordId,
        type: BlockingStateType.ACCOUNT,
        service: 'support',
        stateName: isHeld ? 'HOLD' : 'FREE',
        isBlockChange: false,
        isBlockEntitlement: isHeld,
        isBlockBilling: false,
        effective: { at, date: localDateOf(at, UTC) },
        sequence: index + 1,
        isActive: true,
        causedBy: null,
        createdDate: from,
      };
    });
    if (states.length > 0) await session.subscriptions.insertBlockingStates(states);
  });
}
