/** What examples show the id of. */
const named = [
  'accountId',
  'bundleId',
  'subscriptionId',
  'invoiceId',
  'invoiceItemId',
  'paymentId',
  'customFieldId',
  'tenantId',
  'tagDefinitionId',
  'paymentMethodId',
  'transactionId',
  'paymentAttemptId',
  'invoicePaymentId',
  'creditNoteId',
  'tagId',
  'accountEmailId',
  'blockingId',
  'eventId',
  'deliveryId',
  'groupId',
  'childAccountId',
  'parentAccountId',
  'userToken',
] as const;

/** Ids that examples show, by what they are ids of. */
export const exampleIds = Object.fromEntries(
  named.map((name, place) => [name, `0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3c${hexadecimal(place + 1)}`]),
) as Readonly<Record<(typeof named)[number], string>>;

function hexadecimal(number: number): string {
  return number.toString(16).padStart(2, '0');
}
