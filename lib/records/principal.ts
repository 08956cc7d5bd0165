import type { TenantGrants } from './user.ts';

export const PrincipalKind = { USER: 'USER', CLIENT: 'CLIENT', EXTERNAL: 'EXTERNAL' } as const;
export type PrincipalKind = (typeof PrincipalKind)[keyof typeof PrincipalKind];

/** Who calls, as far as the checks of a request need it: an active user or client, or the subject of a foreign token. */
export interface Principal extends TenantGrants {
  readonly kind: PrincipalKind;
  readonly name: string;
  /** 0 for the subject of a foreign token. */
  readonly credentialVersion: number;
  /** Effective: those of all roles and the direct ones, sorted, each once. */
  readonly permissions: readonly string[];
}
