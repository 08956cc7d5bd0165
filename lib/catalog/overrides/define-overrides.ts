import type { BlockPriceOverride, PriceOverrideRequest, UsagePriceOverride } from '../../ports/index.ts';
import { type PhaseType, type StoredOverridePlan, UsageType } from '../../records/index.ts';
import { assertInvariant, type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import {
  type Currency,
  Decimal,
  decimal,
  formatDecimal,
  parseWireDecimal,
} from '../../values/money/index.ts';
import { shortenText } from '../../values/text/index.ts';
import type { InternationalPrice, Plan, PlanPhase, TieredBlock, Usage } from '../model/catalog-model.ts';
import { deepFreeze } from '../model/part.ts';
import { phaseName } from '../model/plan.ts';

/**
 * A plan with overridden prices. It is immutable and independent of catalog versions (rule 6). All other prices come
 * from the parent plan's version.
 */
export interface OverrideDefinition {
  /** Name of the parent plan. An override plan cannot be a parent (rule 5). */
  readonly parentPlanName: string;
  readonly currency: Currency;
  /** The overridden prices in canonical order. */
  readonly overrides: PriceOverrides;
}

export interface OverrideInput {
  readonly plan: Plan;
  readonly chosen: OverrideDefinition | undefined;
  readonly currency: Currency | null;
  readonly requests: readonly PriceOverrideRequest[];
}

/**
 * Creates a definition from the requested prices, in the account's currency only. If the plan is itself an override
 * plan, its prices are kept unless the request replaces them (rule 5).
 * @throws BillingError CATALOG_INVALID_PRICE_OVERRIDE (2081), as in `matchPriceOverrides`; CURRENCY_INVALID (3) for an
 * account without currency.
 */
export function defineOverrides({ plan, chosen, currency, requests }: OverrideInput): OverrideDefinition {
  if (currency === null) {
    throw billingError(
      ErrorCode.CURRENCY_INVALID,
      `The account has no currency, so the prices of plan ${plan.name} cannot be overridden`,
      { planName: plan.name },
    );
  }
  const inherited = chosen?.currency === currency ? chosen.overrides : [];
  const overrides = new Map([...inherited, ...matchPriceOverrides(plan, requests)]);
  return {
    parentPlanName: chosen?.parentPlanName ?? plan.name,
    currency,
    // Sort by code unit, so that the order does not depend on the locale. The keys are unique.
    overrides: new Map([...overrides].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** Returns the overrides in stored form, which is a canonical JSON list of targets and amounts. */
export function writeOverrides(overrides: PriceOverrides): string {
  return JSON.stringify(
    [...overrides].map(([target, amount]) => [...partsOf(target), formatDecimal(amount)]),
  );
}

export function readOverrides(text: string): PriceOverrides {
  const rows = JSON.parse(text) as readonly (readonly (string | number)[])[];
  return new Map(
    rows.map((row): [PriceTarget, Decimal] => {
      const amount = row.at(-1);
      assertInvariant(typeof amount === 'string', 'A stored price override must end with its amount', {
        row,
      });
      return [targetOf(...row.slice(0, -1)), decimal(amount)];
    }),
  );
}

export type PriceOverrides = ReadonlyMap<PriceTarget, Decimal>;

/** Returns true if the request contains at least one price. Other requests are malformed (subscriptions §6.1). */
export function namesPrice(request: PriceOverrideRequest): boolean {
  const usagePrices = (request.usagePrices ?? [])
    .flatMap((usage) => usage.tierPrices ?? [])
    .flatMap((tier) => [tier.recurringPrice, ...(tier.blockPrices ?? []).map((block) => block.price)]);
  return [request.fixedPrice, request.recurringPrice, ...usagePrices].some(isPresent);
}

/**
 * Finds the prices of the plan that the overrides replace (§10 rule 2).
 * @throws BillingError CATALOG_INVALID_PRICE_OVERRIDE (2081) for an unknown phase, price, usage section, block or tier,
 * for two amounts for one price, and for an amount that is negative or has too many digits.
 */
export function matchPriceOverrides(plan: Plan, requests: readonly PriceOverrideRequest[]): PriceOverrides {
  const matching = new Matching(plan);
  for (const request of requests) matching.take(request);
  return matching.found;
}

class Matching {
  readonly found = new Map<PriceTarget, Decimal>();
  readonly #plan: Plan;
  readonly #targets: ReadonlySet<PriceTarget>;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#targets = priceTargetsOf(plan);
  }

  take(request: PriceOverrideRequest): void {
    const { planName, fixedPrice, recurringPrice } = request;
    if (planName && planName !== this.#plan.name && planName !== this.#plan.parentPlanName) {
      throw invalidOverrideError(
        `Plan "${shortenText(planName)}" is not the overridden plan, ${this.#plan.name}`,
      );
    }
    const phase = this.#phaseOf(request);
    const ofPhase = `of phase "${phase.name}"`;
    this.#add(PriceTarget.fixed(phase.type), fixedPrice, `fixed price ${ofPhase}`);
    this.#add(PriceTarget.recurring(phase.type), recurringPrice, `recurring price ${ofPhase}`);
    for (const usage of request.usagePrices ?? []) this.#takeUsage(phase, usage);
  }

  #phaseOf({ phaseName, phaseType }: PriceOverrideRequest): PlanPhase {
    const { name, phases } = this.#plan;
    const phase = phaseName
      ? phases.find((candidate) => candidate.name === phaseName)
      : phases.find((candidate) => candidate.type === phaseType);
    if (phase !== undefined) return phase;
    const sought = phaseName || phaseType;
    const known = phases.map((each) => `${each.name} (${each.type})`).join(', ');
    throw invalidOverrideError(
      sought
        ? `Plan ${name} has no phase "${shortenText(sought)}" with a price to override; it has ${known}`
        : `A price override needs a phaseName or phaseType; plan ${name} has ${known}`,
    );
  }

  #takeUsage(phase: PlanPhase, request: UsagePriceOverride): void {
    const usage = phase.usages.find((candidate) => candidate.name === request.usageName);
    if (usage === undefined) {
      const known = phase.usages.map((each) => each.name).join(', ') || 'none';
      throw invalidOverrideError(
        `Phase "${phase.name}" has no usage "${shortenText(request.usageName ?? '')}"; it has ${known}`,
      );
    }
    const section: UsageOfPhase = { phase: phase.type, usageName: usage.name };
    const ofUsage = `of usage "${usage.name}" of phase "${phase.name}"`;
    const counter = blockCounter();
    for (const [position, tier] of (request.tierPrices ?? []).entries()) {
      const what = `recurring price of CAPACITY tier ${position + 1} ${ofUsage}`;
      this.#add(PriceTarget.tier(section, position), tier.recurringPrice, what);
      for (const block of tier.blockPrices ?? []) this.#takeBlock(block, { section, ofUsage, counter });
    }
  }

  /**
   * Matches a requested block. A block without a price must match too, because an equal block with a price may come
   * later in the request.
   */
  #takeBlock(
    block: BlockPriceOverride,
    usage: {
      readonly section: UsageOfPhase;
      readonly ofUsage: string;
      readonly counter: ReturnType<typeof blockCounter>;
    },
  ): void {
    const { unitName, size, max } = block;
    const identity = { unit: unitName ?? '', size: shownDecimal(size), max: shownDecimal(max) };
    const occurrence = usage.counter(identity);
    const target = PriceTarget.block(usage.section, identity, occurrence);
    const what = `price of the block of unit "${shortenText(identity.unit)}", size ${identity.size}, max ${identity.max} ${usage.ofUsage}`;
    if (occurrence > 0 && !this.#targets.has(target))
      throw invalidOverrideError(`The ${what} is overridden twice`);
    this.#checkHas(target, what);
    this.#add(target, block.price, what);
  }

  /** Adds an override. `what` describes the price for messages, such as `fixed price of phase "gold-trial"`. */
  #add(target: PriceTarget, amount: Decimal | null | undefined, what: string): void {
    if (!isPresent(amount)) return;
    this.#checkHas(target, what);
    if (this.found.has(target)) throw invalidOverrideError(`The ${what} is overridden twice`);
    this.found.set(target, checkedAmount(amount, what));
  }

  #checkHas(target: PriceTarget, what: string): void {
    if (!this.#targets.has(target))
      throw invalidOverrideError(`Plan ${this.#plan.name} has no ${what} to override`);
  }
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function checkedAmount(amount: Decimal, what: string): Decimal {
  const value = Decimal.isDecimal(amount) ? parseWireDecimal(amount) : undefined;
  if (value === undefined) {
    throw invalidOverrideError(`The ${what} must be a decimal of at most 15 integer and 9 fractional digits`);
  }
  if (value.isNegative())
    throw invalidOverrideError(`The ${what} cannot be ${formatDecimal(value)}: it is negative`);
  return value;
}

function shownDecimal(value: Decimal | null | undefined): string {
  return isPresent(value) && Decimal.isDecimal(value) ? formatDecimal(value) : 'none';
}

function invalidOverrideError(message: string): BillingError {
  return billingError(ErrorCode.CATALOG_INVALID_PRICE_OVERRIDE, message);
}

/**
 * The canonical text of an overridable price (§10 rule 2), a JSON list of one of these forms: `FIXED` phase type;
 * `RECURRING` phase type; `BLOCK` phase type, usage, unit, size, max, occurrence; `TIER` phase type, usage, position.
 * Targets name the phase type, so they are equal in every version and in an override plan.
 */
export type PriceTarget = string & { readonly __brand: 'PriceTarget' };

/** Identifies a block in a tier by its values. `occurrence` numbers equal blocks of a section, starting at 0. */
interface BlockIdentity {
  readonly unit: string;
  readonly size: string;
  readonly max: string;
}

export const PriceTarget = {
  fixed: (phase: PhaseType): PriceTarget => targetOf('FIXED', phase),
  recurring: (phase: PhaseType): PriceTarget => targetOf('RECURRING', phase),
  block: (usage: UsageOfPhase, block: BlockIdentity, occurrence: number): PriceTarget =>
    targetOf('BLOCK', usage.phase, usage.usageName, block.unit, block.size, block.max, occurrence),
  /** Returns the target for a CAPACITY tier. `position` starts at 0. */
  tier: (usage: UsageOfPhase, position: number): PriceTarget =>
    targetOf('TIER', usage.phase, usage.usageName, position),
} as const;

interface UsageOfPhase {
  readonly phase: PhaseType;
  readonly usageName: string;
}

type TargetParts = readonly (string | number)[];

function targetOf(...parts: TargetParts): PriceTarget {
  return JSON.stringify(parts) as PriceTarget;
}

function partsOf(target: PriceTarget): TargetParts {
  return JSON.parse(target) as TargetParts;
}

/** Returns the price that replaces `price`. Returns `price` itself if it does not change. */
type PriceChange = (target: PriceTarget, price: InternationalPrice) => InternationalPrice;

export function mapPrices(phase: PlanPhase, change: PriceChange): PlanPhase {
  const { type, fixed, recurring } = phase;
  return {
    ...phase,
    fixed: fixed && { ...fixed, price: change(PriceTarget.fixed(type), fixed.price) },
    recurring: recurring && {
      ...recurring,
      price: recurring.price && change(PriceTarget.recurring(type), recurring.price),
    },
    usages: phase.usages.map((usage) => mapUsagePrices(usage, type, change)),
  };
}

function priceTargetsOf(plan: Plan): ReadonlySet<PriceTarget> {
  const targets = new Set<PriceTarget>();
  for (const phase of plan.phases) {
    mapPrices(phase, (target, price) => {
      targets.add(target);
      return price;
    });
  }
  return targets;
}

function blockCounter(): (block: BlockIdentity) => number {
  const seen = new Map<string, number>();
  return ({ unit, size, max }) => {
    const key = JSON.stringify([unit, size, max]);
    const occurrence = seen.get(key) ?? 0;
    seen.set(key, occurrence + 1);
    return occurrence;
  };
}

function mapUsagePrices(usage: Usage, phase: PhaseType, change: PriceChange): Usage {
  const section: UsageOfPhase = { phase, usageName: usage.name };
  const next = blockCounter();
  const changeBlock = (block: TieredBlock): TieredBlock => {
    const { unit, size, max } = block;
    const identity = { unit, size: formatDecimal(size.value), max: formatDecimal(max.value) };
    return { ...block, prices: change(PriceTarget.block(section, identity, next(identity)), block.prices) };
  };
  const isCapacity = usage.usageType === UsageType.CAPACITY;
  return {
    ...usage,
    tiers: usage.tiers.map((tier, position) => ({
      ...tier,
      blocks: tier.blocks.map(changeBlock),
      recurringPrice:
        isCapacity && tier.recurringPrice
          ? change(PriceTarget.tier(section, position), tier.recurringPrice)
          : tier.recurringPrice,
    })),
  };
}

/**
 * A plan of a tenant with overridden prices. It is derived from its parent plan in a version. All other prices are
 * therefore those of that version (rule 6).
 */
export class OverridePlan implements OverrideDefinition {
  readonly name: string;
  readonly parentPlanName: string;
  readonly currency: Currency;
  readonly overrides: PriceOverrides;
  readonly #plans = new WeakMap<Plan, Plan>();

  constructor(name: string, definition: OverrideDefinition) {
    this.name = name;
    this.parentPlanName = definition.parentPlanName;
    this.currency = definition.currency;
    this.overrides = definition.overrides;
    Object.freeze(this);
  }

  /**
   * Returns the override plan for this version of the parent plan. The result is cached by parent. Overrides of prices
   * that the parent does not have are ignored.
   */
  planFrom(parent: Plan): Plan {
    const known = this.#plans.get(parent);
    if (known !== undefined) return known;
    assertInvariant(parent.name === this.parentPlanName, `${parent.name} is not the parent of ${this.name}`);
    const plan = deepFreeze(this.#overridden(parent));
    this.#plans.set(parent, plan);
    return plan;
  }

  #overridden(parent: Plan): Plan {
    const initialPhases = parent.initialPhases.map((phase) => this.#phaseFrom(phase));
    const finalPhase = this.#phaseFrom(parent.finalPhase);
    const phases = [...initialPhases, finalPhase];
    return { ...parent, name: this.name, parentPlanName: parent.name, initialPhases, finalPhase, phases };
  }

  #phaseFrom(phase: PlanPhase): PlanPhase {
    const priced = mapPrices(phase, (target, price) => {
      const amount = this.overrides.get(target);
      return amount === undefined ? price : overriddenPrice(price, this.currency, amount);
    });
    return { ...priced, name: phaseName(this.name, phase.type) };
  }
}

function overriddenPrice(
  { prices }: InternationalPrice,
  currency: Currency,
  amount: Decimal,
): InternationalPrice {
  const entry = { currency, amount: { value: amount, text: formatDecimal(amount) } };
  if (!prices.some((price) => price.currency === currency)) return { prices: [...prices, entry] };
  return { prices: prices.map((price) => (price.currency === currency ? entry : price)) };
}

export function overridePlanName(parentPlanName: string, number: number): string {
  return `${parentPlanName}-${number}`;
}

/**
 * Returns the lowest number, starting at `first`, whose plan name is unused. A plan name can be in use because the
 * catalog itself may contain plans with names such as `gold-2`.
 */
export function freeNumber(first: number, taken: (number: number) => boolean): number {
  let number = first;
  while (taken(number)) number += 1;
  return number;
}

export function overridePlanOf(stored: StoredOverridePlan): OverridePlan {
  const { planName, parentPlanName, currency } = stored;
  return new OverridePlan(planName, { parentPlanName, currency, overrides: readOverrides(stored.overrides) });
}
