import { loadAccount, lockAccount } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  BusEventType,
  type CallContext,
  type Coupon,
  type CouponChange,
  type CouponInput,
  type New,
  type PageRequest,
  type Redemption,
} from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { datedInstant, loadSubscription, markDirty } from '../../subscriptions/index.ts';
import { assertInvariant, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type AccountBilling, endOfRedemption, type LoadBilling } from '../discounts/account-discounts.ts';
import { changedDays, firstChangeableDate, loadBilledCharges } from '../redeeming/billed-discounts.ts';
import { noSuchCoupon, planRedemptions } from '../redeeming/plan-redemptions.ts';
import { redemptionEvent, storeRedemptions } from '../redeeming/store-redemptions.ts';
import { changedCoupon, checkedCoupon } from '../rules/check-coupon.ts';
import { plansToDiscount } from '../rules/check-redemption.ts';
import type { CouponView, RedeemRequest, RedemptionView, RemoveOptions } from './coupon-operations.ts';
import { redemptionView } from './redemption-view.ts';

/** Creates the operations on coupons and redemptions (§1, §2). */
export function couponOperations(
  { storage, ids }: Pick<Ports, 'storage' | 'ids'>,
  catalogs: CatalogProvider,
  loadBilling: LoadBilling,
) {
  /** Opens the catalogs of the account. Call this before the transaction, because catalog plugins may be called. */
  async function billingReader({ tenant, createdDate: now }: CallContext, accountId: FindAccount) {
    const catalogsOf = await catalogs.open({
      tenant,
      now,
      accounts: async (session) => [await accountId(session)],
    });
    return async (session: ReadSession, account: Account) => {
      const catalogOf = await catalogsOf(session, [account.id]);
      const billing = (await loadBilling(session, { accounts: [account], catalogOf, now })).get(account.id);
      assertInvariant(billing, 'The billing of an account was not loaded');
      return billing;
    };
  }

  /** Runs the work in one transaction, while the account is locked. */
  async function onAccount<T>(
    context: CallContext,
    accountId: FindAccount,
    work: (session: WriteSession, billing: AccountBilling) => Promise<T>,
  ): Promise<T> {
    const read = await billingReader(context, accountId);
    return storage.write(context.tenant, authorshipOf(context), async (session) =>
      work(session, await read(session, await lockAccount(session, await accountId(session)))),
    );
  }

  async function listRedemptions(
    context: CallContext,
    accountId: FindAccount,
    isWanted: (redemption: RedemptionView) => boolean,
  ): Promise<readonly RedemptionView[]> {
    const read = await billingReader(context, accountId);
    return storage.read(context.tenant, async (session) => {
      const account = await loadAccount(session, await accountId(session));
      const [billing, redemptions] = await Promise.all([
        read(session, account),
        session.coupons.redemptionsOf([account.recordId]),
      ]);
      return redemptions.map((each) => redemptionView(each, billing, context.createdDate)).filter(isWanted);
    });
  }

  return {
    async create(context: CallContext, input: CouponInput) {
      const { createdDate: now } = context;
      const dates = { createdDate: now, updatedDate: now };
      const coupon = { id: ids.next(), ...checkedCoupon(input), redeemedCount: 0, ...dates };
      return storage.write(context.tenant, authorshipOf(context), async (session) => {
        await session.coupons.insert([coupon]);
        return coupon;
      });
    },

    async update(context: CallContext, code: string, change: CouponChange) {
      return storage.write(context.tenant, authorshipOf(context), async (session) => {
        const [coupon] = await session.coupons.lockByCodes([code]);
        if (coupon === undefined) throw noSuchCoupon(code);
        const changed = changedCoupon(coupon, change, context.createdDate);
        await session.coupons.update([changed]);
        return couponView(changed);
      });
    },

    async get(context: CallContext, code: string) {
      return storage.readInOneStatement(context.tenant, async (session) => {
        const [coupon] = await session.coupons.findByCodes([code]);
        if (coupon === undefined) throw noSuchCoupon(code);
        return couponView(coupon);
      });
    },

    async page(context: CallContext, request: PageRequest) {
      return storage.read(context.tenant, async (session) => {
        const { rows, ...counts } = await session.coupons.page(request);
        return { ...counts, rows: rows.map(couponView) };
      });
    },

    async redeem(context: CallContext, request: RedeemRequest) {
      const { createdDate: now } = context;
      const { code, subscriptionId = null, from, rebill } = request;
      return onAccount(context, accountOf(request), async (session, billing) => {
        const { account } = billing;
        const redeemed = datedInstant(from, now, account);
        const plans = plansToDiscount(billing, { code, subscriptionId }, redeemed);
        const asked = { code, subscriptionId, plans, redeemed };
        const planned = await planRedemptions(session, [asked], { account, now, nextId: () => ids.next() });
        const [redemption] = planned.redemptions;
        assertInvariant(redemption, 'A redemption was not planned');
        const charges = await loadBilledCharges(session, redemption, billing);
        const changes = changedDays(billing, { before: null, after: redemption }, charges);
        const changesBilling = await markChanged(session, redemption, { ...changes, rebill });
        await storeRedemptions(session, planned);
        session.publish([redemptionEvent(redemption, account, { changesBilling })]);
        return redemptionView(redemption, billing, now);
      });
    },

    async remove(context: CallContext, redemptionId: Uuid, { at, rebill }: RemoveOptions = {}) {
      const { createdDate: now } = context;
      const find = async (session: ReadSession) => {
        const [found] = await session.coupons.findRedemptions([redemptionId]);
        if (found === undefined) throw noSuchRedemption(redemptionId);
        return found;
      };
      const ofAccount = async (session: ReadSession) => (await find(session)).accountId;
      return onAccount(context, ofAccount, async (session, billing) => {
        const { account } = billing;
        const redemption = await find(session);
        if (redemption.isOver || endOfRedemption(redemption, billing) <= now) throw alreadyEnded(redemption);
        const charges = await loadBilledCharges(session, redemption, billing);
        const asked = datedInstant(at, now, account);
        const date = at ? asked.date : firstChangeableDate(charges, asked.date);
        const ended = date === asked.date ? asked : datedInstant({ date }, now, account);
        const after = { ...redemption, ended, isOver: true, updatedDate: now };
        const changes = changedDays(billing, { before: redemption, after }, charges);
        const changesBilling = await markChanged(session, after, { ...changes, rebill });
        await session.coupons.endRedemptions([after]);
        const type = BusEventType.COUPON_ENDED;
        session.publish([redemptionEvent(after, account, { type, changesBilling })]);
        return redemptionView(after, billing, now);
      });
    },

    ofAccount: (context: CallContext, accountId: Uuid) =>
      listRedemptions(context, accountOf({ accountId }), () => true),

    async ofSubscription(context: CallContext, subscriptionId: Uuid) {
      const { tenant } = context;
      const found = await storage.readInOneStatement(tenant, (session) =>
        session.coupons.redemptionsOfSubscription(subscriptionId),
      );
      if (found.length === 0) {
        await storage.readInOneStatement(tenant, (session) => loadSubscription(session, subscriptionId));
        return [];
      }
      return listRedemptions(
        context,
        accountOf({ subscriptionId }),
        ({ subscriptionId: only, discounts }) =>
          only === subscriptionId ||
          (only === null && discounts.some((each) => each.subscriptionId === subscriptionId)),
      );
    },
  };
}

