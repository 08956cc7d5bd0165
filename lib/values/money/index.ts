/** Every amount and every rounding of the product. */
export { allocate } from './allocate.ts';
export type { CurrencyFacts } from './currencies.ts';
export {
  asCurrency,
  type Currency,
  currencyCodes,
  currencyFacts,
  isCurrency,
  minorUnits,
} from './currency.ts';
export { Decimal, decimal, formatDecimal, sum, ZERO } from './decimal.ts';
export {
  decimalOf,
  type ExactJson,
  JsonNumber,
  parseExactJson,
  parseSubmittedJson,
  type SubmittedJson,
  stringifyExactJson,
} from './exact-json.ts';
export { JsonBoundError, type JsonBounds } from './json-reader.ts';
export { addMoney, type Money, money } from './money.ts';
export { moneyText } from './money-text.ts';
export { type ProrationInput, prorate, quotient, roundToCurrency, roundToScale } from './rounding.ts';
export { type AmountStatement, belowMinorUnit, statedAmount } from './stated-amount.ts';
export { parseWireDecimal, type WireDecimalLimits } from './wire-decimal.ts';
