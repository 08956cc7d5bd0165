import { atOnce, type Steps } from '../../runtime/index.ts';
import type { Problem } from '../../values/errors/index.ts';
import type { Locate } from '../model/parsed-version.ts';
import type { VersionContent } from '../model/version-content.ts';
import { exceededLimits } from '../model/version-limits.ts';
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
 * Checks one version by itself: its size (platform §16), then rules V1 to V20 and the warnings of §4. Collects every
 * error, each naming its entity, with line and column if `locate` (of a parsed document) knows them; never throws.
 */
export function validateVersion(version: ValidatedContent): VersionValidation {
  return atOnce(validationSteps(version));
}

export interface ValidatedContent {
  readonly content: VersionContent;
  readonly locate?: Locate;
}

/** As `validateVersion`, step by step. */
export function* validationSteps(version: ValidatedContent): Steps<VersionValidation> {
  const { content } = version;
  const tooMany = exceededLimits(content);
  if (tooMany.length > 0) return { errors: tooMany, warnings: [] };
  const findings = new Findings(version.locate ?? null);
  const check: VersionCheck = {
    content,
    findings,
    names: new Names(content, findings),
    currencies: new Set(content.currencies),
  };
  for (const unit of content.units) check.names.declare(NameKind.UNIT, unit);
  yield* checkProducts(check);
  yield* checkPlans(check);
  yield;
  checkPriceLists(check);
  yield;
  checkRules(check);
  yield;
  checkPhaseTerms(check);
  yield* collectWarnings(check);
  return { errors: findings.errors, warnings: findings.warnings };
}
