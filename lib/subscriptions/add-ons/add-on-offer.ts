import type { CatalogWithOverrides } from '../../catalog/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { isKnown, isKnownProduct } from '../timeline/readable-plans.ts';
import type { PlanInForce } from '../timeline/transitions.ts';

/** Whether the product of a base offers an add-on product for sale beside it, or contains it already. */
export const AddOnOffer = { AVAILABLE: 'AVAILABLE', INCLUDED: 'INCLUDED', NONE: 'NONE' } as const;
export type AddOnOffer = (typeof AddOnOffer)[keyof typeof AddOnOffer];

export interface AddOnOfferInput {
  /** The plan of the base at `at`. */
  readonly base: Pick<PlanInForce, 'version' | 'plan'>;
  readonly addOnProduct: string;
  readonly catalog: Pick<CatalogWithOverrides, 'versionAt'>;
  readonly at: Instant;
}

/**
 * What the base's product says of an add-on product at an instant (§6.2 rule 10): in the version that
 * supplies the base's plan and, where that one does not speak of it, in the version in force, which may offer add-ons that
 * are newer than the base's plan, or an account's own ones for a base of the tenant's catalog (catalog §15.6).
 */
export function addOnOffer({ base, addOnProduct, catalog, at }: AddOnOfferInput): AddOnOffer {
  // Only reads meet an unknown plan or product, and they end nothing for what they cannot tell.
  if (!isKnown(base) || !isKnownProduct(addOnProduct)) return AddOnOffer.AVAILABLE;
  const { product } = base.plan;
  for (const version of [base.version, catalog.versionAt(at)]) {
    const { included = [], available = [] } = version?.productNamed(product) ?? {};
    if (included.includes(addOnProduct)) return AddOnOffer.INCLUDED;
    if (available.includes(addOnProduct)) return AddOnOffer.AVAILABLE;
  }
  return AddOnOffer.NONE;
}
