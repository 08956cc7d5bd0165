/** The configuration of overdue §1.4 in both forms. */
export const exampleXml = `<overdueConfig>
  <accountOverdueStates>
    <initialReevaluationInterval><unit>DAYS</unit><number>8</number></initialReevaluationInterval>
    <state name="BLOCKED">
      <condition>
        <timeSinceEarliestUnpaidInvoiceEqualsOrExceeds><unit>DAYS</unit><number>20</number></timeSinceEarliestUnpaidInvoiceEqualsOrExceeds>
        <controlTagExclusion>PARTNER</controlTagExclusion>
      </condition>
      <externalMessage>Service suspended</externalMessage>
      <disableEntitlementAndChangesBlocked>true</disableEntitlementAndChangesBlocked>
    </state>
    <state name="WARNED">
      <condition>
        <timeSinceEarliestUnpaidInvoiceEqualsOrExceeds><unit>DAYS</unit><number>8</number></timeSinceEarliestUnpaidInvoiceEqualsOrExceeds>
        <responseForLastFailedPaymentIn><response>EXPIRED_CARD</response><response>INSUFFICIENT_FUNDS</response></responseForLastFailedPaymentIn>
      </condition>
      <blockChanges>true</blockChanges>
      <autoReevaluationInterval><unit>DAYS</unit><number>12</number></autoReevaluationInterval>
    </state>
  </accountOverdueStates>
</overdueConfig>
`;

export const exampleJson = {
  initialReevaluationInterval: 8,
  overdueStates: [
    {
      name: 'BLOCKED',
      isClearState: false,
      externalMessage: 'Service suspended',
      isBlockChanges: false,
      isDisableEntitlement: true,
      subscriptionCancellationPolicy: 'NONE',
      autoReevaluationIntervalDays: null,
      condition: {
        timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number: 20 },
        controlTagInclusion: null,
        controlTagExclusion: 'PARTNER',
        numberOfUnpaidInvoicesEqualsOrExceeds: null,
        responseForLastFailedPayment: null,
        totalUnpaidInvoiceBalanceEqualsOrExceeds: null,
      },
    },
    {
      name: 'WARNED',
      isClearState: false,
      externalMessage: '',
      isBlockChanges: true,
      isDisableEntitlement: false,
      subscriptionCancellationPolicy: 'NONE',
      autoReevaluationIntervalDays: 12,
      condition: {
        timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number: 8 },
        controlTagInclusion: null,
        controlTagExclusion: null,
        numberOfUnpaidInvoicesEqualsOrExceeds: null,
        responseForLastFailedPayment: ['EXPIRED_CARD', 'INSUFFICIENT_FUNDS'],
        totalUnpaidInvoiceBalanceEqualsOrExceeds: null,
      },
    },
  ],
} as const;

/** The response for a tenant without a configuration (overdue §1.2 rule 1). */
export const clearOnly = {
  initialReevaluationInterval: null,
  overdueStates: [
    {
      name: 'Clear',
      isClearState: true,
      condition: null,
      externalMessage: '',
      isBlockChanges: false,
      isDisableEntitlement: false,
      subscriptionCancellationPolicy: 'NONE',
      autoReevaluationIntervalDays: null,
    },
  ],
} as const;
