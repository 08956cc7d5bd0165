import { CatalogPartKind, type NewCatalogPart, type NewCatalogParts } from '../../records/index.ts';
import { eachStep, type TimeSlices } from '../../runtime/index.ts';
import { CATALOG_PARTS_AT_ONCE } from '../../values/limits.ts';
import { BillingPeriod } from '../../values/time/index.ts';
import type { CatalogVersion } from '../lookup/catalog-version.ts';
import type { Plan, Product } from '../model/catalog-model.ts';
import { deepFreeze } from '../model/deep-freeze.ts';
import type { Part, SoldAs } from '../model/part.ts';
import { textOfValue, valueOfText } from '../model/plain-text.ts';
import { createPlan, rememberText, textOfPlan } from '../model/plan.ts';
import type { PlanContent } from '../model/version-content.ts';
import type { VersionFrame } from '../model/version-frame.ts';
import { sha256Hex } from './content-hash.ts';
import { shapedText } from './shaped-text.ts';
import { StoredPart } from './stored-part.ts';

/** The parts of a version as they are stored. */
export async function partsOf(version: CatalogVersion, slices: TimeSlices): Promise<NewCatalogParts> {
  const { frame, productParts, planParts } = version;
  return {
    frame: await storedForm(CatalogPartKind.FRAME, frame, textOfFrame),
    products: await someAtOnce(productParts.parts, slices, (part) =>
      storedForm(CatalogPartKind.PRODUCT, part, textOfValue),
    ),
    plans: await someAtOnce(planParts.parts, slices, async (part) =>
      withShape(await storedForm(CatalogPartKind.PLAN, part, textOfPlan)),
    ),
  };
}

/** So many at once that waiting costs little, and so few that they block neither memory nor the event loop. */
async function someAtOnce<P, T>(
  parts: readonly P[],
  slices: TimeSlices,
  work: (part: P) => Promise<T>,
): Promise<readonly T[]> {
  const done: T[] = [];
  for (let first = 0; first < parts.length; first += CATALOG_PARTS_AT_ONCE) {
    const some = parts.slice(first, first + CATALOG_PARTS_AT_ONCE);
    done.push(...(await Promise.all(await slices(eachStep(some, work)))));
  }
  return done;
}

export function frameOfText(text: string): VersionFrame {
  return deepFreeze(valueOfText(text) as VersionFrame);
}

export function productOfText(text: string): Product {
  return deepFreeze(valueOfText(text) as Product);
}

export function planOfText(text: string): Plan {
  const plan = createPlan(valueOfText(text) as PlanContent, null);
  rememberText(plan, text);
  return plan;
}

/** Product and period, taken from the text of a plan without reading the rest. */
export function soldAsOfText(text: string): SoldAs {
  const { product, finalPhase }: PlanContent = JSON.parse(text);
  return { product, billingPeriod: finalPhase.recurring?.billingPeriod ?? BillingPeriod.NO_BILLING_PERIOD };
}

/** The frame without the version's billing mode, which its plans already have (§3.4). */
function textOfFrame(frame: VersionFrame): string {
  return textOfValue({ ...frame, recurringBillingMode: null });
}

async function storedForm<T extends object>(
  kind: CatalogPartKind,
  part: Part<T>,
  textOf: (value: T) => string,
): Promise<NewCatalogPart> {
  const text = part instanceof StoredPart ? part.text : textOf(part.value);
  return {
    kind,
    name: part.name,
    forExisting: part.forExisting,
    shape: null,
    text,
    contentHash: await hashOf(kind, text),
  };
}

async function withShape(part: NewCatalogPart): Promise<NewCatalogPart> {
  const { shape: text, filling } = shapedText(part.text);
  const kind = CatalogPartKind.SHAPE;
  const contentHash = await hashOf(kind, text);
  const shape = { kind, name: part.name, forExisting: null, shape: null, text, contentHash };
  return { ...part, shape, text: filling };
}

function hashOf(kind: CatalogPartKind, text: string): Promise<string> {
  return sha256Hex(`${kind} ${text}`);
}
