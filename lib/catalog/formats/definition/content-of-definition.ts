import type { AnyVersionDefinition } from '../../../ports/index.ts';
import type { Problem } from '../../../values/errors/index.ts';
import { DEFAULT_PRICE_LIST } from '../../model/catalog-model.ts';
import type { VersionContent } from '../../model/version-content.ts';
import { version } from '../fields/records.ts';
import { DefinitionReader } from './definition-reader.ts';

export interface ReadDefinition {
  /** Not usable if there are problems. */
  readonly content: VersionContent;
  /** Every value that cannot be read. */
  readonly problems: readonly Problem[];
}

/**
 * A definition's content, in the form in which a document with the same content is read.
 * @param missingDefault the plans of `DEFAULT` if the definition has only other lists; by default that is a problem.
 */
export function contentOf(
  name: string,
  definition: AnyVersionDefinition,
  missingDefault?: readonly string[],
): ReadDefinition {
  const reader = new DefinitionReader();
  // A value that no compiler has checked may be anything.
  const given: Partial<AnyVersionDefinition> = Object(definition);
  const lists = given.priceLists ?? { [DEFAULT_PRICE_LIST]: Object.keys(Object(given.plans)) };
  const { [DEFAULT_PRICE_LIST]: defaultList = missingDefault, ...childPriceLists } = lists;
  if (defaultList === undefined) reader.note(`priceLists: the list ${DEFAULT_PRICE_LIST} is missing`);
  const defaultPriceList = Array.isArray(defaultList) ? { plans: defaultList } : defaultList;
  const priceLists = { defaultPriceList: { name: DEFAULT_PRICE_LIST, ...defaultPriceList }, childPriceLists };
  const content = reader.record(version, { ...given, catalogName: name, priceLists }, '');
  return { content, problems: reader.problems };
}
