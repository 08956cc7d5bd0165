import type { Uuid } from '../../lib/index.ts';
import type { Redemption } from '../../lib/records/index.ts';
import { type RedemptionTerms, redemption } from './coupons.ts';
import type { TestEngine } from './engine.ts';
import { author, newId } from './storage/stored-records.ts';

/** Stores redemptions on an account, which apply to its later subscriptions. */
export async function redeemOnAccount(
  { storage, tenant }: Pick<TestEngine, 'storage' | 'tenant'>,
  accountId: Uuid,
  ...terms: readonly RedemptionTerms[]
): Promise<readonly Redemption[]> {
  return storage.write(tenant, author(), async (session) => {
    const [account] = await session.accounts.findByIds([accountId]);
    const accountRecordId = account?.recordId ?? 0;
    const redemptions = terms.map((each) => ({
      ...redemption({ ...each, accountId, accountRecordId }),
      id: newId(),
      couponId: newId(),
    }));
    await session.coupons.insertRedemptions(redemptions);
    return session.coupons.findRedemptions(redemptions.map(({ id }) => id));
  });
}
