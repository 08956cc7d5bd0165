import type { Ports } from '../../ports/index.ts';
import type { CallContext, Seller, SellerInput, WithContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { checkedSeller } from './seller-input.ts';
import type { SellerOperations } from './seller-operations.ts';

/** Stores the versions of the seller data. */
export function sellerService({
  storage,
  ids,
}: Pick<Ports, 'storage' | 'ids'>): SellerOperations<WithContext> {
  const find = ({ tenant }: CallContext, at: Instant | null) =>
    storage.readInOneStatement(tenant, (session) => session.sellers.find(at));
  return {
    async upload(context: CallContext, given: SellerInput): Promise<Seller> {
      const seller = { ...checkedSeller(given), id: ids.next(), createdDate: context.createdDate };
      return storage.write(context.tenant, authorshipOf(context), async (session) => ({
        ...seller,
        recordId: await session.sellers.insert(seller),
      }));
    },

    get: (context: CallContext) => find(context, null),

    at: (context: CallContext, instant: Instant) => find(context, instant),

    list: ({ tenant }: CallContext) =>
      storage.readInOneStatement(tenant, (session) => session.sellers.versions()),

    async logo({ tenant }: CallContext, sellerId: Uuid) {
      const found = await storage.readInOneStatement(tenant, (session) => session.sellers.logo(sellerId));
      if (found !== undefined) return found;
      throw billingError(ErrorCode.OBJECT_NOT_FOUND, `Seller version ${sellerId} does not exist`, {
        sellerId,
      });
    },
  };
}
