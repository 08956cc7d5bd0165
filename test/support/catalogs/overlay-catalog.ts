/**
 * The XML versions of catalog W19: x from 2024-01-01; x′, for existing subscriptions from 2024-05-01, and y from
 * 2024-04-01.
 */
export const overlayCatalog: readonly string[] = [
  version('2024-01-01', plan('x', '20.00')),
  version(
    '2024-04-01',
    plan(
      'x',
      '24.00',
      '<effectiveDateForExistingSubscriptions>2024-05-01</effectiveDateForExistingSubscriptions>',
    ),
    plan('y', '30.00'),
  ),
];

function plan(name: string, price: string, date = ''): { readonly name: string; readonly xml: string } {
  const xml = `<plan name="${name}">${date}<product>Pan</product><finalPhase type="EVERGREEN">
    <duration><unit>UNLIMITED</unit></duration>
    <recurring><billingPeriod>MONTHLY</billingPeriod><recurringPrice>
      <price><currency>USD</currency><value>${price}</value></price></recurringPrice></recurring>
  </finalPhase></plan>`;
  return { name, xml };
}

function version(date: string, ...plans: readonly { readonly name: string; readonly xml: string }[]): string {
  const listed = plans.map(({ name }) => `<plan>${name}</plan>`).join('');
  return `<catalog><effectiveDate>${date}</effectiveDate><catalogName>Pots</catalogName>
    <recurringBillingMode>IN_ADVANCE</recurringBillingMode>
    <currencies><currency>USD</currency></currencies>
    <products><product name="Pan"><category>BASE</category></product></products>
    <rules>
      <changePolicy><changePolicyCase><policy>END_OF_TERM</policy></changePolicyCase></changePolicy>
      <cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>
    </rules>
    <plans>${plans.map(({ xml }) => xml).join('')}</plans>
    <priceLists><defaultPriceList name="DEFAULT"><plans>${listed}</plans></defaultPriceList></priceLists>
  </catalog>`;
}
