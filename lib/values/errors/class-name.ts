/** First code of each area and the `className` that its errors carry on the wire (http-api §12 rule 2). */
const classNamesFromCode: readonly (readonly [firstCode: number, className: string])[] = [
  [61_000, 'CatalogEntryError'],
  [60_000, 'RequestError'],
  [50_000, 'UsageError'],
  [40_000, 'SecurityError'],
  [30_000, 'EmailError'],
  [20_000, 'TenantError'],
  [10_000, 'CurrencyError'],
  [9_000, 'CustomFieldError'],
  [8_000, 'EntitlementError'],
  [7_000, 'PaymentError'],
  [6_000, 'BlockingError'],
  [5_000, 'OverdueError'],
  [4_000, 'InvoiceError'],
  [3_900, 'TagError'],
  [3_000, 'AccountError'],
  [2_000, 'CatalogError'],
  [1_000, 'SubscriptionError'],
];

/** The stable name of the error class of `code`, from the area that the code belongs to. */
export function classNameOf(code: number): string {
  const area = classNamesFromCode.find(([firstCode]) => code >= firstCode);
  return area?.[1] ?? 'RequestError';
}
