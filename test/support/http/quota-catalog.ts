/** Name of the quota in the catalog of the world. */
export const QUOTA = 'calls';

/** Adds the declaration of a quota to a catalog document. */
export function withQuota(catalog: string): string {
  return catalog
    .replace('<catalog>', '<catalog xmlns:bw="urn:billwright:catalog">')
    .replace('<products>', `<bw:features><bw:feature name="${QUOTA}" kind="QUOTA"/></bw:features><products>`);
}
