import type { ReadSession } from '../../ports/storage/index.ts';
import {
  CatalogPartKind,
  type StoredCatalogContent,
  type StoredCatalogPart,
  type StoredCatalogVersion,
} from '../../records/index.ts';
import { eachStep, inOneTurn, oneStep, type TimeSlices } from '../../runtime/index.ts';
import { assertInvariant, InvariantError } from '../../values/errors/index.ts';
import {
  CATALOG_PARTS_AT_ONCE,
  MAX_CACHED_CATALOG_CHARACTERS,
  MAX_CACHED_CATALOGS,
} from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import { readCatalogXml } from '../formats/xml/catalog-document.ts';
import { type Catalog, createCatalog } from '../lookup/catalog.ts';
import { CatalogVersion, createVersion } from '../lookup/catalog-version.ts';
import type { Plan, Product } from '../model/catalog-model.ts';
import type { VersionFrame } from '../model/version-content.ts';
import {
  CachedParts,
  CachedShapes,
  DecodedParts,
  frameOfText,
  parseSoldAs,
  planOfText,
  productOfText,
} from './stored-parts.ts';

const MAX_DECODED_CATALOG_PARTS = 10_000;

/**
 * Caches the stored catalogs of tenants by revision, up to a maximum size (§13). After a change, only new parts are
 * read. Plans are decoded on demand.
 */
export class StoredCatalogs {
  /** Entries by tenant record id. The least recently used entry is first. */
  readonly #kept = new Map<number, CachedCatalog>();
  readonly #decoded: DecodedParts;
  readonly #committed: StoredCatalogs | null;
  readonly #slices: TimeSlices;

  /** @param committed The shared cache, if this is the cache of a transaction. */
  constructor(slices: TimeSlices = inOneTurn, committed: StoredCatalogs | null = null) {
    this.#slices = slices;
    this.#committed = committed;
    this.#decoded = committed ? committed.#decoded : new DecodedParts(MAX_DECODED_CATALOG_PARTS);
  }

  /**
   * Creates the cache for a host transaction. It starts with the content of the shared cache, and keeps uncommitted
   * data separate.
   */
  forTransaction(): StoredCatalogs {
    return new StoredCatalogs(this.#slices, this);
  }

  async get(session: ReadSession): Promise<Catalog> {
    const tenant = session.tenant.recordId;
    const revision = await session.catalogs.revision();
    const origin = this.#committed ? this.#committed.#kept.get(tenant) : undefined;
    const kept =
      this.#kept.get(tenant) ?? new CachedCatalog({ decoded: this.#decoded, slices: this.#slices }, origin);
    this.#kept.delete(tenant);
    this.#kept.set(tenant, kept);
    const catalog = await kept.at(revision, session);
    this.#dropOldest();
    return catalog;
  }

  drop(tenantRecordId: number | null): void {
    if (tenantRecordId === null) this.#kept.clear();
    else this.#kept.delete(tenantRecordId);
  }

  charactersOf(tenantRecordId: number): number {
    return this.#kept.get(tenantRecordId)?.characters ?? 0;
  }

  #dropOldest(): void {
    let characters = 0;
    for (const kept of this.#kept.values()) characters += kept.characters;
    for (const [tenant, { characters: own }] of this.#kept) {
      if (this.#kept.size <= 1) return;
      if (this.#kept.size <= MAX_CACHED_CATALOGS && characters <= MAX_CACHED_CATALOG_CHARACTERS) return;
      this.#kept.delete(tenant);
      characters -= own;
    }
  }
}

interface CachedVersion {
  /** The catalog revision in which the version was added. */
  readonly since: number;
  readonly contentHash: string;
  readonly version: CatalogVersion;
}

type CachedVersions = ReadonlyMap<number, CachedVersion>;

class CachedCatalog {
  readonly #frames: CachedParts<VersionFrame>;
  readonly #products: CachedParts<Product>;
  readonly #plans: CachedParts<Plan>;
  readonly #shapes: CachedShapes;
  #revision: number | undefined;
  #catalog: Catalog = createCatalog([]);
  #versions: CachedVersions = new Map();

  readonly #slices: TimeSlices;

  /** @param origin The catalog whose content this catalog initially copies. */
  constructor(
    { decoded, slices }: { readonly decoded: DecodedParts; readonly slices: TimeSlices },
    origin?: CachedCatalog,
  ) {
    this.#slices = slices;
    this.#frames = new CachedParts({ decode: frameOfText, decoded }, origin ? origin.#frames : undefined);
    this.#products = new CachedParts(
      { decode: productOfText, decoded },
      origin ? origin.#products : undefined,
    );
    this.#plans = new CachedParts(
      { decode: planOfText, soldAs: parseSoldAs, decoded },
      origin ? origin.#plans : undefined,
    );
    this.#shapes = new CachedShapes(origin ? origin.#shapes : undefined);
    if (origin === undefined) return;
    this.#revision = origin.#revision;
    this.#catalog = origin.#catalog;
    this.#versions = origin.#versions;
  }

  get characters(): number {
    const { characters } = this.#shapes;
    return characters + this.#frames.characters + this.#products.characters + this.#plans.characters;
  }

  async at(revision: number, session: ReadSession): Promise<Catalog> {
    if (this.#revision === revision) return this.#catalog;
    // Another call may replace the versions during this read.
    const known = this.#versions;
    const stored = await session.catalogs.versions();
    const unknown = stored.filter((version) => !isCached(known, version)).map(({ recordId }) => recordId);
    const contents = await session.catalogs.contents(unknown);
    await this.#readParts(contents, session);
    // There is no `await` below, so no other call can release a part found here.
    const versions = this.#compose(stored, known, new Map(contents.map((each) => [each.recordId, each])));
    const all = [...versions.values()];
    const catalog = createCatalog(
      all.map(({ version }) => version),
      {
        revision,
        versionsAt: (then) => all.filter(({ since }) => since <= then).map(({ version }) => version),
      },
    );
    if (this.#revision !== undefined && revision < this.#revision) return catalog;
    this.#versions = versions;
    this.#catalog = catalog;
    this.#revision = revision;
    if (known.keys().some((recordId) => !versions.has(recordId))) this.#letGo(catalog.versions);
    return catalog;
  }

  /** Reads the parts. If another call has released some of them in the meantime, reads these again. */
  async #readParts(contents: readonly StoredCatalogContent[], session: ReadSession): Promise<void> {
    for (
      let missing = this.#findMissingParts(contents);
      missing.size > 0;
      missing = this.#findMissingParts(contents)
    ) {
      const parts = await this.#partsOf(missing, session);
      const shapes = await this.#shapes.of(parts, (recordIds) => this.#partsOf(recordIds, session));
      await this.#slices(eachStep(parts, (part) => this.#keeperOf(part).add(part, shapes(part))));
    }
  }

  /** Reads parts in batches, because a database in this process blocks all other work while it reads. */
  async #partsOf(
    recordIds: ReadonlySet<number>,
    session: ReadSession,
  ): Promise<readonly StoredCatalogPart[]> {
    const ids = [...recordIds];
    const parts: StoredCatalogPart[] = [];
    for (let first = 0; first < ids.length; first += CATALOG_PARTS_AT_ONCE) {
      const some = await session.catalogs.parts(ids.slice(first, first + CATALOG_PARTS_AT_ONCE));
      await this.#slices(oneStep(() => parts.push(...some)));
    }
    assertInvariant(parts.length === ids.length, `Found ${parts.length} of ${ids.length} catalog parts`);
    return parts;
  }

  #findMissingParts(contents: readonly StoredCatalogContent[]): Set<number> {
    const missing = new Set<number>();
    for (const { content } of contents) {
      if ('canonicalXml' in content) continue;
      this.#frames.addMissing([content.frame], missing);
      this.#products.addMissing(content.products, missing);
      this.#plans.addMissing(content.plans, missing);
    }
    return missing;
  }

