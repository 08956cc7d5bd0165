import {
  addMoney,
  asCurrency,
  currencyCodes,
  currencyFacts,
  decimal,
  formatDecimal,
  isCurrency,
  minorUnits,
  money,
} from '../../../lib/values/money/index.ts';
import { BillingError, type Currency, expect, InvariantError, type Money } from '../../support/unit.ts';

/**
 * Currencies whose minor unit is 0 in CLDR, the source of `Intl`, because small coins are out of use. ISO 4217 applies.
 */
const minorUnitsOfIntlDiffer: readonly Currency[] = [
  'AFN',
  'ALL',
  'COP',
  'HUF',
  'IDR',
  'IQD',
  'IRR',
  'KPW',
  'LAK',
  'LBP',
  'MGA',
  'MMK',
  'PKR',
  'SOS',
  'SYP',
  'YER',
  'MRO',
  'SLL',
  'STD',
];

/** ISO 4217 codes that `Intl.supportedValuesOf` omits: funds codes and withdrawn currencies. */
const missingFromIntl: readonly Currency[] = [
  'BOV',
  'CHE',
  'CHW',
  'CLF',
  'COU',
  'MXV',
  'USN',
  'UYI',
  'UYW',
  'VED',
  'BYR',
  'LTL',
  'MRO',
  'STD',
  'VEF',
];

describe('currency table', () => {
  it('has the minor units of ISO 4217, and differs from Intl only in known currencies', () => {
    const different = currencyCodes.filter(
      (code) => code !== 'BTC' && minorUnits(code) !== minorUnitsOfIntl(code),
    );
    expect(different).to.have.members(minorUnitsOfIntlDiffer);
    expect([minorUnits('USD'), minorUnits('JPY'), minorUnits('KWD'), minorUnits('BTC')]).to.eql([2, 0, 3, 8]);
  });

  it('contains the currencies of Intl except for two units of account and known differences', () => {
    const ofIntl = new Set(Intl.supportedValuesOf('currency'));
    expect(currencyCodes.filter((code) => code !== 'BTC' && !ofIntl.has(code))).to.have.members(
      missingFromIntl,
    );
    expect([...ofIntl].filter((code) => !isCurrency(code))).to.have.members(['XDR', 'XSU']);
  });

  it('uses the currency names of Intl', () => {
    const names = new Intl.DisplayNames('en-US', { type: 'currency' });
    for (const code of currencyCodes) {
      if (code === 'BTC') continue;
      expect(currencyFacts(code).name, code).to.equal(names.of(code));
    }
  });

  it('contains one numeric code for each currency in use, but none for BTC', () => {
    const used = new Map<number, string[]>();
    for (const code of currencyCodes) {
      const { numericCode } = currencyFacts(code);
      if (numericCode === null) continue;
      expect(numericCode).to.be.within(1, 999);
      used.set(numericCode, [...(used.get(numericCode) ?? []), code]);
    }
    // The Caribbean guilder took over the number of the Antillean one.
    expect([...used.values()].filter((codes) => codes.length > 1)).to.eql([['XCG', 'ANG']]);
    expect(currencyFacts('BTC').numericCode).to.equal(null);
    expect(currencyFacts('EUR').numericCode).to.equal(978);
  });

  it('accepts only codes in upper case', () => {
    for (const text of ['usd', 'US', 'XAU', 'XXX', '', 'toString', '__proto__']) {
      expect(isCurrency(text), text).to.equal(false);
      expect(() => asCurrency(text))
        .to.throw(BillingError, 'ISO 4217')
        .with.property('code', 3);
    }
    expect(asCurrency('CHF')).to.equal('CHF');
  });
});

describe('money in a currency', () => {
  const ten: Money<'USD'> = money(decimal('10.10'), 'USD');
  const one: Money<'EUR'> = money(decimal('1'), 'EUR');

  it('is added without rounding', () => {
    const total = addMoney(ten, money(decimal('0.20'), 'USD'));
    expect([formatDecimal(total.amount), total.currency]).to.eql(['10.3', 'USD']);
  });

  it('cannot be added to money in another currency, at compile time or at run time', () => {
    // @ts-expect-error the type forbids it
    expect(() => addMoney(ten, one)).to.throw(InvariantError, 'USD and EUR');
    const hidden: readonly Money[] = [ten, one];
    const [first = ten, second = one] = hidden;
    expect(() => addMoney(first, second)).to.throw(InvariantError, 'cannot be added');
  });
});

function minorUnitsOfIntl(code: Currency): number | undefined {
  return new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
    .maximumFractionDigits;
}
