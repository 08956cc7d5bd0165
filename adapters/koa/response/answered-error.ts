import { BillingError, type BillingErrorInput } from '../../../lib/values/errors/index.ts';

/** An error whose status the case decides, not its code, and what it points to (http-api §12, results of payments). */
export class AnsweredError extends BillingError {
  readonly status: number;
  /** Path of `Location`, below the core prefix. */
  readonly location: string | null;

  constructor(input: BillingErrorInput, answer: { readonly status: number; readonly location?: string }) {
    super(input);
    this.status = answer.status;
    this.location = answer.location ?? null;
  }
}
