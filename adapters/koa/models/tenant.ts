import {
  type Seller as SellerRecord,
  type SellerVersion,
  sellerFields,
  type Tenant as TenantRecord,
} from '../../../lib/records/index.ts';
import { derivedField, field, maybe, model, modelWith, openInD } from '../wire/model.ts';
import { recordFields } from '../wire/record-fields.ts';
import { externalKey, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';
import { auditLogs } from './audit-log.ts';

const maxApiKeyCharacters = 128;

/** A tenant. Responses never contain its secret or its audit entries (accounts §14.1). */
export const Tenant = model('Tenant', {
  tenantId: derivedField(uuid, ({ id }: TenantRecord) => id),
  externalKey: field(externalKey, 'C', { nullable: true }),
  apiKey: field(text(maxApiKeyCharacters), 'C', { required: true }),
  apiSecret: field(text(), 'C', { required: true, nullable: true, from: () => null }),
  auditLogs,
});

export const TenantKeyValue = model('TenantKeyValue', {
  key: text(),
  values: listOf(text()),
  auditLogs,
});

/** A signing secret: `whsec_` followed by 32 bytes in base64 (platform §10.3). */
export const NotificationSigningSecret = model('NotificationSigningSecret', { secret: text() });

/** An image in a request. The library checks its type and size. */
const SellerLogo = modelWith('I', 'SellerLogo', {
  mediaType: field(text(), 'I', { required: true }),
  data: field(text(), 'I', { required: true }),
});

const { name: _name, ...others } = recordFields(sellerFields);

export const Seller = model('Seller', {
  sellerId: derivedField(uuid, ({ id }: SellerVersion) => id),
  name: field(text(sellerFields.name.maxLength), 'W', { required: true }),
  ...others,
  logo: field(SellerLogo, 'I', { absentable: true }),
  logoMediaType: maybe(text(), logoMediaTypeOf),
  createdDate: timestamp,
});

const anyText = text();
const unlimited = Object.entries(Seller.fields).map(([key, each]) => {
  const { kind } = (sellerFields as Readonly<Record<string, { readonly kind: string }>>)[key] ?? {};
  return [key, { ...each, required: false, type: kind === 'text' ? anyText : each.type }];
});

/**
 * An upload of seller data. The library checks names, lengths and fields, so that one error lists all invalid fields.
 */
export const SellerUpload = openInD(Seller, Object.fromEntries(unlimited) as typeof Seller.fields);

function logoMediaTypeOf(seller: SellerRecord | SellerVersion): string | null {
  return 'logo' in seller ? (seller.logo?.mediaType ?? null) : seller.logoMediaType;
}
