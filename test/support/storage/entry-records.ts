import type { CatalogEntry, New } from '../../../lib/index.ts';
import type { NewPlanRow } from '../../../lib/ports/storage/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { newId, now, oddText } from './stored-records.ts';

const prices = [{ currency: 'USD', value: decimal('123456789012345.123456789') } as const];

/** A plan entry with a value in every field that can hold one. */
export function catalogEntry(changes: Partial<New<CatalogEntry>> = {}): New<CatalogEntry> {
  return {
    id: newId(),
    kind: 'PLAN',
    name: newId(),
    accountId: null,
    accountRecordId: null,
    parentId: newId(),
    product: {
      prettyName: oddText,
      category: 'ADD_ON',
      availableForBps: ['Base'],
      availableAddons: [oddText],
    },
    plan: {
      prettyName: oddText,
      recurringBillingMode: 'IN_ADVANCE',
      productName: 'Base',
      pricelistName: 'DEFAULT',
      xmlProduct: { prettyName: oddText, category: 'BASE' },
    },
    createdDate: now,
    ...changes,
  };
}

export function planRow(changes: Partial<NewPlanRow> = {}): NewPlanRow {
  return {
    id: newId(),
    planName: newId(),
    accountRecordId: null,
    effectiveDate: now,
    createdOrder: 1,
    effectiveDateForExistingSubscriptions: now,
    retired: true,
    phases: [
      {
        prettyName: oddText,
        type: 'EVERGREEN',
        duration: { unit: 'UNLIMITED', number: -1 },
        fixedPrices: [{ currency: 'EUR', value: decimal(7) }],
        recurringPrices: { billingPeriod: 'MONTHLY', prices },
        usages: [
          {
            usageName: 'water',
            prettyName: oddText,
            usageType: 'CONSUMABLE',
            billingPeriod: 'MONTHLY',
            tierBlockPolicy: 'TOP_TIER',
            tiers: [{ tierNumber: 2, blocks: [{ billingMeterCode: 'litre', size: 10, max: -1, prices }] }],
          },
        ],
      },
    ],
    createdDate: now,
    ...changes,
  };
}
