import { catalogXml, lists, phase, plan, product } from '../catalogs/catalog-document.ts';

/** A phase of a plan of the model. */
export interface ModelPhase {
  readonly type: 'TRIAL' | 'DISCOUNT' | 'EVERGREEN';
  /** Null: without an end. */
  readonly length: { readonly unit: 'DAYS' | 'MONTHS'; readonly number: number } | null;
  readonly fixed: string | null;
  readonly recurring: string | null;
}

export interface ModelPlan {
  readonly product: 'Lamp' | 'Sun';
  /** Months of the billing period. */
  readonly months: 1 | 3 | 12;
  readonly isInArrear: boolean;
  readonly phases: readonly ModelPhase[];
}

const evergreen = (recurring: string, fixed: string | null = null): ModelPhase => ({
  type: 'EVERGREEN',
  length: null,
  fixed,
  recurring,
});
const trial: ModelPhase = {
  type: 'TRIAL',
  length: { unit: 'DAYS', number: 14 },
  fixed: '0',
  recurring: null,
};
const introduction: ModelPhase = {
  type: 'DISCOUNT',
  length: { unit: 'MONTHS', number: 2 },
  fixed: null,
  recurring: '19.99',
};

const advance = { months: 1, isInArrear: false } as const;
const arrear = { months: 1, isInArrear: true } as const;

/** Plans of all lives by name. */
export const modelPlans = {
  lamp: { ...advance, product: 'Lamp', phases: [evergreen('30')] },
  sun: { ...advance, product: 'Sun', phases: [evergreen('62.50')] },
  'lamp-trial': { ...advance, product: 'Lamp', phases: [trial, evergreen('30')] },
  'lamp-setup': { ...advance, product: 'Lamp', phases: [evergreen('30', '99.99')] },
  'sun-intro': { ...advance, product: 'Sun', phases: [trial, introduction, evergreen('45', '10')] },
  'lamp-quarter': { ...advance, months: 3, product: 'Lamp', phases: [evergreen('85')] },
  'sun-annual': { ...advance, months: 12, product: 'Sun', phases: [trial, evergreen('599.90')] },
  'lamp-later': { ...arrear, product: 'Lamp', phases: [evergreen('27.77')] },
  'sun-later': { ...arrear, product: 'Sun', phases: [trial, evergreen('55', '20')] },
  'sun-quarter-later': { ...arrear, months: 3, product: 'Sun', phases: [evergreen('170')] },
} as const satisfies Record<string, ModelPlan>;

export type PlanName = keyof typeof modelPlans;
export const planNames = Object.keys(modelPlans) as readonly PlanName[];

const periods = { 1: 'MONTHLY', 3: 'QUARTERLY', 12: 'ANNUAL' } as const;

/** Returns the document of the plans. */
export function modelCatalogXml(): string {
  return catalogXml({
    effectiveDate: '2012-01-01T00:00:00Z',
    catalogName: 'Lives',
    products: `${product('Lamp')}${product('Sun')}`,
    plans: Object.entries<ModelPlan>(modelPlans)
      .map(([name, each]) => planXml(name, each))
      .join(''),
    priceLists: lists({ DEFAULT: planNames }),
  });
}

function planXml(name: string, { product: productName, months, isInArrear, phases }: ModelPlan): string {
  const written = phases.map((each) => phaseXml(each, periods[months]));
  const text = plan(name, productName, {
    initialPhases: written.slice(0, -1).join(''),
    finalPhase: written.slice(-1).join(''),
  });
  const mode = isInArrear ? '<recurringBillingMode>IN_ARREAR</recurringBillingMode>' : '';
  return text.replace('</product>', `</product>${mode}`);
}

function phaseXml({ type, length, fixed, recurring }: ModelPhase, period: string): string {
  return phase(type, {
    ...(length ?? {}),
    ...(fixed === null ? {} : { fixed }),
    ...(recurring === null ? {} : { period, price: recurring }),
  });
}
