import type { BilledRecord } from '../support/usage-oracle/billed-record.ts';
import { holds, momentOf } from '../support/usage-oracle/oracle-intervals.ts';
import { unitsOf } from '../support/usage-oracle/oracle-price.ts';
import { presentlyBilled } from '../support/usage-oracle/superseded-periods.ts';
import type { OraclePoint } from '../support/usage-oracle/usage-facts.ts';
import type { UsageOracle } from '../support/usage-oracle/usage-oracle.ts';

/** Describes superseded intervals that are still charged and points charged by a section not in force (R60). */
export function chargedTwice({ points, events, billed }: UsageOracle): readonly string[] {
  const { counted, superseded } = presentlyBilled(billed, events);
  const left = superseded.filter(({ entries }) =>
    entries.some((entry) => entry.of === null && entry.left > 0n),
  );
  return [
    ...left.map(({ usageName, start, end }) => `${usageName} ${start.at}..${end.at} is still charged`),
    ...points.filter(({ isVoid }) => !isVoid).flatMap((point) => wrongCharges(point)),
  ];

  function wrongCharges(point: OraclePoint): readonly string[] {
    const at = momentOf(point, events);
    const inForce = events.findLast((event) => event.at <= at);
    // The last section of a name charges; earlier ones were credited.
    const charging = [
      ...new Map(
        counted.filter((record) => record.points.has(point)).map((record) => [record.usageName, record]),
      ).values(),
    ];
    const names = charging.map(({ usageName }) => usageName);
    const isStrange = (record: BilledRecord) =>
      inForce?.billing === 'ON' &&
      holds({ ...record, takesEnd: false }, at) &&
      !inForce.sections.some(
        (section) =>
          section.name === record.usageName &&
          section.prices === record.prices &&
          unitsOf(section).includes(point.unit),
      );
    const strange = charging.filter(isStrange);
    if (strange.length === 0) return [];
    return [`${point.unit} of ${new Date(at).toISOString()} (${point.trackingId}) by ${names.join(', ')}`];
  }
}
