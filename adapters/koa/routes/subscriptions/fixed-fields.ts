import type { Billing } from '../../../../lib/billing.ts';
import type { CallContext } from '../../../../lib/records/index.ts';
import { invalidField } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import type { Subscription } from '../../models/subscription.ts';
import type { RequestOf } from '../../wire/model.ts';

/** What a subscription is created with and cannot change. */
const fixedFields = ['accountId', 'bundleId', 'externalKey', 'bundleExternalKey', 'productCategory'] as const;

type FixedField = (typeof fixedFields)[number];

/**
 * A subscription may be sent back as it was read, but not with another value of what cannot change (json-models §16 rule
 * 1). A body without such values costs nothing.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082).
 */
export async function checkFixedFields(
  { billing, context }: { readonly billing: Billing; readonly context: CallContext },
  subscriptionId: Uuid,
  body: Pick<RequestOf<typeof Subscription.fields>, FixedField>,
): Promise<void> {
  const sent = fixedFields.filter((field) => Boolean(body[field]));
  if (sent.length === 0) return;
  const stored = await billing.getSubscription(context, subscriptionId);
  const field = sent.find((each) => body[each] !== stored[each]);
  if (field === undefined) return;
  throw invalidField(
    `SubscriptionJson ${field} cannot change: that of subscription ${subscriptionId} is ${stored[field]}`,
    { field, subscriptionId },
  );
}
