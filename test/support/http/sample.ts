import type { Request } from './serving.ts';

/** A request that a route answers with its success. */
export interface Sample extends Request {
  /** Key and secret of the tenant that it is for, where it is not the first one. */
  readonly tenant?: TenantKeys;
  readonly query?: string;
  /** Segments of the path that are the sample's own and not ids of the world. */
  readonly segments?: Readonly<Record<string, string>>;
}

export type TenantKeys = readonly [apiKey: string, apiSecret: string];
