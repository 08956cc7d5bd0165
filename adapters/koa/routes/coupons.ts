import type { CouponInput } from '../../../lib/records/index.ts';
import {
  Coupon,
  CouponRedemption,
  CouponUpdate,
  couponInputOf,
  RedemptionOfCoupon,
  RedemptionOnSubscription,
} from '../models/coupon.ts';
import { jsonBody } from '../routing/body.ts';
import { inArea, type Route, tenantRoute } from '../routing/route.ts';
import { flag, moment, pageParameters } from '../wire/query.ts';
import { listOf } from '../wire/wire-type.ts';
import { redemptionErrors } from './subscriptions/redeemed-coupons.ts';

const redeeming = {
  permission: 'coupon:redeem',
  shows: CouponRedemption,
  success: { status: 201 },
  fails: [
    ...redemptionErrors,
    'COUPON_CHANGES_BILLED_DAYS',
    'COUPON_SUBSCRIPTION_ENDED',
    'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
    'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID',
  ],
} as const;

/** See coupons §1, §2. */
export const couponRoutes: readonly Route[] = inArea('coupons', [
  tenantRoute('getCoupons', 'GET /coupons', {
    summary: 'List coupons',
    permission: 'coupon:view',
    query: pageParameters,
    shows: listOf(Coupon),
    handle: ({ billing, context, query }) => billing.coupons.page(context, query),
  }),
  tenantRoute('createCoupon', 'POST /coupons', {
    summary: 'Create a coupon',
    permission: 'coupon:manage',
    body: jsonBody(Coupon),
    shows: Coupon,
    success: { status: 201 },
    fails: ['COUPON_INVALID', 'COUPON_ALREADY_EXISTS'],
    handle: ({ billing, context, body }) =>
      billing.coupons.create(context, couponInputOf(body) as CouponInput),
  }),
  tenantRoute('getCoupon', 'GET /coupons/{couponCode}', {
    summary: 'Get a coupon',
    permission: 'coupon:view',
    shows: Coupon,
    fails: ['COUPON_NOT_FOUND'],
    handle: ({ billing, context, params }) => billing.coupons.get(context, params.couponCode),
  }),
  tenantRoute('updateCoupon', 'PUT /coupons/{couponCode}', {
    summary: 'Change a coupon; omitted properties keep their values',
    permission: 'coupon:manage',
    body: jsonBody(CouponUpdate),
    shows: Coupon,
    fails: ['COUPON_NOT_FOUND', 'COUPON_INVALID', 'COUPON_ALREADY_EXISTS'],
    handle: ({ billing, context, params, body }) =>
      billing.coupons.update(context, params.couponCode, couponInputOf(body)),
  }),
  tenantRoute('redeemCoupon', 'POST /coupons/{couponCode}/redemptions', {
    ...redeeming,
    summary: 'Redeem a coupon on a subscription or an account',
    body: jsonBody(RedemptionOfCoupon),
    handle: ({ billing, context, params, body }) =>
      billing.coupons.redeem(context, { ...body, code: params.couponCode }),
  }),
  tenantRoute('getAccountCoupons', 'GET /accounts/{accountId}/coupons', {
    summary: 'List the redeemed coupons of an account and its subscriptions',
    permission: 'coupon:view',
    shows: listOf(CouponRedemption),
    handle: ({ billing, context, params }) => billing.coupons.ofAccount(context, params.accountId),
  }),
  tenantRoute('getSubscriptionCoupons', 'GET /subscriptions/{subscriptionId}/coupons', {
    summary: 'List the redeemed coupons that discount a subscription',
    permission: 'coupon:view',
    shows: listOf(CouponRedemption),
    handle: ({ billing, context, params }) => billing.coupons.ofSubscription(context, params.subscriptionId),
  }),
  tenantRoute('redeemSubscriptionCoupon', 'POST /subscriptions/{subscriptionId}/coupons', {
    ...redeeming,
    summary: 'Redeem a coupon on a subscription',
    body: jsonBody(RedemptionOnSubscription),
    handle: ({ billing, context, params: { subscriptionId }, body: { code, from, rebill } }) =>
      billing.coupons.redeem(context, { code: code ?? '', from, rebill, subscriptionId }),
  }),
  tenantRoute('removeCouponRedemption', 'DELETE /couponRedemptions/{redemptionId}', {
    summary: 'End a redemption; by default, billed periods do not change',
    permission: 'coupon:redeem',
    query: { at: moment, rebill: flag() },
    shows: CouponRedemption,
    fails: ['REDEMPTION_NOT_FOUND', 'REDEMPTION_ENDED', 'COUPON_CHANGES_BILLED_DAYS'],
    handle: ({ billing, context, params, query }) =>
      billing.coupons.remove(context, params.redemptionId, query),
  }),
]);
