import type { AccountRun } from '../evaluation/evaluate-account.ts';
import type { AskedInvoice } from './additional-items.ts';
import { decidedRun } from './decided-run.ts';

/** The run of one step of a dry run with what plugins have made of it; a reused draft goes on as they have rewritten it. */
export function decidedStep(run: AccountRun, asked: AskedInvoice): AccountRun {
  const decided = decidedRun(run, asked);
  const { draft } = run.invoice;
  if (draft === null) return decided;
  return { ...decided, invoice: { ...run.invoice, draft: { ...draft, items: asked.existing } } };
}
