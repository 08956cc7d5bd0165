import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import { EntryKind, type StoredOverridePlan } from '../../records/index.ts';
import { assertInvariant, type Problem } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { storesOverridePlans } from '../cache/catalog-source.ts';
import { sha256Hex } from '../cache/stored-parts.ts';
import type { Catalog } from '../lookup/catalog.ts';
import { hasPlan } from '../overrides/catalog-with-overrides.ts';
import {
  freeNumber,
  type OverrideDefinition,
  OverridePlan,
  overridePlanName,
  overridePlanOf,
  writeOverrides,
} from '../overrides/define-overrides.ts';

/**
 * Finds the tenant's override plan for a definition, or stores a new one with the next free number (§10 rules 3, 4).
 * Takes the catalog lock, which should be the last lock of the transaction.
 * @param currentCatalog reads the catalog under that lock, because a plan of the catalog may already have the name of
 * the override plan.
 */
export async function obtainOverridePlan(
  session: WriteSession,
  definition: OverrideDefinition,
  tools: ObtainTools,
): Promise<OverridePlan> {
  return (await obtainOverridePlans(session, [definition], tools))(definition);
}

interface ObtainTools {
  readonly nextId: () => Uuid;
  readonly currentCatalog: () => Promise<Catalog>;
}

/**
 * Returns the override plans for several definitions, in order, in a constant number of statements. Equal definitions
 * share a plan.
 */
export async function obtainOverridePlans(
  session: WriteSession,
  definitions: readonly OverrideDefinition[],
  { nextId, currentCatalog }: ObtainTools,
): Promise<(definition: OverrideDefinition) => OverridePlan> {
  const wanted = await Promise.all(definitions.map(hashDefinition));
  const plans = new Map<string, OverridePlan>();
  const missing = async (): Promise<readonly HashedDefinition[]> => {
    const found = await session.catalogs.findOverridePlansOf(wanted);
    for (const each of found) plans.set(identityOf(each), overridePlanOf(each));
    const distinct = new Map(wanted.map((each) => [identityOf(each), each]));
    return [...distinct.values()].filter((each) => !plans.has(identityOf(each)));
  };
  if (wanted.length > 0 && (await missing()).length > 0) {
    await session.catalogs.lock();
    // The previous lock holder may have stored some of the missing plans.
    const added = await missing();
    const numbers = await freeNumbers(session, added, await currentCatalog());
    if (added.length > 0) storesOverridePlans(session);
    const { createdDate } = session.authorship;
    await session.catalogs.insertOverridePlans(
      added.map(({ definition, ...each }, index) => {
        const number = numbers[index];
        assertInvariant(number !== undefined, 'An override plan has no number');
        const { parentPlanName, currency } = definition;
        const planName = overridePlanName(parentPlanName, number);
        plans.set(identityOf(each), new OverridePlan(planName, definition));
        return { ...each, id: nextId(), number, planName, currency, createdDate };
      }),
    );
  }
  const byDefinition = new Map(wanted.map((each) => [each.definition, plans.get(identityOf(each))]));
  return (definition) => {
    const plan = byDefinition.get(definition);
    assertInvariant(plan, `No override plan of ${definition.parentPlanName} was requested`);
    return plan;
  };
}

interface HashedDefinition extends Pick<StoredOverridePlan, 'parentPlanName' | 'overrides' | 'overrideHash'> {
  readonly definition: OverrideDefinition;
}

async function hashDefinition(definition: OverrideDefinition): Promise<HashedDefinition> {
  const { parentPlanName, currency } = definition;
  const overrides = writeOverrides(definition.overrides);
  const overrideHash = await sha256Hex(`${currency} ${overrides}`);
  return { definition, parentPlanName, overrides, overrideHash };
}

function identityOf(each: Pick<StoredOverridePlan, 'overrideHash' | 'parentPlanName'>): string {
  return `${each.overrideHash} ${each.parentPlanName}`;
}

/** Returns ascending numbers above the existing ones. Skips numbers whose plan names are already used. */
async function freeNumbers(
  session: WriteSession,
  definitions: readonly HashedDefinition[],
  catalog: Catalog,
): Promise<readonly number[]> {
  const highest = await session.catalogs.lastOverridePlanNumber();
  let taken: ReadonlySet<string> = new Set();
  for (;;) {
    const numbers: number[] = [];
    let last = highest;
    for (const { parentPlanName } of definitions) {
      last = freeNumber(last + 1, (each) => {
        const name = overridePlanName(parentPlanName, each);
        return taken.has(name) || hasPlan(catalog, name);
      });
      numbers.push(last);
    }
    const names = definitions.map(({ parentPlanName }, index) =>
      overridePlanName(parentPlanName, numbers[index] ?? last),
    );
    const clashes = await ofEntries(session, names);
    if (clashes.length === 0) return numbers;
    taken = new Set([...taken, ...clashes]);
  }
}

export async function foreseenOverridePlan(
  session: ReadSession,
  definition: OverrideDefinition,
  catalog: Catalog,
): Promise<OverridePlan> {
  const [known] = await session.catalogs.findOverridePlansOf([await hashDefinition(definition)]);
  return known === undefined ? dryRunOverridePlan(definition, catalog) : overridePlanOf(known);
}

/**
 * Returns those of the given names that plan entries already use. Plan names are unique in the tenant, including the
 * entries of all accounts.
 */
async function ofEntries(session: WriteSession, planNames: readonly string[]): Promise<readonly string[]> {
  const entries = await session.catalogEntries.named(planNames);
  return entries.filter((entry) => entry.kind === EntryKind.PLAN).map(({ name }) => name);
}

/**
 * Returns a problem for each plan name that an override plan already has (§10 rule 7). Requires the tenant's catalog
 * lock.
 */
export async function overridePlanProblems(
  session: ReadSession,
  planNames: Iterable<string>,
): Promise<readonly Problem[]> {
  const names = [...new Set(planNames)];
  if (names.length === 0) return [];
  const taken = await session.catalogs.findOverridePlans(names);
  return taken.map(({ planName, parentPlanName }) => ({
    message: `Plan "${planName}" has the same name as a plan that overrides prices of "${parentPlanName}"; choose another name`,
  }));
}

/**
 * Returns an override plan for a dry run, named `<parent>-dryrun-<number>` (§10 rule 8). It is not stored.
 * @param first First number to try.
 */
export function dryRunOverridePlan(
  definition: OverrideDefinition,
  catalog: Catalog,
  first = 1,
): OverridePlan {
  const nameOf = (number: number): string => `${definition.parentPlanName}-dryrun-${number}`;
  return new OverridePlan(nameOf(freeNumber(first, (each) => hasPlan(catalog, nameOf(each)))), definition);
}
