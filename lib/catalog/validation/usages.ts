import { BillingMode, BlockType, UsageType } from '../../records/index.ts';
import { BillingPeriod } from '../../values/time/index.ts';
import { type Block, type Tier, UNBOUNDED, type Usage, type WrittenDecimal } from '../model/catalog-model.ts';
import { NameKind } from './names.ts';
import { checkPrice } from './prices.ts';
import { checkTierUnits } from './tier-units.ts';
import { checkLimits, isUnbounded } from './unit-limits.ts';
import type { VersionCheck } from './version-check.ts';

export function checkUsage(check: VersionCheck, usage: Usage): void {
  const owner = `Usage "${usage.name}"`;
  check.names.declare(NameKind.USAGE, usage);
  checkParts(check, usage, owner);
  checkLimits(check, usage.limits, owner);
  for (const block of usage.blocks) checkBlock(check, block, owner);
  usage.tiers.forEach((tier, index) => {
    checkTier(check, { usage, tier, owner: `${owner}, tier ${index + 1}` });
  });
  checkPrice(check, usage.fixedPrice, `${owner}: the fixed price`);
  checkPrice(check, usage.recurringPrice, `${owner}: the recurring price`);
  if (usage.billingMode !== BillingMode.IN_ARREAR) {
    checkIsBilled(check, usage, owner);
    return;
  }
  // V20
  if (usage.billingPeriod === BillingPeriod.NO_BILLING_PERIOD) {
    check.findings.error(`${owner} is IN_ARREAR and needs a billing period`, [usage, 'billingPeriod']);
  }
  checkTierUnits(check, usage, owner);
}

/** V14 of the section. */
function checkParts(check: VersionCheck, usage: Usage, owner: string): void {
  const kind = `${usage.billingMode} ${usage.usageType}`;
  if (usage.billingMode === BillingMode.IN_ARREAR && usage.tiers.length === 0) {
    check.findings.error(`${owner} is ${kind} and needs tiers`, [usage]);
  }
}

/** V21: usage in advance would be sold and never invoiced. */
function checkIsBilled(check: VersionCheck, usage: Usage, owner: string): void {
  check.findings.unbilledUsage(
    `${owner} is IN_ADVANCE, which is never billed. Use IN_ARREAR with tiers, or the recurring price of the phase`,
    [usage],
  );
}

function checkTier(
  check: VersionCheck,
  { usage, tier, owner }: { usage: Usage; tier: Tier; owner: string },
): void {
  // V14 of the tier.
  if (usage.billingMode === BillingMode.IN_ARREAR) {
    const needed = usage.usageType === UsageType.CAPACITY ? 'limits' : 'blocks';
    if (tier[needed].length === 0) {
      check.findings.error(`${owner} of a ${usage.usageType} section needs ${needed}`, [tier]);
    }
  }
  checkLimits(check, tier.limits, owner);
  for (const block of tier.blocks) {
    check.names.refer({ owner, kind: NameKind.UNIT, name: block.unit, place: [block, 'unit'] });
    checkSize(check, block, owner);
    checkPrice(check, block.prices, `${owner}: the price of unit "${block.unit}"`);
    // V15
    if (!isUnbounded(block.max) && !block.max.value.greaterThan(0)) {
      check.findings.error(
        `${owner}: max of unit "${block.unit}" is above 0, or ${UNBOUNDED} for no bound, not ${block.max.text}`,
        [block, 'max'],
      );
    }
  }
  checkPrice(check, tier.fixedPrice, `${owner}: the fixed price`);
  checkPrice(check, tier.recurringPrice, `${owner}: the recurring price`);
}

function checkBlock(check: VersionCheck, block: Block, owner: string): void {
  check.names.refer({ owner, kind: NameKind.UNIT, name: block.unit, place: [block, 'unit'] });
  checkSize(check, block, owner);
  checkPrice(check, block.prices, `${owner}: the price of unit "${block.unit}"`);
  const isTopUp = block.type === BlockType.TOP_UP;
  if (isTopUp && block.minTopUpCredit === null) {
    check.findings.error(`${owner}: the TOP_UP block of unit "${block.unit}" needs a minTopUpCredit`, [
      block,
    ]);
  }
  if (!isTopUp && block.minTopUpCredit !== null) {
    check.findings.error(
      `${owner}: only a TOP_UP block has a minTopUpCredit, not the ${block.type} block of unit "${block.unit}"`,
      [block, 'minTopUpCredit'],
    );
  }
}

/** V15 */
function checkSize(
  check: VersionCheck,
  block: { readonly unit: string; readonly size: WrittenDecimal },
  owner: string,
): void {
  if (block.size.value.greaterThan(0)) return;
  check.findings.error(
    `${owner}: the size of a block of unit "${block.unit}" is above 0, not ${block.size.text}`,
    [block, 'size'],
  );
}
