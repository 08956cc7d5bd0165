import type {
  Coupon,
  CouponChange,
  CouponInput,
  CouponTerms,
  Leading,
  Page,
  PageRequest,
  Redemption,
} from '../../records/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate, RequestedDate } from '../../values/time/index.ts';

/** Operations on coupons and their redemptions. */
export interface CouponOperations<C extends Leading = []> {
  /**
   * Creates a coupon (coupons §1).
   * @throws BillingError COUPON_INVALID (62009) with every problem, COUPON_ALREADY_EXISTS (62002).
   * @example await acme.coupons.create({ code: 'SPRING', percentOff: '20', duration: { periods: 3 } });
   */
  create(...given: [...C, input: HostInput<CouponInput>]): Promise<CouponView>;

  /**
   * Changes a coupon. Absent members stay unchanged. After the first redemption, only the name, last redemption
   * instant, limit and active state can change. Existing redemptions do not change.
   * @throws BillingError COUPON_NOT_FOUND (62001), COUPON_ALREADY_EXISTS (62002), COUPON_INVALID (62009) with every
   * problem.
   */
  update(...given: [...C, code: string, change: HostInput<CouponChange>]): Promise<CouponView>;

  /** Returns a coupon. The code is case-insensitive. @throws BillingError COUPON_NOT_FOUND (62001). */
  get(...given: [...C, code: string]): Promise<CouponView>;

  /** Returns a page of coupons in creation order. */
  page(...given: [...C, request: PageRequest]): Promise<Page<CouponView>>;

  /**
   * Redeems a coupon on a subscription or on an account (coupons §2).
   * @throws BillingError COUPON_NOT_FOUND (62001), COUPON_INACTIVE (62003), COUPON_EXPIRED (62004), COUPON_USED_UP
   * (62005), COUPON_ALREADY_REDEEMED (62006), COUPON_NOT_APPLICABLE (62007), COUPON_WITHOUT_CURRENCY (62008),
   * COUPON_CHANGES_BILLED_DAYS (62010) without `rebill`, COUPON_SUBSCRIPTION_ENDED (62012),
   * SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   * @example await acme.coupons.redeem({ code: 'SPRING', subscriptionId });
   */
  redeem(...given: [...C, request: HostInput<RedeemRequest>]): Promise<RedemptionView>;

  /**
   * Ends a redemption. By default, the list price applies to periods that are not billed yet (coupons §5).
   * @throws BillingError REDEMPTION_NOT_FOUND (62011), REDEMPTION_ENDED (62013) after its end, COUPON_CHANGES_BILLED_DAYS (62010)
   * without `rebill`.
   */
  remove(
    ...given: [...C, redemptionId: Uuid | string, options?: HostInput<RemoveOptions>]
  ): Promise<RedemptionView>;

  /**
   * Returns the redemptions of an account and its subscriptions in the order of redemption.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(...given: [...C, accountId: Uuid | string]): Promise<readonly RedemptionView[]>;

  /**
   * Returns the redemptions that apply to a subscription, including redemptions on its account.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082).
   */
  ofSubscription(...given: [...C, subscriptionId: Uuid | string]): Promise<readonly RedemptionView[]>;
}

export interface RedeemRequest {
  readonly code: string;
  /** The subscription to discount. Set either the subscription or the account. */
  readonly subscriptionId?: Uuid | null | undefined;
  /** The account whose subscriptions are discounted, including later subscriptions. */
  readonly accountId?: Uuid | null | undefined;
  /** Date of the redemption. Defaults to now. */
  readonly from?: RequestedDate | null | undefined;
  /**
   * If true, the call may change periods that are already billed. The next invoice run repairs them. Defaults to false.
   */
  readonly rebill?: boolean | null | undefined;
}

export interface RemoveOptions {
  /**
   * Periods that start on or after this date are no longer discounted. Defaults to the first date for which no billed
   * period changes.
   */
  readonly at?: RequestedDate | null | undefined;
  /**
   * If true, the call may change periods that are already billed. The next invoice run repairs them. Defaults to false.
   */
  readonly rebill?: boolean | null | undefined;
}

/** A coupon of the tenant. */
export interface CouponView extends Omit<Coupon, 'recordId'> {}

/** A redeemed coupon, with a copy of the coupon's terms. */
export interface RedemptionView
  extends CouponTerms,
    Pick<Redemption, 'id' | 'accountId' | 'subscriptionId' | 'createdDate'> {
  readonly redeemedDate: LocalDate;
  /**
   * Periods that start on or after this day are not discounted. The value is null if the redemption was not removed.
   */
  readonly endedDate: LocalDate | null;
  /** The discounted subscriptions. */
  readonly discounts: readonly DiscountView[];
}

/** The discount of one subscription. */
export interface DiscountView {
  readonly subscriptionId: Uuid;
  /** Start of the first discounted period. */
  readonly startDate: LocalDate;
  /** Periods that start on or after this day are not discounted. Null means that the discount has no end. */
  readonly endDate: LocalDate | null;
  /** The number of discounted periods that start after today, or null if the discount has no end. */
  readonly periodsLeft: number | null;
}
