import type { PaymentControlContext } from '../../ports/index.ts';
import type { PluginProperty } from '../../records/index.ts';

/** A run that control plugins stand around. */
export interface ControlledRun {
  /** In their order, the built-in invoice control among them. */
  readonly names: readonly string[];
  readonly context: PaymentControlContext;
  readonly properties: readonly PluginProperty[];
}
