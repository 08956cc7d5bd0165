import type { Problem } from '../../errors/index.ts';
import type { VersionContent } from '../version-content.ts';
import type { Locate } from '../xml/read-catalog.ts';
import { Findings } from './findings.ts';
import { NameKind, Names } from './names.ts';
import { checkPhaseTerms } from './phases.ts';
import { checkRules } from './plan-rules.ts';
import { checkPlans } from './plans.ts';
import { checkPriceLists } from './price-lists.ts';
import { checkProducts } from './products.ts';
import type { VersionCheck } from './version-check.ts';
import { collectWarnings } from './warnings.ts';

export interface VersionValidation {
  /** Empty: the version is valid. Order: units, products, plans, price lists, rules, durations. */
  readonly errors: readonly Problem[];
  /** Never stop an upload. */
  readonly warnings: readonly Problem[];
}

/**
 * Checks one version by itself: rules V1 to V20 and the warnings of catalog.md §4. Collects every error, each naming
 * its entity, with line and column where `locate` (of a parsed document) knows them; throws nothing.
 */
export function validateVersion(version: {
  readonly content: VersionContent;
  readonly locate?: Locate;
}): VersionValidation {
  const { content } = version;
  const findings = new Findings(version.locate ?? null);
  const check: VersionCheck = {
    content,
    findings,
    names: new Names(content, findings),
    currencies: new Set(content.currencies),
  };
  for (const unit of content.units) check.names.declare(NameKind.UNIT, unit);
  checkProducts(check);
  checkPlans(check);
  checkPriceLists(check);
  checkRules(check);
  checkPhaseTerms(check);
  collectWarnings(check);
  return { errors: findings.errors, warnings: findings.warnings };
}
