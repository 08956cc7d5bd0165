import { f, type InputOf, type RecordOf } from '../../values/fields/index.ts';

export const logoMediaTypes = ['image/png', 'image/jpeg', 'image/svg+xml'] as const;
export type LogoMediaType = (typeof logoMediaTypes)[number];

/** An image on documents. */
export interface SellerLogo {
  readonly mediaType: LogoMediaType;
  /** Content of the image, at most 256 kB. */
  readonly bytes: Uint8Array;
}

const stated = { set: 'update' } as const;

/** The seller on a tenant's invoices. Each upload creates a version, which never changes (invoicing §14 rule 7). */
export const sellerFields = {
  recordId: f.recordId,
  id: f.id(),
  name: f.text({ ...stated, max: 255 }),
  /** The registered name, or null if it is the same as `name`. */
  legalName: f.orNull(f.text({ ...stated, max: 255 })),
  address1: f.orNull(f.text({ ...stated, max: 255 })),
  address2: f.orNull(f.text({ ...stated, max: 255 })),
  city: f.orNull(f.text({ ...stated, max: 100 })),
  state: f.orNull(f.text({ ...stated, max: 100 })),
  postalCode: f.orNull(f.text({ ...stated, max: 16 })),
  /** Two-letter country code of ISO 3166. */
  country: f.orNull(f.text({ ...stated, max: 2 })),
  /** VAT id or another tax number. */
  taxId: f.orNull(f.text({ ...stated, max: 64 })),
  /** Number in a company register, such as `HRB 12345`. */
  registrationNumber: f.orNull(f.text({ ...stated, max: 64 })),
  email: f.orNull(f.text({ ...stated, max: 254 })),
  phone: f.orNull(f.text({ ...stated, max: 25 })),
  bankName: f.orNull(f.text({ ...stated, max: 255 })),
  iban: f.orNull(f.text({ ...stated, max: 34 })),
  bic: f.orNull(f.text({ ...stated, max: 11 })),
  /** Number of days from the issue date to the due date. Null means that documents have no due date. */
  paymentTermsDays: f.orNull(f.integer({ ...stated, range: [0, 365] })),
  /** Texts for customers, by two-letter country code. `*` applies to all other countries. */
  notes: f.orNull(f.json<Readonly<Record<string, string>>, 'update'>(stated)),
  /** Color of headings and lines, such as `#0a5cff`. */
  accentColor: f.orNull(f.text({ ...stated, max: 7 })),
  createdDate: f.instant(),
};

/** A version of the seller's data. */
export interface Seller extends RecordOf<typeof sellerFields> {
  readonly logo: SellerLogo | null;
}

/** A version of the seller data without the bytes of its logo. */
export interface SellerVersion extends RecordOf<typeof sellerFields> {
  /** The media type of the logo, or null if there is no logo. */
  readonly logoMediaType: LogoMediaType | null;
}

/** Seller data as callers provide it. A missing field becomes null. */
export interface SellerInput extends InputOf<typeof sellerFields> {
  readonly logo?: {
    readonly mediaType: LogoMediaType;
    /** Content of the image, at most 256 kB. A string contains it as Base64. */
    readonly bytes: Uint8Array | string;
  } | null;
}
