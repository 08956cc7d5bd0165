import type { Api } from '../core/data.ts';
import { money } from '../core/format.ts';
import { texts } from '../texts.ts';

export type ItemExplanation = Awaited<ReturnType<Api['invoices']['explain']>>;
type Step = ItemExplanation['steps'][number];

/** The amount of an invoice line in words, with the steps of its calculation. */
export function Explanation({ of }: { readonly of: ItemExplanation }) {
  const steps = of.steps.map((step) => stepText(step, of.currency)).filter((text) => text !== null);
  return (
    <div class="explained">
      <p>{of.text}</p>
      {steps.length > 1 && (
        <>
          <h3>{texts.explanation.steps}</h3>
          <ol>
            {steps.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

/** Returns a step as a calculation; null for a step that changes nothing. */
function stepText(step: Step, currency: string): string | null {
  const show = (amount: Step['factor']) => money(amount, currency);
  const [base, result] = [show(step.base), show(step.result)];
  switch (step.operation) {
    case 'MULTIPLY':
      return `${base} × ${step.factor} = ${result}`;
    case 'PRORATE':
      return `${base} × ${step.days ?? step.ratio}${step.totalDays === null ? '' : ` / ${step.totalDays}`} = ${result}`;
    case 'ROUND':
      return step.unrounded?.equals(step.result) === false ? texts.explanation.rounded(base, result) : null;
    case 'LIMIT':
      return step.base.equals(step.result) ? null : texts.explanation.limited(base, result);
    case 'REMAINDER':
      return texts.explanation.remainder(result);
    case 'NEGATE':
      return texts.explanation.negated(result);
    case 'ADD':
      return `${base} + ${show(step.factor)} = ${result}`;
    case 'SUBTRACT':
      return `${base} − ${show(step.factor)} = ${result}`;
  }
}
