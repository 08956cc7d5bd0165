import { BillingActionPolicy } from '../../../../lib/records/index.ts';

/** What a caller may choose: ILLEGAL is a catalog's word for what must not be, and gives no date. */
const { ILLEGAL: _ILLEGAL, ...ChosenPolicy } = BillingActionPolicy;

export { ChosenPolicy };

/** The same where a bundle is transferred (subscriptions §17.4). */
const { START_OF_TERM: _START_OF_TERM, ...TransferPolicy } = ChosenPolicy;

export { TransferPolicy };
