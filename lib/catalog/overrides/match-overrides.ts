import type { BlockPriceOverride, PriceOverrideRequest, UsagePriceOverride } from '../../ports/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { Decimal, formatDecimal, parseWireDecimal } from '../../values/money/index.ts';
import { shortened } from '../../values/text/index.ts';
import type { Plan, PlanPhase } from '../model/catalog-model.ts';
import { BlockCounter, PriceTarget, priceTargetsOf, type UsageOfPhase } from './overridable-price.ts';

/** The overridden prices, each once. */
export type PriceOverrides = ReadonlyMap<PriceTarget, Decimal>;

/** Whether an override names any price; if not, the request is malformed (subscriptions §6.1). */
export function namesPrice(request: PriceOverrideRequest): boolean {
  const usagePrices = (request.usagePrices ?? [])
    .flatMap((usage) => usage.tierPrices ?? [])
    .flatMap((tier) => [tier.recurringPrice, ...(tier.blockPrices ?? []).map((block) => block.price)]);
  return [request.fixedPrice, request.recurringPrice, ...usagePrices].some(isGiven);
}

/**
 * Finds the prices of a plan that the overrides mean (§10 rule 2).
 * @throws BillingError CATALOG_INVALID_PRICE_OVERRIDE (2081) for a phase, price, usage section, block or tier that the
 *   plan does not have, two amounts for one price, and an amount that is negative or has too many digits.
 */
export function matchPriceOverrides(plan: Plan, requests: readonly PriceOverrideRequest[]): PriceOverrides {
  const matching = new Matching(plan);
  for (const request of requests) matching.take(request);
  return matching.found;
}

interface Match {
  readonly target: PriceTarget;
  readonly amount: Decimal | null | undefined;
  /** What is priced, for messages: `fixed price of phase "gold-trial"`. */
  readonly what: string;
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
    const { planName } = request;
    if (planName && planName !== this.#plan.name && planName !== this.#plan.parentPlanName) {
      throw refused(`Plan "${shortened(planName)}" is not the one that is overridden, ${this.#plan.name}`);
    }
    const phase = this.#phaseOf(request);
    const ofPhase = `of phase "${phase.name}"`;
    this.#add({
      target: PriceTarget.fixed(phase.type),
      amount: request.fixedPrice,
      what: `fixed price ${ofPhase}`,
    });
    this.#add({
      target: PriceTarget.recurring(phase.type),
      amount: request.recurringPrice,
      what: `recurring price ${ofPhase}`,
    });
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
    throw refused(
      sought
        ? `Plan ${name} has no phase "${shortened(sought)}" whose price could be overridden; it has ${known}`
        : `A price override needs a phaseName or phaseType; plan ${name} has ${known}`,
    );
  }

  #takeUsage(phase: PlanPhase, request: UsagePriceOverride): void {
    const usage = phase.usages.find((candidate) => candidate.name === request.usageName);
    if (usage === undefined) {
      const known = phase.usages.map((each) => each.name).join(', ') || 'none';
      throw refused(
        `Phase "${phase.name}" has no usage "${shortened(request.usageName ?? '')}"; it has ${known}`,
      );
    }
    const section: UsageOfPhase = { phase: phase.type, usageName: usage.name };
    const ofUsage = `of usage "${usage.name}" of phase "${phase.name}"`;
    const counter = new BlockCounter();
    for (const [position, tier] of (request.tierPrices ?? []).entries()) {
      this.#add({
        target: PriceTarget.tier(section, position),
        amount: tier.recurringPrice,
        what: `recurring price of CAPACITY tier ${position + 1} ${ofUsage}`,
      });
      for (const block of tier.blockPrices ?? []) this.#takeBlock(block, { section, ofUsage, counter });
    }
  }

  /** A block without a price counts too and must exist: an equal block with a price may follow it. */
  #takeBlock(
    block: BlockPriceOverride,
    usage: { readonly section: UsageOfPhase; readonly ofUsage: string; readonly counter: BlockCounter },
  ): void {
    const { unitName, size, max } = block;
    const identity = { unit: unitName ?? '', size: shownDecimal(size), max: shownDecimal(max) };
    const occurrence = usage.counter.next(identity);
    const target = PriceTarget.block(usage.section, identity, occurrence);
    const what = `price of the block of unit "${shortened(identity.unit)}", size ${identity.size}, max ${identity.max} ${usage.ofUsage}`;
    if (occurrence > 0 && !this.#targets.has(target)) throw refused(`The ${what} is overridden twice`);
    this.#checkHas(target, what);
    this.#add({ target, amount: block.price, what });
  }

  #add({ target, amount, what }: Match): void {
    if (!isGiven(amount)) return;
    this.#checkHas(target, what);
    if (this.found.has(target)) throw refused(`The ${what} is overridden twice`);
    this.found.set(target, checkedAmount(amount, what));
  }

  #checkHas(target: PriceTarget, what: string): void {
    if (!this.#targets.has(target)) throw refused(`Plan ${this.#plan.name} has no ${what} to override`);
  }
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function checkedAmount(amount: Decimal, what: string): Decimal {
  const value = Decimal.isDecimal(amount) ? parseWireDecimal(amount) : undefined;
  if (value === undefined) {
    throw refused(`The ${what} must be a decimal of at most 15 integer and 9 fractional digits`);
  }
  if (value.isNegative()) throw refused(`The ${what} cannot be ${formatDecimal(value)}: it is negative`);
  return value;
}

function shownDecimal(value: Decimal | null | undefined): string {
  return isGiven(value) && Decimal.isDecimal(value) ? formatDecimal(value) : 'none';
}

/** @internal */
export function refused(message: string): BillingError {
  return new BillingError({ code: ErrorCode.CATALOG_INVALID_PRICE_OVERRIDE, message });
}
