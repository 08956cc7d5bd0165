/** Consecutive revisions, both ends included. */
export interface RevisionSpan {
  readonly first: number;
  readonly last: number;
}

/** Keeps one span of revisions per tenant, for the tenants that were last added to. */
export class RevisionSpans {
  readonly #spans = new Map<number, RevisionSpan>();
  readonly #maxTenants: number;

  constructor(maxTenants: number) {
    this.#maxTenants = maxTenants;
  }

  has(tenantRecordId: number, { first, last }: RevisionSpan): boolean {
    const known = this.#spans.get(tenantRecordId);
    return known !== undefined && known.first <= first && known.last >= last;
  }

  /** Joins the span to the tenant's one, or replaces that where there is a gap between them. */
  add(tenantRecordId: number, span: RevisionSpan): void {
    const known = this.#spans.get(tenantRecordId);
    const joins = known !== undefined && known.first <= span.last + 1 && span.first <= known.last + 1;
    this.#spans.delete(tenantRecordId);
    this.#spans.set(
      tenantRecordId,
      joins ? { first: Math.min(known.first, span.first), last: Math.max(known.last, span.last) } : span,
    );
    const oldest = this.#spans.keys().next();
    if (this.#spans.size > this.#maxTenants && !oldest.done) this.#spans.delete(oldest.value);
  }
}
