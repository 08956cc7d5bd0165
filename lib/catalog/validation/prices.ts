import type { Currency } from '../../values/money/index.ts';
import type { InternationalPrice } from '../model/catalog-model.ts';
import type { VersionCheck } from './version-check.ts';

/** V13: declared currencies, each once, no negative amount. */
export function checkPrice(check: VersionCheck, price: InternationalPrice | null, owner: string): void {
  const seen = new Set<Currency>();
  for (const entry of price?.prices ?? []) {
    const { currency, amount } = entry;
    if (seen.has(currency)) {
      check.findings.error(`${owner} has more than one amount in ${currency}`, [entry, 'currency']);
    }
    if (!seen.has(currency) && !check.currencies.has(currency)) {
      check.findings.error(`${owner} is in ${currency}, which is not among the currencies of the version`, [
        entry,
        'currency',
      ]);
    }
    seen.add(currency);
    if (amount?.value.isNegative()) {
      check.findings.error(`${owner} is negative: ${amount.text} ${currency}`, [entry, 'value']);
    }
  }
}
