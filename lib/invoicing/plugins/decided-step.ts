import type { AccountRun } from '../evaluation/evaluate-account.ts';
import type { AskedInvoice } from './additional-items.ts';
import { decidedRun } from './decided-run.ts';

/** The run of one step of a dry run with what plugins have made of it: the next step takes it as billed. */
export function decidedStep(run: AccountRun, asked: AskedInvoice): AccountRun {
  const decided = decidedRun(run, asked);
  const itemOf = new Map(asked.items.map((item) => [item.id, item]));
  const evaluations = decided.evaluations.map((evaluation) => ({
    ...evaluation,
    items: evaluation.items.map((item) => itemOf.get(item.id) ?? item),
  }));
  const { draft } = run.invoice;
  const invoice =
    draft === null ? run.invoice : { ...run.invoice, draft: { ...draft, items: asked.existing } };
  return { ...decided, evaluations, invoice };
}