type FindAccount = (session: ReadSession) => Promise<Uuid>;

function accountOf({
  accountId,
  subscriptionId,
}: Partial<Pick<RedeemRequest, 'accountId' | 'subscriptionId'>>): FindAccount {
  if (accountId && !subscriptionId) return async () => accountId;
  if (subscriptionId && !accountId)
    return async (session) => (await loadSubscription(session, subscriptionId)).accountId;
  throw invalidField('Set either accountId or subscriptionId', { field: 'subscriptionId' });
}

function couponView({ recordId: _, ...coupon }: Coupon): CouponView {
  return coupon;
}

/**
 * Marks the changed days as due for invoicing. Returns true if billed periods change.
 * @throws BillingError COUPON_CHANGES_BILLED_DAYS (62010) if billed periods would change although the call does not
 * allow it.
 */
async function markChanged(
  session: WriteSession,
  { code, id }: New<Redemption>,
  { touched, billedDate, rebill }: ReturnType<typeof changedDays> & Pick<RemoveOptions, 'rebill'>,
): Promise<boolean> {
  if (billedDate !== null && !rebill)
    throw billingError(
      ErrorCode.COUPON_CHANGES_BILLED_DAYS,
      `Coupon ${code} would change periods that are already billed; set rebill to repair them`,
      { code, redemptionId: id, date: billedDate },
    );
  await markDirty(session, touched);
  return billedDate !== null;
}

function noSuchRedemption(redemptionId: Uuid) {
  return billingError(ErrorCode.REDEMPTION_NOT_FOUND, `No redemption has the id ${redemptionId}`, {
    redemptionId,
  });
}

function alreadyEnded({ id, code }: Redemption) {
  return billingError(
    ErrorCode.REDEMPTION_ENDED,
    `The redemption of coupon ${code} has already ended, so it cannot be removed`,
    { redemptionId: id },
  );
}
