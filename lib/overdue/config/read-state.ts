import { shortened } from '../../values/text/index.ts';
import type { Duration } from '../../values/time/index.ts';
import type { Reading } from './form.ts';
import { CancellationPolicy, type OverdueState } from './overdue-config.ts';
import { readCondition } from './read-condition.ts';
import { oneOf, textForXml } from './read-values.ts';
import type { WrittenRecord, WrittenValue } from './written.ts';

/** A state that was read, and where what rules across states speak of stands. */
export interface ReadState {
  readonly state: OverdueState;
  /** Null: it has no name that can be read, which is reported. */
  readonly nameAt: number | null;
  readonly timeAt: number | null;
}

/** Reads the state that is the `number`th of its configuration. */
export function readState(record: WrittenRecord, number: number, reading: Reading): ReadState {
  const { form, findings } = reading;
  const named = record.take(form.name);
  const name = textForXml(named, findings);
  return findings.about(name ? `State "${shortened(name)}"` : `State ${number}`, () => {
    if (named === undefined) findings.add(record.at, 'it has no name');
    const { condition, timeAt } = readCondition(record.take('condition'), reading);
    const isClear = record.take('isClearState');
    const isClearState = isClear?.flag();
    if (condition === null && (isClear === undefined || isClearState === false))
      findings.add(record.at, 'it has neither a condition nor isClearState');
    for (const part of form.ignored) record.take(part);
    const state: OverdueState = {
      name: name ?? '',
      isClearState: isClearState ?? false,
      condition,
      externalMessage: textForXml(record.take('externalMessage'), findings)?.trim() ?? '',
      blockChanges: flag(record, form.blockChanges),
      disableEntitlement: flag(record, form.disableEntitlement),
      cancellationPolicy:
        oneOf(record.take('subscriptionCancellationPolicy'), Object.values(CancellationPolicy), findings) ??
        CancellationPolicy.NONE,
      reevaluationInterval: interval(record.take(form.interval), reading),
    };
    record.refuseOthers();
    return { state, nameAt: name === undefined ? null : (named?.at ?? null), timeAt };
  });
}

function flag(record: WrittenRecord, name: string): boolean {
  return record.take(name)?.flag() ?? false;
}

function interval(value: WrittenValue | undefined, { form, findings }: Reading): Duration | null {
  return value === undefined ? null : form.readInterval(value, findings);
}
