import fc from 'fast-check';
import { type Catalog, createCatalog } from '../../../lib/catalog/index.ts';
import type { DocumentParts } from '../catalogs/catalog-document.ts';
import { catalogXml, lists, phase, plan, product, version } from '../catalogs/catalog-document.ts';
import type { Generated } from '../for-all.ts';

type BaseProduct = 'A' | 'B';
type ShelfPlan = Generated<typeof plans> | Generated<typeof addOns>;
export type Shelf = Generated<typeof shelves>;

type Offer = 'AVAILABLE' | 'INCLUDED' | 'NONE';

export function planName(index: number): string {
  return `plan${index}`;
}

export function addOnName(index: number): string {
  return `addon${index}`;
}

export function offerOf({ plans, addOns, offers }: Shelf, base: string, addOn: string): Offer {
  const basePlan = plans.find((_, index) => planName(index) === base);
  const addOnPlan = addOns.find((_, index) => addOnName(index) === addOn);
  return basePlan && addOnPlan ? offers[basePlan.product][addOnPlan.product] : 'NONE';
}

const catalogs = new WeakMap<Shelf, Catalog>();

export function catalogOf(shelf: Shelf): Catalog {
  const known = catalogs.get(shelf);
  if (known !== undefined) return known;
  const made = createCatalog(versionsOf(shelf).map(version));
  catalogs.set(shelf, made);
  return made;
}

export function documentsOf(shelf: Shelf): readonly string[] {
  return versionsOf(shelf).map(catalogXml);
}

function versionsOf(shelf: Shelf): readonly DocumentParts[] {
  const { repriced } = shelf;
  return [
    versionOf(shelf, '2010-01-01', 100),
    ...(repriced === null ? [] : [versionOf(shelf, repriced.date, repriced.percent)]),
  ];
}

function versionOf(shelf: Shelf, date: string, percent: number): DocumentParts {
  const effectiveDate = `${date}T00:00:00Z`;
  const more =
    percent === 100
      ? ''
      : `<effectiveDateForExistingSubscriptions>${effectiveDate}</effectiveDateForExistingSubscriptions>`;
  const [a, b] = shelf.alignments;
  const named = [
    ...shelf.plans.map((each, index) => [planName(index), each] as const),
    ...shelf.addOns.map((each, index) => [addOnName(index), each] as const),
  ];
  return {
    effectiveDate,
    products:
      productOf(shelf, 'A') +
      productOf(shelf, 'B') +
      addOnProducts.map((name) => product(name, ADD_ON)).join(''),
    rules: `
      <changePolicy>
        <changePolicyCase><toProduct>B</toProduct><policy>${shelf.changePolicy}</policy></changePolicyCase>
        <changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase>
      </changePolicy>
      <changeAlignment><changeAlignmentCase><alignment>${shelf.changeAlignment}</alignment></changeAlignmentCase></changeAlignment>
      <cancelPolicy><cancelPolicyCase><policy>${shelf.cancelPolicy}</policy></cancelPolicyCase></cancelPolicy>
      <createAlignment><createAlignmentCase><alignment>${shelf.createAlignment}</alignment></createAlignmentCase></createAlignment>
      <billingAlignment>
        <billingAlignmentCase><product>A</product><alignment>${a}</alignment></billingAlignmentCase>
        <billingAlignmentCase><product>X</product><alignment>${shelf.addOnAlignment}</alignment></billingAlignmentCase>
        <billingAlignmentCase><alignment>${b}</alignment></billingAlignmentCase>
      </billingAlignment>`,
    plans: named.map(([name, each]) => planXml(each, { name, percent, more })).join(''),
    priceLists: lists({ DEFAULT: named.map(([name]) => name) }),
  };
}

const ADD_ON = { category: 'ADD_ON' } as const;
const addOnProducts = ['X', 'Y'] as const;

function productOf({ offers }: Shelf, name: BaseProduct): string {
  const that = (offer: Offer) => addOnProducts.filter((addOn) => offers[name][addOn] === offer);
  return product(name, { included: that('INCLUDED'), available: that('AVAILABLE') });
}

