import type { SellerInput } from '../../../../lib/records/index.ts';
import { billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import { Seller, SellerUpload } from '../../models/tenant.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { listOf } from '../../wire/wire-type.ts';

/**
 * Headers that make browsers open an SVG in a sandbox without scripts or an origin, because users of other tenants may
 * be logged in on this server.
 */
const logoHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
  'X-Content-Type-Options': 'nosniff',
};

/** See invoicing §14 rule 7. */
export const sellerRoutes: readonly Route[] = [
  tenantRoute('uploadSeller', 'POST /sellers', {
    summary: 'Add a version of the seller data that later documents show',
    permission: 'tenant_kvs:add',
    body: jsonBody(SellerUpload),
    shows: Seller,
    success: { status: 201 },
    fails: ['MISSING_OR_INVALID_FIELD', 'TOO_LARGE'],
    handle({ billing, context, body: { logo, ...fields } }) {
      const { mediaType, data } = logo ?? {};
      const image = logo == null ? null : { mediaType, bytes: data };
      return billing.sellers.upload(context, { ...fields, logo: image } as SellerInput);
    },
  }),
  tenantRoute('getSellers', 'GET /sellers', {
    summary: 'List all versions of the seller data, newest first',
    shows: listOf(Seller),
    handle: ({ billing, context }) => billing.sellers.list(context),
  }),
  tenantRoute('getCurrentSeller', 'GET /sellers/current', {
    summary: 'Get the newest version of the seller data',
    shows: Seller,
    fails: ['OBJECT_NOT_FOUND'],
    async handle({ billing, context }) {
      const seller = await billing.sellers.get(context);
      if (seller !== null) return seller;
      throw billingError(ErrorCode.OBJECT_NOT_FOUND, 'The tenant has no seller data. Upload it to /sellers');
    },
  }),
  tenantRoute('getSellerLogo', 'GET /sellers/{sellerId}/logo', {
    summary: 'Get the logo of a version of the seller data',
    success: { status: 200, mediaTypes: ['image/png', 'image/jpeg', 'image/svg+xml'] },
    async handle({ billing, context, params: { sellerId } }) {
      const logo = await billing.sellers.logo(context, sellerId);
      if (logo !== null)
        return { bytes: logo.bytes, headers: { ...logoHeaders, 'Content-Type': logo.mediaType } };
      const message = `Seller version ${sellerId} has no logo`;
      throw billingError(ErrorCode.OBJECT_NOT_FOUND, message, { sellerId });
    },
  }),
];
