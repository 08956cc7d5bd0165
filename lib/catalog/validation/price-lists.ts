import { DEFAULT_PRICE_LIST, type PriceList } from '../model/catalog-model.ts';
import { NameKind } from './names.ts';
import type { VersionCheck } from './version-check.ts';

/** V16, with V1 and V2 of the lists. */
export function checkPriceLists(check: VersionCheck): void {
  const { defaultPriceList, childPriceLists } = check.content.priceLists;
  if (defaultPriceList.name === DEFAULT_PRICE_LIST) {
    check.names.declare(NameKind.PRICE_LIST, defaultPriceList);
  } else {
    check.findings.error(
      `The default price list is named ${DEFAULT_PRICE_LIST}, not ${JSON.stringify(defaultPriceList.name)}`,
      [defaultPriceList],
    );
  }
  checkPlansOf(check, defaultPriceList);
  for (const list of childPriceLists) {
    if (list.name === DEFAULT_PRICE_LIST) {
      check.findings.error(`A child price list cannot be named ${DEFAULT_PRICE_LIST}`, [list]);
    } else {
      check.names.declare(NameKind.PRICE_LIST, list);
    }
    checkPlansOf(check, list);
  }
  checkEveryPlanListed(check);
}

function checkPlansOf(check: VersionCheck, list: PriceList): void {
  const owner = `Price list "${list.name}"`;
  const seen = new Set<string>();
  list.plans.forEach((name, index) => {
    const place = [list.plans, 'plan', index] as const;
    if (seen.has(name)) check.findings.error(`${owner} has plan "${name}" twice`, place);
    else check.names.refer({ owner, kind: NameKind.PLAN, name, place });
    seen.add(name);
  });
}

function checkEveryPlanListed(check: VersionCheck): void {
  const { plans, priceLists } = check.content;
  const listed = new Set(
    [priceLists.defaultPriceList, ...priceLists.childPriceLists].flatMap((list) => list.plans),
  );
  for (const plan of plans) {
    if (!listed.has(plan.name)) check.findings.error(`Plan "${plan.name}" is in no price list`, [plan]);
  }
}
