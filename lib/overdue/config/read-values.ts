import { XML_CHARACTERS } from '../../values/documents/index.ts';
import { shortened } from '../../values/text/index.ts';
import { type Duration, TimeUnit, UNLIMITED_DURATION } from '../../values/time/index.ts';
import type { Findings } from './findings.ts';
import type { WrittenValue } from './written.ts';

/** One of the known words. */
export function oneOf<T extends string>(
  value: WrittenValue | undefined,
  known: readonly T[],
  findings: Findings,
): T | undefined {
  const text = value?.text();
  if (value === undefined || text === undefined) return undefined;
  const found = known.find((each) => each === text);
  if (found === undefined)
    findings.add(value.at, `${value.label}: "${shortened(text)}" is none of ${known.join(', ')}`);
  return found;
}

/** A text that XML can hold, in which every configuration is kept. */
export function textForXml(value: WrittenValue | undefined, findings: Findings): string | undefined {
  const text = value?.text();
  if (value === undefined || text === undefined) return undefined;
  if (XML_CHARACTERS.test(text)) return text;
  findings.add(value.at, `${value.label} holds a character that XML does not have`);
  return undefined;
}

/** A duration of at least `least` units; an UNLIMITED one needs no number, and may have -1 as catalogs write it. */
export function readDuration(value: WrittenValue, findings: Findings, least = 0): Duration | undefined {
  const record = value.record();
  if (record === undefined) return undefined;
  const unit = oneOf(record.require('unit'), Object.values(TimeUnit), findings);
  const isUnlimited = unit === TimeUnit.UNLIMITED;
  const written = isUnlimited ? record.take('number') : record.require('number');
  const number = written?.wholeNumber();
  record.refuseOthers();
  if (isUnlimited && (number === undefined || number === -1)) return UNLIMITED_DURATION;
  if (number === undefined || written === undefined) return undefined;
  if (number < least) {
    findings.add(written.at, `${written.label}: ${number} is below ${least}`);
    return undefined;
  }
  if (unit === undefined) return undefined;
  return isUnlimited ? UNLIMITED_DURATION : { unit, number };
}
