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
 * Checks one version by itself: its size (platform §16), then rules V1 to V21 and the warnings of §4. Collects every
 * error, each naming its entity, with line and column if `locate` (of a parsed document) knows them; never throws.
 */
export function validateVersion(version: ValidatedContent): VersionValidation {
  const { errors, unbilled, warnings } = atOnce(validationSteps(version));
  return { errors: [...errors, ...unbilled], warnings };
}

/** Catalogs that were stored before V21 may have such sections, so that only a version that is new is refused for them. */
export interface VersionFindings extends VersionValidation {
  /** Errors of V21 alone; `errors` has those of the other rules. */
  readonly unbilled: readonly Problem[];
}

export interface ValidatedContent {
  readonly content: VersionContent;
  readonly locate?: Locate;
}

/** As `validateVersion`, step by step, with what V21 finds apart. */
export function* validationSteps(version: ValidatedContent): Steps<VersionFindings> {
  const { content } = version;
  const tooMany = exceededLimits(content);
  if (tooMany.length > 0) return { errors: tooMany, unbilled: [], warnings: [] };
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
  const { errors, unbilled, warnings } = findings;
  return { errors, unbilled, warnings };
}
