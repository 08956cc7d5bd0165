import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261121Initial } from './20261121-initial.ts';
import { Migration20261121204719CatalogParts } from './20261121204719-catalog-parts.ts';
import { Migration20261121205149AccountEmails } from './20261121205149-account-emails.ts';
import { Migration20261121210100Security } from './20261121210100-security.ts';
import { Migration20261121210000Tenants } from './20261121210000-tenants.ts';
import { Migration20261121210800OverridePlans } from './20261121210800-override-plans.ts';
import { Migration20261121210500Tags } from './20261121210500-tags.ts';
import { Migration20261121211500PriceChanges } from './20261121211500-price-changes.ts';
import { Migration20261121211700SigningSecrets } from './20261121211700-signing-secrets.ts';
import { Migration20261121210213CatalogEntries } from './20261121210213-catalog-entries.ts';
import { Migration20261121211642AccountSearch } from './20261121211642-account-search.ts';
import { Migration20261121211719AutoPayHolds } from './20261121211719-auto-pay-holds.ts';
import { Migration20261121215900PlansInUse } from './20261121215900-plans-in-use.ts';
import { Migration20261121235846CoverageIndexes } from './20261121235846-coverage-indexes.ts';
import { Migration20261121210930CatalogRemoval } from './20261121210930-catalog-removal.ts';
import { Migration20261121215435AccountCredit } from './20261121215435-account-credit.ts';
import { Migration20261121215533Idempotency } from './20261121215533-idempotency.ts';
import { Migration20261122000539Drafts } from './20261122000539-drafts.ts';
import { Migration20261122000551PlansChanged } from './20261122000551-plans-changed.ts';
import { Migration20261122004107DelegatedPayment } from './20261122004107-delegated-payment.ts';
import { Migration20261122004220ItemBases } from './20261122004220-item-bases.ts';
import { Migration20261122000500BundleKeys } from './20261122000500-bundle-keys.ts';
import { Migration20261122000445Blocking } from './20261122000445-blocking.ts';
import { Migration20261122013500AccountTextIndex } from './20261122013500-account-text-index.ts';
import { Migration20261122033932CatalogShapes } from './20261122033932-catalog-shapes.ts';
import { Migration20261122040000RowLevelSecurity } from './20261122040000-row-level-security.ts';

/** The migrations of PostgreSQL, in the order in which they run. */
export const migrations: readonly MigrationObject[] = [
  { name: '20261121-initial', class: Migration20261121Initial },
  { name: '20261121204719-catalog-parts', class: Migration20261121204719CatalogParts },
  { name: '20261121205149-account-emails', class: Migration20261121205149AccountEmails },
  { name: '20261121210100-security', class: Migration20261121210100Security },
  { name: '20261121210000-tenants', class: Migration20261121210000Tenants },
  { name: '20261121210800-override-plans', class: Migration20261121210800OverridePlans },
  { name: '20261121210500-tags', class: Migration20261121210500Tags },
  { name: '20261121211500-price-changes', class: Migration20261121211500PriceChanges },
  { name: '20261121211700-signing-secrets', class: Migration20261121211700SigningSecrets },
  { name: '20261121210213-catalog-entries', class: Migration20261121210213CatalogEntries },
  { name: '20261121211642-account-search', class: Migration20261121211642AccountSearch },
  { name: '20261121211719-auto-pay-holds', class: Migration20261121211719AutoPayHolds },
  { name: '20261121210930-catalog-removal', class: Migration20261121210930CatalogRemoval },
  { name: '20261121215435-account-credit', class: Migration20261121215435AccountCredit },
  { name: '20261121215533-idempotency', class: Migration20261121215533Idempotency },
  { name: '20261121215900-plans-in-use', class: Migration20261121215900PlansInUse },
  { name: '20261121235846-coverage-indexes', class: Migration20261121235846CoverageIndexes },
  { name: '20261122000539-drafts', class: Migration20261122000539Drafts },
  { name: '20261122000551-plans-changed', class: Migration20261122000551PlansChanged },
  { name: '20261122004107-delegated-payment', class: Migration20261122004107DelegatedPayment },
  { name: '20261122004220-item-bases', class: Migration20261122004220ItemBases },
  { name: '20261122000500-bundle-keys', class: Migration20261122000500BundleKeys },
  { name: '20261122000445-blocking', class: Migration20261122000445Blocking },
  { name: '20261122013500-account-text-index', class: Migration20261122013500AccountTextIndex },
  { name: '20261122033932-catalog-shapes', class: Migration20261122033932CatalogShapes },
  { name: '20261122040000-row-level-security', class: Migration20261122040000RowLevelSecurity },
];
