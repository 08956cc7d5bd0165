import type { Uuid } from '../../lib/values/ids/index.ts';
import type { Instant } from '../../lib/values/time/index.ts';

/** A business clock that tests can move, such as `sharedTestClock` of the Node adapter. */
export interface MovableClock {
  now(): Instant;
  /** Null returns to real time. */
  set(at: Instant | null): Promise<void>;
  move(by: {
    readonly days?: number | undefined;
    readonly weeks?: number | undefined;
    readonly months?: number | undefined;
    readonly years?: number | undefined;
  }): Promise<void>;
}

/** Controls the sandbox gateway (payments §2.4 rule 2). */
export interface SandboxControl {
  /** Configures the sandbox. @throws BillingError MISSING_OR_INVALID_FIELD (60003) for unknown actions. */
  configure(
    configuration: { readonly CONFIGURE_ACTION: string } & Readonly<Record<string, string>>,
    tenantId: Uuid,
  ): void;
  status(tenantId: Uuid): {
    readonly states: Readonly<Record<string, string>>;
    readonly sleeps: Readonly<Record<string, number>>;
  };
}

/** The features of test mode (platform §14): test endpoints, and stack traces on request. */
export interface TestMode {
  readonly clock: MovableClock;
  /** The `sandboxGateway` of the payment adapter, if the engine has one. */
  readonly sandbox?: SandboxControl | undefined;
}