  #letGo(versions: readonly CatalogVersion[]): void {
    this.#frames.keepOnly(new Set(versions.map(({ frame }) => frame)));
    this.#products.keepOnly(new Set(versions.flatMap(({ productParts }) => productParts.parts)));
    this.#plans.keepOnly(new Set(versions.flatMap(({ planParts }) => planParts.parts)));
    this.#shapes.keepOnly(this.#plans.shapes());
  }

  #keeperOf({
    kind,
  }: StoredCatalogPart): CachedParts<VersionFrame> | CachedParts<Product> | CachedParts<Plan> {
    switch (kind) {
      case CatalogPartKind.FRAME:
        return this.#frames;
      case CatalogPartKind.PRODUCT:
        return this.#products;
      case CatalogPartKind.PLAN:
        return this.#plans;
      case CatalogPartKind.SHAPE:
        throw new InvariantError('A shape is not a part of a version');
    }
  }

  /** Builds the versions in the order of `stored`. Each version shares unchanged parts with the previous version. */
  #compose(
    stored: readonly StoredCatalogVersion[],
    known: CachedVersions,
    contents: ReadonlyMap<number, StoredCatalogContent>,
  ): CachedVersions {
    const versions = new Map<number, CachedVersion>();
    let previous: CatalogVersion | undefined;
    for (const { recordId, contentHash, effectiveDate, revision } of stored) {
      const content = contents.get(recordId)?.content;
      const version =
        content === undefined
          ? known.get(recordId)?.version
          : this.#version(effectiveDate, content, previous);
      assertInvariant(version !== undefined, `Catalog version ${recordId} has no content`);
      versions.set(recordId, { contentHash, version, since: revision ?? 0 });
      previous = version;
    }
    return versions;
  }

  #version(
    effectiveDate: Instant,
    content: StoredCatalogContent['content'],
    previous: CatalogVersion | undefined,
  ): CatalogVersion {
    if ('canonicalXml' in content) return versionOfXml(content.canonicalXml);
    return new CatalogVersion({
      effectiveDate,
      frame: this.#frames.get(content.frame),
      products: this.#products.list(content.products, previous?.productParts),
      plans: this.#plans.list(content.plans, previous?.planParts),
    });
  }
}

function isCached(known: CachedVersions, { recordId, contentHash }: StoredCatalogVersion): boolean {
  return known.get(recordId)?.contentHash === contentHash;
}

/** Returns a version from its XML. Such versions were validated and stored before versions were divided into parts. */
function versionOfXml(canonicalXml: string): CatalogVersion {
  const [parsed] = readCatalogXml(canonicalXml).versions;
  assertInvariant(parsed !== undefined, 'A stored catalog document contains no version');
  return createVersion(parsed.content);
}
