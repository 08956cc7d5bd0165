import { BillingError } from '../../values/errors/index.ts';
import { takerOf } from '../../values/given/index.ts';
import { stringifyExactJson } from '../../values/money/index.ts';
import { invalidOverdueConfig } from '../config/findings.ts';
import { readOverdueJson } from '../config/read-config.ts';
import type { NewOverdueDefinition } from './overdue-config-operations.ts';

const withAmountsRead = takerOf({
  overdueStates: [{ condition: { totalUnpaidInvoiceBalanceEqualsOrExceeds: 'amount' } }],
});

/**
 * The JSON of a definition, by whose rules it is checked. Its problems have no places: nobody has written that text.
 * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010), MISSING_OR_INVALID_FIELD (60003).
 */
export function definitionText(definition: NewOverdueDefinition): string {
  const text = stringifyExactJson(withAmountsRead(definition, ''));
  try {
    readOverdueJson(text);
  } catch (error) {
    if (!(error instanceof BillingError) || error.problems === undefined) throw error;
    throw invalidOverdueConfig(error.problems.map(({ message }) => ({ message })));
  }
  return text;
}
