import { shortened } from '../../values/text/index.ts';
import type { Duration } from '../../values/time/index.ts';
import type { Reading } from './form.ts';
import { CancellationPolicy, type OverdueState } from './overdue-config.ts';
import { type ReadCondition, readCondition } from './read-condition.ts';
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
    const { timeAt, ...found } = readCondition(record.take('condition'), reading);
    const isClear = record.take('isClearState');
    const isClearState = isClear?.flag();
    if (isClear === undefined || isClearState === false) checkEntered(found, record, reading);
    for (const part of form.ignored) record.take(part);
    const state: OverdueState = {
      name: name ?? '',
      isClearState: isClearState ?? false,
      condition: found.condition,
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

/** A state that is not the clear one is entered by its condition (§1.3 rule 2). */
function checkEntered(
  { condition, isEmpty }: Pick<ReadCondition, 'condition' | 'isEmpty'>,
  { at }: WrittenRecord,
  { findings, acceptsEmptyConditions }: Reading,
): void {
  if (condition === null) findings.add(at, 'it has neither a condition nor isClearState');
  else if (isEmpty && !acceptsEmptyConditions) findings.add(at, 'its condition has no criterion');
}

function flag(record: WrittenRecord, name: string): boolean {
  return record.take(name)?.flag() ?? false;
}

function interval(value: WrittenValue | undefined, { form, findings }: Reading): Duration | null {
  return value === undefined ? null : form.readInterval(value, findings);
}
