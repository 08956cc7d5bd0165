import type { Uuid } from '../../lib/values/ids/index.ts';
import type { Instant } from '../../lib/values/time/index.ts';

/** A business clock that the test endpoints can move; `sharedTestClock` of the Node adapter is one. */
export interface MovableClock {
  now(): Instant;
  /** Sets business time; null returns to real time. */
  set(at: Instant | null): Promise<void>;
  move(by: {
    readonly days?: number | undefined;
    readonly weeks?: number | undefined;
    readonly months?: number | undefined;
    readonly years?: number | undefined;
  }): Promise<void>;
}

/** How the sandbox gateway is told what to do (payments §2.4 rule 2). */
export interface SandboxControl {
  /** @throws BillingError MISSING_OR_INVALID_FIELD (60003) for what it does not know. */
  configure(
    configuration: { readonly CONFIGURE_ACTION: string } & Readonly<Record<string, string>>,
    tenantId: Uuid,
  ): void;
  status(tenantId: Uuid): {
    readonly states: Readonly<Record<string, string>>;
    readonly sleeps: Readonly<Record<string, number>>;
  };
}

/** What the server gains in test mode (platform §14): the test endpoints, and stack traces on request. */
export interface TestMode {
  readonly clock: MovableClock;
  /** The sandbox gateway, where the engine has it; `sandboxGateway` of the payment adapter is one. */
  readonly sandbox?: SandboxControl | undefined;
}