interface PlanText {
  readonly name: string;
  readonly percent: number;
  readonly more: string;
}

function planXml(each: ShelfPlan, { name, percent, more }: PlanText): string {
  const { period, trialDays, discountMonths, termMonths, fixedCents } = each;
  const amount = (cents: number): string => (Math.round((cents * percent) / 100) / 100).toFixed(2);
  const discount = amount(Math.ceil(each.cents / 2));
  const price = amount(each.cents);
  const fixed = fixedCents === null ? {} : { fixed: amount(fixedCents) };
  const last = { period, price, ...fixed };
  const mode = `<recurringBillingMode>${each.isInArrear ? 'IN_ARREAR' : 'IN_ADVANCE'}</recurringBillingMode>`;
  return plan(name, each.product, {
    initialPhases:
      (trialDays === null ? '' : phase('TRIAL', { number: trialDays, fixed: '' })) +
      (discountMonths === null
        ? ''
        : phase('DISCOUNT', { unit: 'MONTHS', number: discountMonths, period, price: discount })),
    finalPhase:
      termMonths === null
        ? phase('EVERGREEN', last)
        : phase('FIXEDTERM', { ...last, unit: 'MONTHS', number: termMonths }),
    more: mode + more,
  });
}

const cents = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 200_000 }) },
  { weight: 1, arbitrary: fc.constant(0) },
);

/** Longer periods, which seats and prices split, are as frequent as months. */
const PERIODS = [
  'MONTHLY',
  'MONTHLY',
  'MONTHLY',
  'QUARTERLY',
  'QUARTERLY',
  'ANNUAL',
  'ANNUAL',
  'WEEKLY',
  'THIRTY_DAYS',
] as const;

const terms = {
  period: fc.constantFrom(...PERIODS),
  cents,
  fixedCents: fc.option(cents, { freq: 3 }),
  /** Free. */
  trialDays: fc.option(fc.integer({ min: 1, max: 45 }), { freq: 2 }),
  /** At half the price. */
  discountMonths: fc.option(fc.integer({ min: 1, max: 7 }), { freq: 2 }),
  /** Null = evergreen. */
  termMonths: fc.option(fc.integer({ min: 1, max: 14 }), { freq: 1 }),
  isInArrear: fc.boolean(),
};
const plans = fc.record({ product: fc.constantFrom('A', 'B'), ...terms });
const addOns = fc.record({
  product: fc.constantFrom(...addOnProducts),
  ...terms,
});
const offers = fc.record({ X: offer('INCLUDED'), Y: offer('NONE') });

function offer(other: Offer): fc.Arbitrary<Offer> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('AVAILABLE' as const) },
    { weight: 1, arbitrary: fc.constant(other) },
  );
}

const policies = fc.constantFrom('IMMEDIATE', 'END_OF_TERM');
const alignments = fc.constantFrom('ACCOUNT', 'ACCOUNT', 'SUBSCRIPTION', 'BUNDLE');

export const shelves = fc.record({
  plans: fc.array(plans, { minLength: 2, maxLength: 4 }),
  addOns: fc.array(addOns, { minLength: 2, maxLength: 3 }),
  offers: fc.record({ A: offers, B: offers }),
  createAlignment: fc.constantFrom('START_OF_BUNDLE', 'START_OF_SUBSCRIPTION'),
  changeAlignment: fc.constantFrom(
    'START_OF_BUNDLE',
    'START_OF_SUBSCRIPTION',
    'CHANGE_OF_PLAN',
    'CHANGE_OF_PRICELIST',
  ),
  changePolicy: policies,
  cancelPolicy: policies,
  alignments: fc.tuple(alignments, alignments),
  addOnAlignment: fc.constantFrom('BUNDLE', 'BUNDLE', 'ACCOUNT', 'SUBSCRIPTION'),
  /** Later prices for existing subscriptions, in percent of the first ones. */
  repriced: fc.option(
    fc.record({
      date: fc.constantFrom('2024-02-29', '2024-05-01', '2024-07-13'),
      percent: fc.constantFrom(110, 250),
    }),
    { freq: 2 },
  ),
});
