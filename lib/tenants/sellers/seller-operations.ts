import type { Leading, Seller, SellerInput, SellerLogo, SellerVersion } from '../../records/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** Operations on the seller data that the tenant's documents show (invoicing §14 rule 7). */
export interface SellerOperations<C extends Leading = []> {
  /**
   * Adds a version of the seller data and returns it. Documents of invoices that are committed from now on show this version; earlier invoices keep the version of their day. Invoices from before the first version show the first version.
   * The id and dates of a stored version are ignored, so that a version can be changed and uploaded again.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) with the invalid or unknown field in `facts.field`, several
   * of them in `facts.fields`; TOO_LARGE (60012) for a logo of more than 256 kB.
   * @example await acme.sellers.upload({
   *   name: 'Orchard GmbH', country: 'DE', taxId: 'DE123456788', iban: 'DE89370400440532013000', paymentTermsDays: 14,
   * });
   */
  upload(...given: [...C, seller: SellerInput]): Promise<Seller>;

  /** Returns the newest version of the seller data, or null before the first upload. */
  get(...given: [...C]): Promise<Seller | null>;

  /**
   * Returns the version that documents show for an invoice committed at the instant. This is the newest version at that
   * time or, if all versions are later, the first version. Returns null before the first upload.
   */
  at(...given: [...C, instant: HostInput<Instant>]): Promise<Seller | null>;

  /** Returns all versions, newest first, without the bytes of their logos. */
  list(...given: [...C]): Promise<readonly SellerVersion[]>;

  /** Returns the logo of a version, or null if the version has none. @throws BillingError OBJECT_NOT_FOUND (60007). */
  logo(...given: [...C, sellerId: Uuid | string]): Promise<SellerLogo | null>;
}
