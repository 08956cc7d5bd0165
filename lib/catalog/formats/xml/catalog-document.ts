import { atOnce, type Steps } from '../../../runtime/index.ts';
import { BillingError, ErrorCode, type Problem } from '../../../values/errors/index.ts';
import { type CatalogVersion, versionSteps } from '../../lookup/catalog-version.ts';
import type { ParsedVersion } from '../../model/parsed-version.ts';
import { type VersionFindings, validationSteps } from '../../validation/validate-version.ts';
import { validateVersions } from '../../validation/validate-versions.ts';
import { decodeXml } from './decode.ts';
import { catalogXmlSteps } from './read-catalog.ts';
import { additionSteps } from './versions-to-add.ts';

/** A document whose versions are valid, each by itself. */
export interface Parsed {
  readonly isEnvelope: boolean;
  readonly versions: readonly ReadVersion[];
  readonly warnings: readonly Problem[];
}

/** A version and the document it was read from, which knows lines and columns. */
export interface ReadVersion {
  readonly version: CatalogVersion;
  readonly parsed: ParsedVersion;
  /** What V21 finds in it, which prevents an upload if the version is new. */
  readonly unbilled: readonly Problem[];
}

/** @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) with every error found; TOO_LARGE (60012). */
export function* parse(source: Uint8Array | string, maxBytes?: number): Steps<Parsed> {
  const { document, errors } = yield* examine(source, maxBytes);
  if (document === null) throw invalid(errors);
  return document;
}

/**
 * The versions of a document that is a whole catalog.
 * @throws as `parse`.
 */
export function validVersions(source: string): readonly CatalogVersion[] {
  const read = atOnce(parse(source)).versions;
  const versions = read.map(({ version }) => version);
  const problems = [...read.flatMap(({ unbilled }) => unbilled), ...validateVersions([], versions)];
  if (problems.length > 0) throw invalid(problems);
  return versions;
}

/** Those of a document's versions that the tenant does not have (§5 rule 6). */
export function* toAdd<R extends ReadVersion>(
  read: readonly R[],
  stored: readonly CatalogVersion[],
  isEnvelope: boolean,
): Steps<readonly R[]> {
  const versions = read.map((each) => each.version);
  const added = new Set(yield* additionSteps(stored, versions, isEnvelope));
  return read.filter((each) => added.has(each.version));
}

/** The document as text, whatever its encoding. */
export function sourceText(source: Uint8Array | string, maxBytes?: number): string {
  return decodeXml(source, maxBytes).text;
}

function invalid(problems: readonly Problem[]): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    message: 'Invalid catalog',
    problems,
  });
}

/** What is wrong with a document; without errors an upload would take it. */
export interface CatalogValidation {
  /** In the order of §4; a malformed document has one. */
  readonly errors: readonly Problem[];
  /** Never stop an upload. */
  readonly warnings: readonly Problem[];
}

export interface Examined extends CatalogValidation {
  /** Null with errors. */
  readonly document: Parsed | null;
}

/** Examines each version of a document by itself (§3, §4). @throws BillingError TOO_LARGE (60012). */
export function* examine(source: Uint8Array | string, maxBytes?: number): Steps<Examined> {
  try {
    const { isEnvelope, versions } = yield* catalogXmlSteps(source, maxBytes);
    const findings: VersionFindings[] = [];
    for (const version of versions) findings.push(yield* validationSteps(version));
    const errors = findings.flatMap((found) => found.errors);
    const warnings = findings.flatMap((found) => found.warnings);
    if (errors.length > 0) {
      const unbilled = findings.flatMap((found) => found.unbilled);
      return { errors: [...errors, ...unbilled], warnings, document: null };
    }
    const read: ReadVersion[] = [];
    for (const [index, each] of versions.entries()) {
      const unbilled = findings[index]?.unbilled ?? [];
      read.push({ version: yield* versionSteps(each.content), parsed: each, unbilled });
    }
    return { errors, warnings, document: { isEnvelope, versions: read, warnings } };
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== ErrorCode.CATALOG_INVALID_FOR_TENANT) throw error;
    return { errors: error.problems ?? [{ message: error.message }], warnings: [], document: null };
  }
}
